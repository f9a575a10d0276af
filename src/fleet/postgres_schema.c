#include "fleet/postgres.h"

#include <stdio.h>

/* The tables of a crawl, in a schema of their own. Only what other servers that
 * speak PostgreSQL's protocol have too: plain types, no sequences, no triggers;
 * the keys of everything large begin with `part`. */

static const char *const tables[] = {
    "CREATE TABLE IF NOT EXISTS @crawl ("
    "id int PRIMARY KEY, uuid text NOT NULL, format int NOT NULL, "
    "partitions int NOT NULL, seed bigint NOT NULL, suffixes text NOT NULL, "
    "began bigint NOT NULL, state text NOT NULL, "
    "wanted text NOT NULL, level int NOT NULL, additions bigint NOT NULL, "
    "pages_max bigint, pages_given bigint NOT NULL)",

    "CREATE TABLE IF NOT EXISTS @node ("
    "node int PRIMARY KEY, name text NOT NULL, directory text NOT NULL, "
    "incarnation bigint NOT NULL, batch bigint NOT NULL, state text NOT NULL, "
    "lowest int NOT NULL, sent bigint NOT NULL, taken bigint NOT NULL, "
    "pages bigint NOT NULL, pages_granted bigint NOT NULL, "
    "pages_lost boolean NOT NULL, joins int NOT NULL, "
    "renewed bigint NOT NULL, figures bytea) "
    "WITH (fillfactor = 50)",

    "CREATE TABLE IF NOT EXISTS @part ("
    "part int PRIMARY KEY, owner int, epoch int NOT NULL) "
    "WITH (fillfactor = 50)",

    "CREATE TABLE IF NOT EXISTS @journal ("
    "part int, epoch int, batch bigint, piece int, node int NOT NULL, "
    "payload bytea NOT NULL, PRIMARY KEY (part, epoch, batch, piece))",

    "CREATE TABLE IF NOT EXISTS @mail ("
    "part int, sender int, seq bigint, payload bytea NOT NULL, "
    "PRIMARY KEY (part, sender, seq))",

    "CREATE TABLE IF NOT EXISTS @address ("
    "ip bytea PRIMARY KEY, node int NOT NULL, incarnation bigint NOT NULL, "
    "wanted boolean NOT NULL, rests boolean NOT NULL)",

    "CREATE TABLE IF NOT EXISTS @addition (token bigint PRIMARY KEY)",

    /* The ledger. It has no key: the fence lets each row in once, nobody but
     * people reads it, and an index would cost more than all the rest. */
    "CREATE TABLE IF NOT EXISTS @fetched ("
    "part int NOT NULL, number bigint NOT NULL, at bigint NOT NULL, "
    "node int NOT NULL, "
    "page bigint NOT NULL, ms bigint NOT NULL, status int NOT NULL, "
    "outcome text NOT NULL, mime text, size bigint NOT NULL, "
    "digest bigint NOT NULL, depth bigint NOT NULL, url text NOT NULL, "
    "target text)",

    /* A report asks for the URL of a page. */
    "CREATE INDEX IF NOT EXISTS fetched_page ON @fetched (node, page) "
    "WHERE page > 0",

    /* A holder asks again and again which of its addresses are wanted. */
    "CREATE INDEX IF NOT EXISTS address_wanted ON @address (node) "
    "WHERE wanted",

    /* Payloads are compressed already. */
    "ALTER TABLE @journal ALTER payload SET STORAGE EXTERNAL",
    "ALTER TABLE @mail ALTER payload SET STORAGE EXTERNAL",
    /* Only mail is deleted, and all of it is: vacuum often. */
    "ALTER TABLE @mail SET (autovacuum_vacuum_scale_factor = 0, "
    "autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0)",

    "CREATE OR REPLACE VIEW @pages AS SELECT node, page, url, depth, status, "
    "mime, size, at FROM @fetched WHERE page > 0",
    /* Those that end a URL as failed; crawler/record_codes.c says which. A
     * requisite and a sitemap are fetched, and are no page. */
    "CREATE OR REPLACE VIEW @errors AS SELECT node, url, status, outcome, at "
    "FROM @fetched WHERE page = 0 AND outcome NOT IN "
    "('fetched', 'redirected', 'canonical', 'abandoned', 'not-html', "
    "'too-large', 'noindex', 'noarchive')",
};

/* The first table tells whether they are there: a machine that joins need not
 * be allowed to make any. */
static bool has_tables(struct postgres *pg, bool *has)
{
    struct pg_args args;
    struct str schema = {pg->schema + 1, strlen(pg->schema) - 3};

    pg_args_init(&args);
    pg_put_bytes(&args, schema);
    pg_send(pg, &args,
            "SELECT 1 FROM information_schema.tables "
            "WHERE table_schema = $1::text AND table_name = 'crawl'");
    pg_sync(pg);
    PGresult *result = pg_next(pg);
    if (!result)
        return false;
    *has = PQntuples(result) > 0;
    PQclear(result);
    return pg_end(pg);
}

bool pg_make_tables(struct postgres *pg)
{
    char schema[PG_SCHEMA_MAX + 64];
    const char *all[ARRAY_LEN(tables) + 1];
    bool has;

    if (!has_tables(pg, &has))
        return false;
    if (has)
        return true;
    snprintf(schema, sizeof(schema), "CREATE SCHEMA IF NOT EXISTS %.*s",
             (int)strlen(pg->schema) - 1, pg->schema);
    all[0] = schema;
    for (size_t i = 0; i < ARRAY_LEN(tables); i++)
        all[i + 1] = tables[i];
    pg->may_meet = true;
    bool good = pg_run_all(pg, all, ARRAY_LEN(all));
    pg->may_meet = false;
    return good;
}

const char *pg_node_state(enum fleet_node_state state)
{
    static const char *const names[] = {
        [FLEET_ALIVE] = "alive",
        [FLEET_LEFT] = "left",
        [FLEET_DEAD] = "dead",
    };

    return names[state];
}

const char *pg_wish(enum fleet_wish wish)
{
    static const char *const names[] = {
        [FLEET_RUN] = "run",
        [FLEET_PAUSE] = "pause",
        [FLEET_STOP] = "stop",
    };

    return names[wish];
}
