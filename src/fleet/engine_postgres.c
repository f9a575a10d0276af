#include "fleet/engine_postgres.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "fleet/postgres.h"

static struct postgres *pg_of(struct fleet_engine *engine)
{
    return (struct postgres *)engine;
}

/* --- begin ---------------------------------------------------------------- */

static void insert_crawl(struct postgres *pg, const struct fleet_crawl *crawl)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_bytes(&args, crawl->uuid);
    pg_put_int(&args, crawl->format);
    pg_put_int(&args, crawl->partitions);
    pg_put_big(&args, crawl->seed);
    pg_put_bytes(&args, crawl->suffixes);
    if (crawl->pages_max > INT64_MAX)
        pg_put_null(&args);
    else
        pg_put_big(&args, crawl->pages_max);
    pg_send(pg, &args,
            "INSERT INTO @crawl (id, uuid, format, partitions, seed, suffixes, "
            "began, state, wanted, level, additions, pages_max, "
            "pages_given) VALUES (1, $1::text, $2::int, $3::int, $4::bigint, "
            "$5::text, " PG_NOW
            ", 'running', 'run', 0, 0, $6::bigint, 0) ON CONFLICT DO NOTHING");
}

/* What comes with the row of the crawl: partitions, the machine that stands for
 * whoever adds seeds, seeds, the crawl's own journal. */
static void insert_rest(struct postgres *pg, const struct fleet_begin *begin)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_array(&args, PG_INT, begin->crawl.partitions);
    for (uint32_t i = 0; i < begin->crawl.partitions; i++)
        pg_item_number(&args, PG_INT, i);
    pg_array_end(&args);
    pg_send(pg, &args,
            "INSERT INTO @part (part, owner, epoch) "
            "SELECT p.part, NULL, 0 FROM unnest($1::int[]) AS p (part)");
    pg_args_init(&args);
    pg_put_big(&args, begin->seeds);
    pg_send(pg, &args,
            "INSERT INTO @node (node, name, directory, incarnation, batch, "
            "state, lowest, sent, taken, pages, pages_granted, pages_lost, "
            "joins, renewed) VALUES (0, 'seeds', '', 0, 0, 'left', 1073741824, "
            "$1::bigint, 0, 0, 0, false, 0, " PG_NOW ")");
    pg_insert_mail(pg, begin->seed, begin->seeds);
    pg_insert_segments(pg, FLEET_SEEDS, 0, begin->segment, begin->segments);
}

/* False: it failed. `is_new`: the row of the crawl was not there. */
static bool begin_crawl(struct postgres *pg, const struct fleet_begin *begin,
                        bool *is_new)
{
    pg_begin_write(pg);
    insert_crawl(pg, &begin->crawl);
    pg_sync(pg);
    pg_began(pg);
    int64_t inserted = pg_changed(pg);
    if (inserted < 0 || !pg_end(pg))
        return false;
    *is_new = inserted > 0;
    if (*is_new)
        insert_rest(pg, begin);
    pg_send(pg, NULL, *is_new ? "COMMIT" : "ROLLBACK");
    pg_sync(pg);
    size_t statements =
        *is_new ? 3u + (begin->seeds > 0) + (begin->segments > 0) : 1;
    for (size_t i = 0; i < statements; i++)
        if (pg_changed(pg) < 0)
            return false;
    return pg_end(pg);
}

static enum fleet_result pg_begin(struct fleet_engine *engine,
                                  const struct fleet_begin *begin,
                                  struct fleet_crawl *crawl, bool *begun,
                                  struct arena *arena,
                                  struct fleet_error *error)
{
    struct postgres *pg = pg_of(engine);
    uint64_t engine_ms;
    bool is_new;

    if (!pg_call(pg, error) || !pg_make_tables(pg) ||
        !begin_crawl(pg, begin, &is_new))
        return pg->result;
    pg_send(pg, NULL, pg_crawl_columns);
    pg_sync(pg);
    if (!pg_read_crawl(pg, crawl, &engine_ms, arena) || !pg_end(pg))
        return pg->result;
    *begun = str_eq(crawl->uuid, begin->crawl.uuid);
    return FLEET_COUNTED;
}

/* --- join ----------------------------------------------------------------- */

/* The machine of this directory; 0: there is none. */
static bool find_machine(struct postgres *pg, struct str directory,
                         uint32_t *node, uint64_t *incarnation)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_bytes(&args, directory);
    pg_begin_write(pg);
    pg_send(pg, &args,
            "SELECT node, incarnation FROM @node "
            "WHERE directory = $1::text AND node > 0");
    pg_sync(pg);
    pg_began(pg);
    PGresult *row = pg_next(pg);
    if (!row)
        return false;
    *node = PQntuples(row) ? (uint32_t)pg_number(row, 0, 0) : 0;
    *incarnation = PQntuples(row) ? pg_number(row, 0, 1) : 0;
    PQclear(row);
    return pg_end(pg);
}

static void send_join(struct postgres *pg, const struct fleet_join *join,
                      uint32_t node)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_bytes(&args, join->name);
    pg_put_bytes(&args, join->directory);
    pg_put_big(&args, join->incarnation);
    if (!node) {
        pg_send(pg, &args,
                "INSERT INTO @node (node, name, directory, incarnation, batch, "
                "state, lowest, sent, taken, pages, pages_granted, pages_lost, "
                "joins, renewed) SELECT max(node) + 1, $1::text, $2::text, "
                "$3::bigint, 0, 'alive', -1, 0, 0, 0, 0, false, 1, " PG_NOW
                " FROM @node HAVING max(node) < 65535");
        return;
    }
    pg_send(pg, &args,
            "UPDATE @node SET name = $1::text, incarnation = $3::bigint, "
            "batch = 0, state = 'alive', lowest = -1, joins = joins + 1, "
            "renewed = " PG_NOW " "
            "WHERE directory = $2::text AND node > 0");
    pg_args_init(&args);
    pg_put_int(&args, node);
    pg_send(pg, &args,
            "UPDATE @part SET epoch = epoch + 1 WHERE owner = $1::int");
}

static bool do_join(struct postgres *pg, const struct fleet_join *join)
{
    uint64_t incarnation;
    uint32_t node;

    if (!find_machine(pg, join->directory, &node, &incarnation))
        return false;
    bool has_joined = node && incarnation == join->incarnation;
    if (!has_joined)
        send_join(pg, join, node);
    pg_send(pg, NULL, "COMMIT");
    pg_sync(pg);
    pg->may_meet = true; /* with another that is new */
    int64_t first = pg_changed(pg), last = first;
    for (int left = has_joined ? 0 : node ? 2 : 1; left && last >= 0; left--)
        last = pg_changed(pg);
    if (last < 0)
        return false;
    pg->may_meet = false;
    if (!pg_end(pg))
        return false;
    return node || first ||
           pg_fail(pg, FLEET_REFUSED, "too many machines have joined it");
}

static bool read_joined(struct postgres *pg, struct fleet_joined *joined)
{
    PGresult *row = pg_next(pg);

    if (!row)
        return false;
    if (PQntuples(row) != 1) {
        PQclear(row);
        return pg_fail(pg, FLEET_AWAY, "the machine is not there any more");
    }
    *joined = (struct fleet_joined){
        .node = (uint32_t)pg_number(row, 0, 0),
        .epoch = (uint32_t)pg_number(row, 0, 1),
        .sent = pg_number(row, 0, 2),
        .taken = pg_number(row, 0, 3),
        .pages = pg_number(row, 0, 4),
        .pages_granted = pg_number(row, 0, 5),
    };
    PQclear(row);
    return pg_end(pg);
}

/* A list of those that the snapshot says are ours. */
static void list_owned(struct fleet_joined *joined, struct arena *arena)
{
    const struct fleet_snapshot *snapshot = &joined->snapshot;
    struct fleet_owned *owned =
        arena_new(arena, (snapshot->crawl.partitions + 1) * sizeof(*owned));

    for (uint32_t part = 0; part < snapshot->crawl.partitions; part++)
        if (snapshot->part[part].owner == joined->node)
            owned[joined->parts++] =
                (struct fleet_owned){part, snapshot->part[part].epoch};
    joined->part = owned;
}

static enum fleet_result pg_join(struct fleet_engine *engine,
                                 const struct fleet_join *join,
                                 struct fleet_joined *joined,
                                 struct arena *arena, struct fleet_error *error)
{
    struct postgres *pg = pg_of(engine);
    struct pg_args args;

    if (!pg_call(pg, error) || !do_join(pg, join))
        return pg->result;
    pg_args_init(&args);
    pg_put_bytes(&args, join->directory);
    pg_put_big(&args, join->incarnation);
    pg_send(pg, &args,
            "SELECT node, joins, sent, taken, pages, pages_granted FROM @node "
            "WHERE directory = $1::text AND incarnation = $2::bigint "
            "AND node > 0");
    pg_sync(pg);
    if (!read_joined(pg, joined))
        return pg->result;
    pg_ask_snapshot(pg, joined->node, NULL, false);
    pg_sync(pg);
    if (!pg_read_snapshot(pg, &joined->snapshot, NULL, false, arena) ||
        !pg_end(pg))
        return pg->result;
    joined->snapshot.mails = 0;
    list_owned(joined, arena);
    return FLEET_COUNTED;
}

/* --- look, bury ----------------------------------------------------------- */

static enum fleet_result pg_look(struct fleet_engine *engine, uint32_t node,
                                 struct fleet_snapshot *snapshot,
                                 struct arena *arena, struct fleet_error *error)
{
    struct postgres *pg = pg_of(engine);

    if (!pg_call(pg, error))
        return pg->result;
    pg_ask_snapshot(pg, node, NULL, true);
    pg_sync(pg);
    if (!pg_read_snapshot(pg, snapshot, NULL, true, arena) || !pg_end(pg))
        return pg->result;
    return FLEET_COUNTED;
}

static enum fleet_result pg_bury(struct fleet_engine *engine,
                                 const struct fleet_bury *bury,
                                 struct fleet_error *error)
{
    struct postgres *pg = pg_of(engine);
    struct pg_args args;

    if (!pg_call(pg, error))
        return pg->result;
    pg_begin_write(pg);
    pg_args_init(&args);
    pg_put_int(&args, bury->node);
    pg_put_big(&args, bury->incarnation);
    pg_put_big(&args, bury->batch);
    pg_send(pg, &args,
            "UPDATE @node SET state = 'dead' WHERE node = $1::int AND "
            "incarnation = $2::bigint AND batch = $3::bigint AND "
            "state = 'alive'");
    pg_sync(pg);
    pg_began(pg);
    int64_t buried = pg_changed(pg);
    if (buried < 0 || !pg_end(pg))
        return pg->result;
    if (buried) {
        static const char *const after[] = {
            "UPDATE @part SET owner = NULL, epoch = epoch + 1 "
            "WHERE owner = $1::int",
            "UPDATE @crawl SET pages_given = pages_given - greatest(0, (SELECT "
            "pages_granted - pages FROM @node WHERE node = $1::int)) "
            "WHERE id = 1",
            "UPDATE @node SET pages_granted = pages WHERE node = $1::int",
        };
        for (size_t i = 0; i < ARRAY_LEN(after); i++) {
            pg_args_init(&args);
            pg_put_int(&args, bury->node);
            pg_send(pg, &args, after[i]);
        }
    }
    pg_send(pg, NULL, "COMMIT");
    pg_sync(pg);
    for (int i = 0; i < (buried ? 4 : 1); i++)
        if (pg_changed(pg) < 0)
            return pg->result;
    pg_end(pg);
    return pg->result;
}

static void pg_close(struct fleet_engine *engine)
{
    struct postgres *pg = pg_of(engine);

    PQfinish(pg->conn);
    free(pg->url);
    free(pg);
}

static const struct fleet_engine_type postgres_type = {
    .begin = pg_begin,
    .join = pg_join,
    .commit = pg_commit,
    .look = pg_look,
    .load = pg_load,
    .find_page = pg_find_page,
    .bury = pg_bury,
    .command = pg_command,
    .close = pg_close,
};

/* --- making one ----------------------------------------------------------- */

bool engine_postgres_is_url(const char *text)
{
    return str_starts(str_of(text), STR("postgres://")) ||
           str_starts(str_of(text), STR("postgresql://"));
}

/* Is there an '@' behind that of the password, or a port that is no number?
 * Then a '/' or '@' in the password is not escaped, and libpq takes a part of
 * it for the host, the port or the database, which messages show. */
static bool is_ambiguous(const char *url, const char *port)
{
    struct str rest = str_skip(str_of(url), str_find(str_of(url), '/') + 2);
    struct str authority = str_cut(rest, '/').head;
    size_t at = str_find(authority, '@');
    struct str shown =
        str_cut(str_skip(rest, at < authority.len ? at + 1 : 0), '?').head;

    return str_find(shown, '@') < shown.len ||
           (port && port[strspn(port, "0123456789,")]);
}

/* libpq's own message may repeat the URL, with its password. */
const char *engine_postgres_label(const char *url, struct arena *arena)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);
    const char *user = NULL, *host = NULL, *port = NULL, *name = NULL;
    struct buf label;

    if (!options)
        return NULL;
    for (const PQconninfoOption *option = options; option->keyword; option++) {
        const char **to = !strcmp(option->keyword, "user")     ? &user
                          : !strcmp(option->keyword, "host")   ? &host
                          : !strcmp(option->keyword, "port")   ? &port
                          : !strcmp(option->keyword, "dbname") ? &name
                                                               : NULL;
        if (to)
            *to = option->val;
    }
    buf_init(&label, 4096);
    buf_printf(&label, "postgres://%s%s%s%s%s/%s", user ? user : "",
               user ? "@" : "", host ? host : "", port ? ":" : "",
               port ? port : "", name ? name : "");
    const char *text =
        is_ambiguous(url, port) ? NULL : arena_copy(arena, buf_str(&label)).ptr;
    buf_release(&label);
    PQconninfoFree(options);
    return text;
}

bool engine_postgres_is_name(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return len && !name[len] && len <= ENGINE_POSTGRES_NAME_MAX &&
           !str_starts(str_of(name), STR("pg_"));
}

struct fleet_engine *engine_postgres_new(const char *url, const char *name)
{
    PQconninfoOption *options = PQconninfoParse(url, NULL);

    if (!options || !engine_postgres_is_name(name)) {
        PQconninfoFree(options);
        return NULL;
    }
    PQconninfoFree(options);
    struct postgres *pg = NEW(struct postgres);
    pg->engine.type = &postgres_type;
    pg->url = mem_checked(strdup(url));
    snprintf(pg->schema, sizeof(pg->schema), "\"%s\".", name);
    return &pg->engine;
}

void engine_postgres_hurry(struct fleet_engine *engine,
                           bool (*may_wait)(void *user), void *user)
{
    struct postgres *pg = pg_of(engine);

    pg->may_wait = may_wait;
    pg->may_wait_user = user;
}
