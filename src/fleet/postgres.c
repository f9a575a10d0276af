#include "fleet/postgres.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/hashtable.h"
#include "base/mem.h"

/* A commit holds at most the batches that may wait (crawler/record.c), and the
 * mail that goes with them. */
enum { ARGS_BYTES_MAX = 256 << 20 };

/* --- values --------------------------------------------------------------- */

void pg_args_init(struct pg_args *args)
{
    *args = (struct pg_args){0};
    buf_init(&args->bytes, ARGS_BYTES_MAX);
}

void pg_args_release(struct pg_args *args)
{
    buf_release(&args->bytes);
}

/* In the order of the network. */
static void put_number(struct buf *buf, uint64_t value, size_t bytes)
{
    char *to = buf_reserve(buf, bytes);

    if (!to)
        return;
    for (size_t i = 0; i < bytes; i++)
        to[i] = (char)(value >> 8 * (bytes - 1 - i));
    buf->len += bytes;
}

static void begin_value(struct pg_args *args)
{
    args->at[args->count] = args->bytes.len;
}

static void end_value(struct pg_args *args)
{
    args->len[args->count] = (int)(args->bytes.len - args->at[args->count]);
    args->count++;
}

void pg_put_int(struct pg_args *args, int64_t value)
{
    begin_value(args);
    put_number(&args->bytes, (uint64_t)value, 4);
    end_value(args);
}

void pg_put_big(struct pg_args *args, uint64_t value)
{
    begin_value(args);
    put_number(&args->bytes, value, 8);
    end_value(args);
}

void pg_put_bytes(struct pg_args *args, struct str value)
{
    begin_value(args);
    buf_put(&args->bytes, value);
    end_value(args);
}

void pg_put_null(struct pg_args *args)
{
    begin_value(args);
    args->len[args->count++] = -1;
}

/* Dimensions, "may have NULLs", type of the items; then length and lower bound
 * of the one dimension. An empty array has no dimension. */
void pg_array(struct pg_args *args, enum pg_type type, size_t count)
{
    begin_value(args);
    put_number(&args->bytes, count ? 1 : 0, 4);
    put_number(&args->bytes, 1, 4);
    put_number(&args->bytes, (uint64_t)type, 4);
    if (!count)
        return;
    put_number(&args->bytes, count, 4);
    put_number(&args->bytes, 1, 4);
}

void pg_item_number(struct pg_args *args, enum pg_type type, uint64_t value)
{
    size_t bytes = type == PG_INT ? 4 : 8;

    put_number(&args->bytes, bytes, 4);
    put_number(&args->bytes, value, bytes);
}

void pg_item_bytes(struct pg_args *args, struct str value)
{
    put_number(&args->bytes, value.ptr ? value.len : UINT32_MAX, 4);
    buf_put(&args->bytes, value);
}

void pg_array_end(struct pg_args *args)
{
    end_value(args);
}

void pg_put_texts(struct pg_args *args, enum pg_type type,
                  const struct str *text, size_t count)
{
    pg_array(args, type, count);
    for (size_t i = 0; i < count; i++)
        pg_item_bytes(args, text[i]);
    pg_array_end(args);
}

uint64_t pg_number(const PGresult *result, int row, int column)
{
    const char *bytes = PQgetvalue(result, row, column);
    int len = PQgetlength(result, row, column);
    uint64_t value = 0;

    if (len == 4 && bytes[0] & 0x80)
        value = UINT64_MAX; /* negative */
    for (int i = 0; i < len && i < 8; i++)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

struct str pg_bytes(const PGresult *result, int row, int column,
                    struct arena *arena)
{
    const struct str bytes = {PQgetvalue(result, row, column),
                              (size_t)PQgetlength(result, row, column)};

    return arena_copy(arena, bytes);
}

/* --- failures ------------------------------------------------------------- */

static void drop(struct postgres *pg)
{
    PQfinish(pg->conn);
    pg->conn = NULL;
    pg->preparations = 0;
}

bool pg_fail(struct postgres *pg, enum fleet_result result, const char *format,
             ...)
{
    va_list args;

    if (pg->result == FLEET_COUNTED) {
        va_start(args, format);
        vsnprintf(pg->error->text, sizeof(pg->error->text), format, args);
        va_end(args);
        pg->error->text[strcspn(pg->error->text, "\n")] = '\0';
        pg->result = result;
    }
    drop(pg);
    return false;
}

static bool fail_away(struct postgres *pg)
{
    char text[sizeof(pg->error->text)];

    snprintf(text, sizeof(text), "%.*s", (int)sizeof(text) - 1,
             PQerrorMessage(pg->conn));
    return pg_fail(pg, FLEET_AWAY, "%s", text);
}

/* No such statement is prepared, or it is already: somebody else used this
 * connection of the server's. */
static bool is_about_prepared(const char *state)
{
    return !strcmp(state, "26000") || !strcmp(state, "42P05");
}

/* Is it worth another try? The classes of SQLSTATE: the connection, the server
 * is short of something, its operator stopped it, its system failed; a standby
 * that is not yet or no longer the primary; a transaction that waited for us
 * for too long; transactions that met. */
static bool is_away(const struct postgres *pg, const char *state)
{
    static const char *const retried[] = {"08",    "53",    "57",    "58",
                                          "25006", "25P03", "40001", "40P01"};

    for (size_t i = 0; i < ARRAY_LEN(retried); i++)
        if (!strncmp(state, retried[i], strlen(retried[i])))
            return true;
    if (is_about_prepared(state))
        return true;
    /* Two machines make the same table, or add themselves, at once. */
    return pg->may_meet &&
           (!strcmp(state, "23505") || !strncmp(state, "42P", 3) ||
            !strncmp(state, "XX", 2));
}

static bool fail_answer(struct postgres *pg, const PGresult *result)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    pg->forgets |= state && is_about_prepared(state);
    /* All tables are in a schema with its name. */
    if (state && !strcmp(state, "42P01") && text && strstr(text, ".crawl\""))
        text = "there is no such crawl";
    return pg_fail(pg,
                   !state || is_away(pg, state) ? FLEET_AWAY : FLEET_REFUSED,
                   "%s", text ? text : "no answer");
}

/* --- the connection ------------------------------------------------------- */

/* A server's remarks are for its operator. */
static void ignore_notice(void *user, const char *text)
{
    (void)user;
    (void)text;
}

static bool may_wait(const struct postgres *pg)
{
    return !pg->may_wait || pg->may_wait(pg->may_wait_user);
}

/* The server is there and does not let us in. Its words are all that libpq
 * gives; those of a server in another language are not known here. */
static bool is_locked_out(const struct postgres *pg)
{
    static const char *const said[] = {
        "password authentication failed", "no password supplied",
        "no pg_hba.conf entry", "\" does not exist"};
    bool found = false;

    for (size_t i = 0; i < ARRAY_LEN(said); i++)
        found |= strstr(PQerrorMessage(pg->conn), said[i]) != NULL;
    return found;
}

/* A connection cannot be made. For whoever begins that may be for good; one
 * that is at work waits, whatever the server says meanwhile. */
static bool fail_to_connect(struct postgres *pg)
{
    bool is_for_good = !pg->has_connected && !pg->may_wait && is_locked_out(pg);

    fail_away(pg);
    if (is_for_good)
        pg->result = FLEET_REFUSED;
    return false;
}

/* The user's URL is last, so that it overrides all but the form of names. The
 * time-out is for each server that the URL names: libpq's own loop goes on to
 * the next. */
static bool connect_to(struct postgres *pg)
{
    static const char *const keys[] = {
        "connect_timeout",
        "target_session_attrs",
        "application_name",
        "dbname",
        NULL,
    };
    const char *const values[] = {pg->may_wait ? "2" : "10", "read-write",
                                  "crawler", pg->url, NULL};

    if (!may_wait(pg))
        return pg_fail(pg, FLEET_AWAY, "there is no time to connect");

    pg->conn = PQconnectdbParams(keys, values, 1);
    if (PQstatus(pg->conn) != CONNECTION_OK)
        return fail_to_connect(pg);
    pg->has_connected = true;
    PQsetNoticeProcessor(pg->conn, ignore_notice, NULL);
    if (PQsetnonblocking(pg->conn, 1) || !PQenterPipelineMode(pg->conn))
        return fail_away(pg);
    return true;
}

bool pg_call(struct postgres *pg, struct fleet_error *error)
{
    pg->result = FLEET_COUNTED;
    pg->error = error;
    pg->may_meet = false;
    error->text[0] = '\0';
    return pg->conn || connect_to(pg);
}

/* "SELECT 1 FROM @part" becomes "SELECT 1 FROM "crawl".part". */
static const char *expand(const struct postgres *pg, const char *sql, char *out)
{
    char *to = out;

    for (; *sql && to < out + PG_SQL_MAX - sizeof(pg->schema); sql++)
        if (*sql == '@')
            to = stpcpy(to, pg->schema);
        else
            *to++ = *sql;
    *to = '\0';
    return out;
}

/* The same text has the same name, whoever prepares it. */
static const char *name_of(const char *expanded, char *name, size_t room)
{
    snprintf(name, room, "crawler_%016" PRIx64, hash64(str_of(expanded), 0));
    return name;
}

static bool is_prepared(const struct postgres *pg, const char *sql)
{
    for (size_t i = 0; i < pg->preparations; i++)
        if (pg->prepared[i] == sql)
            return true;
    return false;
}

bool pg_prepare(struct postgres *pg, const char *const *sql, size_t count)
{
    char expanded[PG_SQL_MAX], name[32];

    if (pg->preparations || pg->forgets)
        return true;
    assert(count <= PG_PREPARED_MAX);
    for (size_t i = 0; i < count; i++) {
        expand(pg, sql[i], expanded);
        name_of(expanded, name, sizeof(name));
        if (!PQsendPrepare(pg->conn, name, expanded, 0, NULL))
            return fail_away(pg);
    }
    pg_sync(pg);
    for (size_t i = 0; i < count; i++)
        if (pg_changed(pg) < 0)
            return false;
    if (!pg_end(pg))
        return false;
    memcpy(pg->prepared, sql, count * sizeof(*sql));
    pg->preparations = count;
    return true;
}

void pg_send(struct postgres *pg, struct pg_args *args, const char *sql)
{
    const char *value[PG_ARGS_MAX];
    int format[PG_ARGS_MAX];
    char expanded[PG_SQL_MAX], name[32];
    int count = args ? args->count : 0;
    const int *len = args ? args->len : NULL;

    for (int i = 0; i < count; i++) {
        value[i] = args->len[i] < 0 ? NULL : args->bytes.ptr + args->at[i];
        if (!args->len[i])
            value[i] = "";
        format[i] = 1;
    }
    expand(pg, sql, expanded);
    if (pg->conn && !(is_prepared(pg, sql)
                          ? PQsendQueryPrepared(
                                pg->conn, name_of(expanded, name, sizeof(name)),
                                count, value, len, format, 1)
                          : PQsendQueryParams(pg->conn, expanded, count, NULL,
                                              value, len, format, 1)))
        fail_away(pg);
    if (args)
        pg_args_release(args);
}

bool pg_sync(struct postgres *pg)
{
    if (!pg->conn)
        return false;
    return PQpipelineSync(pg->conn) || fail_away(pg);
}

/* Wait until the socket can be used, or for too long. */
static bool wait_for(struct postgres *pg, short events, uint64_t until_ms)
{
    struct pollfd poll_fd = {.fd = PQsocket(pg->conn), .events = events};
    uint64_t now_ms = clock_mono_ms();
    uint64_t wait_ms = now_ms < until_ms ? until_ms - now_ms : 0;

    if (!may_wait(pg))
        return pg_fail(pg, FLEET_AWAY, "there is no time to wait for it");
    if (pg->may_wait && wait_ms > PG_LOOK_MS)
        wait_ms = PG_LOOK_MS;
    int ready = wait_ms ? poll(&poll_fd, 1, (int)wait_ms) : 0;
    if (ready > 0 || (ready < 0 && errno == EINTR) ||
        clock_mono_ms() < until_ms)
        return true;
    return pg_fail(pg, FLEET_AWAY, "no answer for %d seconds",
                   PG_ANSWER_MS / 1000);
}

/* Send and receive until an answer is complete. */
static bool await_answer(struct postgres *pg)
{
    uint64_t until_ms = clock_mono_ms() + PG_ANSWER_MS;

    for (;;) {
        int left = PQflush(pg->conn);
        if (left < 0 || !PQconsumeInput(pg->conn))
            return fail_away(pg);
        if (!PQisBusy(pg->conn))
            return true;
        if (!wait_for(pg, left ? POLLIN | POLLOUT : POLLIN, until_ms))
            return false;
    }
}

static PGresult *next_result(struct postgres *pg)
{
    if (!pg->conn || !await_answer(pg))
        return NULL;
    return PQgetResult(pg->conn);
}

PGresult *pg_next(struct postgres *pg)
{
    PGresult *result = next_result(pg);

    if (!pg->conn)
        return NULL;
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
        fail_answer(pg, result);
        PQclear(result);
        return NULL;
    }
    PQclear(next_result(pg)); /* the NULL that ends a statement */
    if (pg->conn)
        return result;
    PQclear(result);
    return NULL;
}

int64_t pg_changed(struct postgres *pg)
{
    PGresult *result = pg_next(pg);
    uint64_t count = 0;

    if (!result)
        return -1;
    str_to_u64(str_of(PQcmdTuples(result)), &count);
    PQclear(result);
    return (int64_t)count;
}

bool pg_end(struct postgres *pg)
{
    PGresult *result = next_result(pg);

    if (!pg->conn)
        return false;
    bool good = PQresultStatus(result) == PGRES_PIPELINE_SYNC;
    if (!good)
        fail_answer(pg, result);
    PQclear(result);
    return good;
}

/* For this transaction only: a pooler may give the connection to others. Longer
 * than a machine takes that is merely busy, shorter than most leases. */
void pg_begin_write(struct postgres *pg)
{
    pg_send(pg, NULL, "BEGIN");
    pg_send(pg, NULL, "SET LOCAL idle_in_transaction_session_timeout = '5s'");
}

void pg_began(struct postgres *pg)
{
    pg_changed(pg);
    pg_changed(pg);
}

bool pg_run_all(struct postgres *pg, const char *const *sql, size_t count)
{
    pg_send(pg, NULL, "BEGIN");
    for (size_t i = 0; i < count; i++)
        pg_send(pg, NULL, sql[i]);
    pg_send(pg, NULL, "COMMIT");
    pg_sync(pg);
    for (size_t i = 0; i < count + 2; i++)
        if (pg_changed(pg) < 0)
            return false;
    return pg_end(pg);
}
