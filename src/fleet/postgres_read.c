#include "fleet/postgres.h"

#include <string.h>

/* Reads what the engine holds. */

/* Segments of a journal in one answer: as many as LOAD_BYTES hold, if the next
 * ones are like the last. A segment has 512 KB at most, and mostly far less. */
enum { LOAD_FIRST = 64, LOAD_MOST = 512, LOAD_BYTES = 4 << 20 };

const char pg_crawl_columns[] =
    "SELECT uuid, format, partitions, seed, suffixes, began, "
    "state = 'finished', wanted = 'pause', wanted = 'stop', level, additions, "
    "coalesce(pages_max, -1), pages_given, " PG_NOW " FROM @crawl WHERE id = 1";

const char pg_node_columns[] =
    "SELECT node, incarnation, batch, state = 'left', state = 'dead', lowest, "
    "sent, taken, pages, pages_granted, pages_lost, name, directory, figures, "
    "renewed, joins "
    "FROM @node ORDER BY node";

const char pg_part_columns[] = "SELECT part, owner, epoch FROM @part";

bool pg_read_crawl(struct postgres *pg, struct fleet_crawl *crawl,
                   uint64_t *engine_ms, struct arena *arena)
{
    PGresult *row = pg_next(pg);

    if (!row)
        return false;
    if (PQntuples(row) != 1) {
        PQclear(row);
        return pg_fail(pg, FLEET_REFUSED, "there is no such crawl");
    }
    *engine_ms = pg_number(row, 0, 13);
    *crawl = (struct fleet_crawl){
        .uuid = pg_bytes(row, 0, 0, arena),
        .format = (uint32_t)pg_number(row, 0, 1),
        .partitions = (uint32_t)pg_number(row, 0, 2),
        .seed = pg_number(row, 0, 3),
        .suffixes = pg_bytes(row, 0, 4, arena),
        .began_ms = pg_number(row, 0, 5),
        .state = pg_number(row, 0, 6) ? FLEET_FINISHED : FLEET_RUNNING,
        .wish = pg_number(row, 0, 7)   ? FLEET_PAUSE
                : pg_number(row, 0, 8) ? FLEET_STOP
                                       : FLEET_RUN,
        .level = (uint32_t)pg_number(row, 0, 9),
        .additions = pg_number(row, 0, 10),
        .pages_max = pg_number(row, 0, 11), /* -1 is UINT64_MAX */
        .pages_given = pg_number(row, 0, 12),
    };
    PQclear(row);
    return (crawl->partitions && crawl->partitions <= FLEET_PARTITIONS_MAX) ||
           pg_fail(pg, FLEET_REFUSED, "partitions that cannot be");
}

static struct fleet_node read_node(const PGresult *rows, int i,
                                   struct arena *arena)
{
    return (struct fleet_node){
        .node = (uint32_t)pg_number(rows, i, 0),
        .incarnation = pg_number(rows, i, 1),
        .batch = pg_number(rows, i, 2),
        .state = pg_number(rows, i, 3)   ? FLEET_LEFT
                 : pg_number(rows, i, 4) ? FLEET_DEAD
                                         : FLEET_ALIVE,
        .lowest = (int32_t)pg_number(rows, i, 5),
        .sent = pg_number(rows, i, 6),
        .taken = pg_number(rows, i, 7),
        .pages = pg_number(rows, i, 8),
        .pages_granted = pg_number(rows, i, 9),
        .pages_lost = pg_number(rows, i, 10),
        .name = pg_bytes(rows, i, 11, arena),
        .directory = pg_bytes(rows, i, 12, arena),
        .figures = pg_bytes(rows, i, 13, arena),
        .renewed_ms = pg_number(rows, i, 14),
        .joins = (uint32_t)pg_number(rows, i, 15),
    };
}

static bool read_nodes(struct postgres *pg, struct fleet_snapshot *snapshot,
                       struct arena *arena)
{
    PGresult *rows = pg_next(pg);
    int count = PQntuples(rows);

    if (!rows)
        return false;
    struct fleet_node *node = arena_new(arena, (size_t)count * sizeof(*node));
    for (int i = 0; i < count; i++)
        node[i] = read_node(rows, i, arena);
    snapshot->node = node;
    snapshot->nodes = (size_t)count;
    PQclear(rows);
    return true;
}

static bool read_parts(struct postgres *pg, struct fleet_snapshot *snapshot,
                       struct arena *arena)
{
    PGresult *rows = pg_next(pg);
    int count = PQntuples(rows);

    if (!rows)
        return false;
    struct fleet_part *part =
        arena_new(arena, snapshot->crawl.partitions * sizeof(*part));
    for (int i = 0; i < count; i++) {
        uint64_t number = pg_number(rows, i, 0);
        if (number < snapshot->crawl.partitions)
            part[number] = (struct fleet_part){
                .owner = (uint32_t)pg_number(rows, i, 1),
                .epoch = (uint32_t)pg_number(rows, i, 2),
            };
    }
    snapshot->part = part;
    PQclear(rows);
    return true;
}

static bool read_mail(struct postgres *pg, struct fleet_snapshot *snapshot,
                      struct arena *arena)
{
    PGresult *rows = pg_next(pg);
    int count = PQntuples(rows);

    if (!rows)
        return false;
    struct fleet_mail *mail = arena_new(arena, (size_t)count * sizeof(*mail));
    for (int i = 0; i < count; i++)
        mail[i] = (struct fleet_mail){
            .key = {(uint32_t)pg_number(rows, i, 0),
                    (uint32_t)pg_number(rows, i, 1), pg_number(rows, i, 2)},
            .payload = pg_bytes(rows, i, 3, arena),
        };
    snapshot->mail = mail;
    snapshot->mails = (size_t)count;
    PQclear(rows);
    return true;
}

/* One or two answers: see ask_for_addresses. */
static bool read_addresses(struct postgres *pg, size_t answers,
                           struct fleet_snapshot *snapshot, struct arena *arena)
{
    PGresult *rows[2] = {0};
    size_t count = 0;
    bool good = true;

    for (size_t n = 0; n < answers && good; n++) {
        rows[n] = pg_next(pg);
        good = rows[n];
        count += (size_t)PQntuples(rows[n]);
    }
    struct fleet_address *address = arena_new(arena, count * sizeof(*address));
    snapshot->address = address;
    snapshot->addresses = count;
    for (size_t n = 0; n < answers; n++) {
        for (int i = 0; i < PQntuples(rows[n]); i++)
            *address++ = (struct fleet_address){
                .ip = pg_bytes(rows[n], i, 0, arena),
                .wanted = pg_number(rows[n], i, 1),
                .rests = pg_number(rows[n], i, 2),
            };
        PQclear(rows[n]);
    }
    return good;
}

static bool read_number(struct postgres *pg, uint64_t *number)
{
    PGresult *row = pg_next(pg);

    if (!row)
        return false;
    *number = PQntuples(row) ? pg_number(row, 0, 0) : 0;
    PQclear(row);
    return true;
}

static void ask_for(struct postgres *pg, uint32_t node, const char *sql)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_int(&args, node);
    pg_send(pg, &args, sql);
}

/* Only whoever commits holds addresses: a machine that joins has none yet. What
 * it wanted is asked for by itself, and only if there is any, so that both
 * questions have a plain answer from one index. */
static size_t address_answers(const struct fleet_commit *commit)
{
    return !commit ? 0 : commit->wants ? 2 : 1;
}

static void ask_for_addresses(struct postgres *pg,
                              const struct fleet_commit *commit)
{
    static const char *const questions[] = {
        "SELECT ip, wanted, rests FROM @address WHERE node = $1::int AND "
        "incarnation = $2::bigint AND wanted",
        "SELECT ip, wanted, rests FROM @address WHERE node = $1::int AND "
        "incarnation = $2::bigint AND NOT wanted AND ip = ANY($3::bytea[])",
    };

    for (size_t i = 0; i < address_answers(commit); i++) {
        struct pg_args args;
        pg_args_init(&args);
        pg_put_int(&args, commit->node);
        pg_put_big(&args, commit->incarnation);
        if (i > 0)
            pg_put_texts(&args, PG_BYTEA, commit->want, commit->wants);
        pg_send(pg, &args, questions[i]);
    }
}

void pg_ask_snapshot(struct postgres *pg, uint32_t node,
                     const struct fleet_commit *commit, bool for_reports)
{
    pg_send(pg, NULL, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    pg_send(pg, NULL, pg_crawl_columns);
    pg_send(pg, NULL, pg_node_columns);
    pg_send(pg, NULL, pg_part_columns);
    ask_for(pg, node,
            "SELECT m.part, m.sender, m.seq, m.payload FROM @mail m "
            "JOIN @part p ON p.part = m.part AND p.owner = $1::int "
            "ORDER BY m.part, m.sender, m.seq LIMIT 200");
    ask_for_addresses(pg, commit);
    if (for_reports)
        pg_send(pg, NULL, "SELECT count(*) FROM @mail");
    pg_send(pg, NULL, "COMMIT");
}

bool pg_read_snapshot(struct postgres *pg, struct fleet_snapshot *snapshot,
                      const struct fleet_commit *commit, bool for_reports,
                      struct arena *arena)
{
    uint64_t waiting = 0;

    *snapshot = (struct fleet_snapshot){0};
    bool good =
        pg_changed(pg) >= 0 &&
        pg_read_crawl(pg, &snapshot->crawl, &snapshot->engine_ms, arena) &&
        read_nodes(pg, snapshot, arena) && read_parts(pg, snapshot, arena) &&
        read_mail(pg, snapshot, arena) &&
        read_addresses(pg, address_answers(commit), snapshot, arena) &&
        (!for_reports || read_number(pg, &waiting)) && pg_changed(pg) >= 0;
    snapshot->mails_waiting = (size_t)waiting;
    return good;
}

/* --- a journal ------------------------------------------------------------ */

/* After a segment, in the order of the key. */
struct place {
    int64_t epoch, batch, piece;
};

static PGresult *read_some(struct postgres *pg, uint32_t part,
                           const struct place *after, int most)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_int(&args, part);
    pg_put_int(&args, after->epoch);
    pg_put_big(&args, (uint64_t)after->batch);
    pg_put_int(&args, after->piece);
    pg_put_int(&args, most);
    pg_send(pg, &args,
            "SELECT epoch, batch, piece, node, payload FROM @journal "
            "WHERE part = $1::int AND (epoch, batch, piece) > "
            "($2::int, $3::bigint, $4::int) "
            "ORDER BY epoch, batch, piece LIMIT $5::int");
    pg_sync(pg);
    PGresult *rows = pg_next(pg);
    if (rows && !pg_end(pg)) {
        PQclear(rows);
        rows = NULL;
    }
    return rows;
}

static bool give(struct postgres *pg, const PGresult *rows, int i,
                 uint32_t part, struct place *at, fleet_segment_fn *take,
                 void *user)
{
    *at = (struct place){
        .epoch = (int64_t)pg_number(rows, i, 0),
        .batch = (int64_t)pg_number(rows, i, 1),
        .piece = (int64_t)pg_number(rows, i, 2),
    };
    const struct fleet_segment segment = {
        .part = part,
        .epoch = (uint32_t)at->epoch,
        .piece = (uint32_t)at->piece,
        .payload = {PQgetvalue(rows, i, 4), (size_t)PQgetlength(rows, i, 4)},
    };
    return take(user, &segment, (uint32_t)pg_number(rows, i, 3),
                (uint64_t)at->batch) ||
           pg_fail(pg, FLEET_REFUSED, "a segment of partition %u is damaged",
                   (unsigned)part);
}

/* How many to ask for next. */
static int next_most(const PGresult *rows)
{
    int count = PQntuples(rows);
    int64_t bytes = 1;

    for (int i = 0; i < count; i++)
        bytes += PQgetlength(rows, i, 4);
    int64_t most = (int64_t)LOAD_BYTES * count / bytes;
    return most < LOAD_FIRST  ? LOAD_FIRST
           : most > LOAD_MOST ? LOAD_MOST
                              : (int)most;
}

enum fleet_result pg_load(struct fleet_engine *engine, uint32_t part,
                          fleet_segment_fn *take, void *user,
                          struct fleet_error *error)
{
    struct postgres *pg = (struct postgres *)engine;
    struct place at = {-1, -1, -1};
    int count, most, next = LOAD_FIRST;

    if (!pg_call(pg, error))
        return pg->result;
    do {
        most = next;
        PGresult *rows = read_some(pg, part, &at, most);
        if (!rows)
            return pg->result;
        count = PQntuples(rows);
        bool good = true;
        for (int i = 0; i < count && good; i++)
            good = give(pg, rows, i, part, &at, take, user);
        next = next_most(rows);
        PQclear(rows);
        if (!good)
            return pg->result;
    } while (count == most);
    return FLEET_COUNTED;
}

/* --- the ledger ----------------------------------------------------------- */

enum fleet_result pg_find_page(struct fleet_engine *engine, uint32_t node,
                               uint64_t page, struct str *url,
                               struct arena *arena, struct fleet_error *error)
{
    struct postgres *pg = (struct postgres *)engine;
    struct pg_args args;

    *url = (struct str){0};
    if (!pg_call(pg, error))
        return pg->result;
    pg_args_init(&args);
    pg_put_int(&args, node);
    pg_put_big(&args, page);
    pg_send(pg, &args,
            "SELECT url FROM @fetched WHERE node = $1::int AND page = "
            "$2::bigint AND page > 0 LIMIT 1");
    pg_sync(pg);
    PGresult *row = pg_next(pg);
    if (!row)
        return pg->result;
    if (PQntuples(row))
        *url = pg_bytes(row, 0, 0, arena);
    PQclear(row);
    return pg_end(pg) ? FLEET_COUNTED : pg->result;
}
