/* The connection to PostgreSQL, for the files of the engine (engine_postgres.c)
 * and their test, and for nobody else.
 *
 *     struct pg_args args;
 *     pg_begin_write(pg);
 *     pg_args_init(&args);
 *     pg_put_int(&args, part);
 *     pg_send(pg, &args, "SELECT owner FROM @part WHERE part = $1::int");
 *     if (!pg_sync(pg))
 *         ... the connection is gone
 *     pg_began(pg);
 *     PGresult *result = pg_next(pg);         the rows; PQclear it
 *     pg_end(pg);                             everything up to pg_sync is read
 *
 * Statements go out together and are answered together: one round trip for all
 * up to pg_sync. '@' in SQL stands for the schema of the crawl. All values are
 * binary, in both directions. After any failure the connection is closed, and
 * the next call opens a new one: nothing of a transaction that was not
 * committed remains.
 *
 * A statement is never cancelled, and no time limit of the server's is set for
 * one: a commit that is cancelled while it waits for a standby would be visible
 * without being safe. A connection that does not answer is left alone instead.
 * But a transaction whose next statement stays away is ended by the server: its
 * machine may be cut off or suspended, and others wait for the rows it changed.
 */
#ifndef FLEET_POSTGRES_H
#define FLEET_POSTGRES_H

#include <postgresql/libpq-fe.h> /* as Debian has it: no flag is needed */

#include "base/buf.h"
#include "fleet/engine_postgres.h"

/* The engine's clock. */
#define PG_NOW "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

enum {
    PG_ARGS_MAX = 16,
    PG_SCHEMA_MAX = ENGINE_POSTGRES_NAME_MAX,
    PG_SQL_MAX = 4096,
    PG_PREPARED_MAX = 8,
    PG_ANSWER_MS = 20 * 1000, /* longer without an answer: it is away */
    PG_LOOK_MS = 200,         /* how often `may_wait` is asked */
};

struct postgres {
    struct fleet_engine engine;
    PGconn *conn; /* NULL: none at the moment */
    char *url;
    char schema[PG_SCHEMA_MAX + 4]; /* "\"crawl\"." */
    enum fleet_result result;       /* of the call so far */
    struct fleet_error *error;      /* where the call wants its text */
    bool may_meet; /* another machine may make the same rows or tables */
    /* Statements that this connection has prepared, see pg_prepare. */
    const char *prepared[PG_PREPARED_MAX];
    size_t preparations;
    bool forgets;                 /* the server does not keep them */
    bool has_connected;           /* once at least */
    bool (*may_wait)(void *user); /* see engine_postgres_hurry; or NULL */
    void *may_wait_user;
};

/* --- values of a statement ---------------------------------------------- */

struct pg_args {
    int count;
    size_t at[PG_ARGS_MAX];
    int len[PG_ARGS_MAX]; /* -1: NULL */
    struct buf bytes;
};

void pg_args_init(struct pg_args *args);
void pg_args_release(struct pg_args *args);
void pg_put_int(struct pg_args *args, int64_t value);      /* int */
void pg_put_big(struct pg_args *args, uint64_t value);     /* bigint */
void pg_put_bytes(struct pg_args *args, struct str value); /* text, bytea */
void pg_put_null(struct pg_args *args);

/* An array, of which each item is put in turn. */
enum pg_type { PG_INT = 23, PG_BIG = 20, PG_TEXT = 25, PG_BYTEA = 17 };
void pg_array(struct pg_args *args, enum pg_type type, size_t count);
void pg_item_number(struct pg_args *args, enum pg_type type, uint64_t value);
void pg_item_bytes(struct pg_args *args, struct str value); /* NULL: NULL */
void pg_array_end(struct pg_args *args);

/* A whole array. */
void pg_put_texts(struct pg_args *args, enum pg_type type,
                  const struct str *text, size_t count);

/* --- a call --------------------------------------------------------------- */

/* Begin a call: there is a connection after that, or false. */
bool pg_call(struct postgres *pg, struct fleet_error *error);

/* Let the server parse and plan these statements once, for as long as the
 * connection lasts; pg_send knows them by their address. Only for those of
 * which there is but one good plan, however large the tables are. Where a
 * pooler gives every transaction another connection, the server does not know
 * them any more: the call ends as AWAY then, and the next one does without. */
bool pg_prepare(struct postgres *pg, const char *const *sql, size_t count);

/* Send a statement; the args, which may be NULL, are released. */
void pg_send(struct postgres *pg, struct pg_args *args, const char *sql);
bool pg_sync(struct postgres *pg);

/* Begin a transaction that changes rows; then read the answer to that. */
void pg_begin_write(struct postgres *pg);
void pg_began(struct postgres *pg);

/* The answer to the next statement; NULL after a failure. The caller clears it.
 */
PGresult *pg_next(struct postgres *pg);

/* The same for a statement without rows of interest: how many it changed, or
 * -1. */
int64_t pg_changed(struct postgres *pg);
bool pg_end(struct postgres *pg);

/* The call failed: close the connection. Always false. */
bool pg_fail(struct postgres *pg, enum fleet_result result, const char *format,
             ...) __attribute__((format(printf, 3, 4)));

/* Do all of these statements, which have no values, in one transaction. */
bool pg_run_all(struct postgres *pg, const char *const *sql, size_t count);

/* --- rows ----------------------------------------------------------------- */

/* A number or a truth of any width; NULL is 0. */
uint64_t pg_number(const PGresult *result, int row, int column);
struct str pg_bytes(const PGresult *result, int row, int column,
                    struct arena *arena);

/* --- the other files ------------------------------------------------------ */

/* postgres_schema.c: the tables, where they are missing. */
bool pg_make_tables(struct postgres *pg);

/* The codes of states and wishes are words in the tables. */
const char *pg_node_state(enum fleet_node_state state);
const char *pg_wish(enum fleet_wish wish);

/* postgres_read.c: all that machine `node` wants to know, of one moment; after
 * its commit also which of the addresses it has that it wanted. First send the
 * questions, then, after pg_sync, read the answers. */
void pg_ask_snapshot(struct postgres *pg, uint32_t node,
                     const struct fleet_commit *commit, bool for_reports);
bool pg_read_snapshot(struct postgres *pg, struct fleet_snapshot *snapshot,
                      const struct fleet_commit *commit, bool for_reports,
                      struct arena *arena);
bool pg_read_crawl(struct postgres *pg, struct fleet_crawl *crawl,
                   uint64_t *engine_ms, struct arena *arena);
extern const char pg_crawl_columns[], pg_node_columns[], pg_part_columns[];
enum fleet_result pg_find_page(struct fleet_engine *engine, uint32_t node,
                               uint64_t page, struct str *url,
                               struct arena *arena, struct fleet_error *error);
enum fleet_result pg_load(struct fleet_engine *engine, uint32_t part,
                          fleet_segment_fn *take, void *user,
                          struct fleet_error *error);

/* postgres_write.c */
void pg_insert_segments(struct postgres *pg, uint32_t node, uint64_t batch,
                        const struct fleet_segment *segment, size_t count);
void pg_insert_mail(struct postgres *pg, const struct fleet_mail *mail,
                    size_t count);
enum fleet_result pg_commit(struct fleet_engine *engine,
                            const struct fleet_commit *commit,
                            struct fleet_answer *answer, struct arena *arena,
                            struct fleet_error *error);

/* postgres_command.c */
enum fleet_result pg_command(struct fleet_engine *engine,
                             const struct fleet_command *command,
                             struct fleet_error *error);

#endif
