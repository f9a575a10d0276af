#include "fleet/postgres.h"

/* A commit.
 *
 * Rows go as one array for each column. "SELECT unnest(a), unnest(b)" takes one
 * item of each at a time; "FROM unnest(a, b)" would write every column into a
 * table of its own first, which costs more than the row itself. */

static const char segment_sql[] =
    "INSERT INTO @journal (part, epoch, batch, piece, node, payload) "
    "SELECT unnest($3::int[]), unnest($4::int[]), $1::bigint, "
    "unnest($5::int[]), $2::int, unnest($6::bytea[])";

static const char mail_sql[] = "INSERT INTO @mail (part, sender, seq, payload) "
                               "SELECT unnest($1::int[]), unnest($2::int[]), "
                               "unnest($3::bigint[]), unnest($4::bytea[])";

/* The fence: it counts only if it follows the last commit of this incarnation,
 * which nobody has declared dead. */
static const char fence_sql[] =
    "UPDATE @node SET batch = $3::bigint, state = $4::text, "
    "lowest = $5::int, sent = $6::bigint, taken = $7::bigint, "
    "pages = $8::bigint, figures = $9::bytea, renewed = " PG_NOW
    " WHERE node = $1::int AND "
    "incarnation = $2::bigint AND batch = $3::bigint - 1 AND "
    "state = 'alive'";

/* A crawl that an earlier version began has a key here that rows may meet. */
static const char ledger_sql[] =
    "INSERT INTO @fetched (node, part, number, at, page, ms, status, "
    "outcome, mime, size, digest, depth, url, target) "
    "SELECT $1::int, unnest($2::int[]), unnest($3::bigint[]), "
    "unnest($4::bigint[]), unnest($5::bigint[]), "
    "unnest($6::bigint[]), unnest($7::int[]), unnest($8::text[]), "
    "unnest($9::text[]), unnest($10::bigint[]), "
    "unnest($11::bigint[]), unnest($12::bigint[]), "
    "unnest($13::text[]), unnest($14::text[]) ON CONFLICT DO NOTHING";

/* Every commit has these. Mail is read and deleted by plans that depend on how
 * much of it there is. */
static const char *const often[] = {
    segment_sql,      mail_sql,        fence_sql,       ledger_sql,
    pg_crawl_columns, pg_node_columns, pg_part_columns,
};

void pg_insert_segments(struct postgres *pg, uint32_t node, uint64_t batch,
                        const struct fleet_segment *segment, size_t count)
{
    struct pg_args args;

    if (!count)
        return;
    pg_args_init(&args);
    pg_put_big(&args, batch);
    pg_put_int(&args, node);
    pg_array(&args, PG_INT, count);
    for (size_t i = 0; i < count; i++)
        pg_item_number(&args, PG_INT, segment[i].part);
    pg_array_end(&args);
    pg_array(&args, PG_INT, count);
    for (size_t i = 0; i < count; i++)
        pg_item_number(&args, PG_INT, segment[i].epoch);
    pg_array_end(&args);
    pg_array(&args, PG_INT, count);
    for (size_t i = 0; i < count; i++)
        pg_item_number(&args, PG_INT, segment[i].piece);
    pg_array_end(&args);
    pg_array(&args, PG_BYTEA, count);
    for (size_t i = 0; i < count; i++)
        pg_item_bytes(&args, segment[i].payload);
    pg_array_end(&args);
    pg_send(pg, &args, segment_sql);
}

void pg_insert_mail(struct postgres *pg, const struct fleet_mail *mail,
                    size_t count)
{
    struct pg_args args;

    if (!count)
        return;
    pg_args_init(&args);
    pg_array(&args, PG_INT, count);
    for (size_t i = 0; i < count; i++)
        pg_item_number(&args, PG_INT, mail[i].key.part);
    pg_array_end(&args);
    pg_array(&args, PG_INT, count);
    for (size_t i = 0; i < count; i++)
        pg_item_number(&args, PG_INT, mail[i].key.sender);
    pg_array_end(&args);
    pg_array(&args, PG_BIG, count);
    for (size_t i = 0; i < count; i++)
        pg_item_number(&args, PG_BIG, mail[i].key.seq);
    pg_array_end(&args);
    pg_array(&args, PG_BYTEA, count);
    for (size_t i = 0; i < count; i++)
        pg_item_bytes(&args, mail[i].payload);
    pg_array_end(&args);
    pg_send(pg, &args, mail_sql);
}

/* --- a commit ------------------------------------------------------------- */

static void send_fence(struct postgres *pg, const struct fleet_commit *commit)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_int(&args, commit->node);
    pg_put_big(&args, commit->incarnation);
    pg_put_big(&args, commit->batch);
    pg_put_bytes(&args, str_of(pg_node_state(commit->state)));
    pg_put_int(&args, commit->lowest);
    pg_put_big(&args, commit->sent);
    pg_put_big(&args, commit->taken);
    pg_put_big(&args, commit->pages);
    pg_put_bytes(&args, commit->figures);
    pg_send(pg, &args, fence_sql);
}

static void delete_mail(struct postgres *pg, const struct fleet_commit *commit)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_array(&args, PG_INT, commit->tooks);
    for (size_t i = 0; i < commit->tooks; i++)
        pg_item_number(&args, PG_INT, commit->took[i].part);
    pg_array_end(&args);
    pg_array(&args, PG_INT, commit->tooks);
    for (size_t i = 0; i < commit->tooks; i++)
        pg_item_number(&args, PG_INT, commit->took[i].sender);
    pg_array_end(&args);
    pg_array(&args, PG_BIG, commit->tooks);
    for (size_t i = 0; i < commit->tooks; i++)
        pg_item_number(&args, PG_BIG, commit->took[i].seq);
    pg_array_end(&args);
    pg_send(pg, &args,
            "DELETE FROM @mail WHERE (part, sender, seq) IN (SELECT t.part, "
            "t.sender, t.seq FROM unnest($1::int[], $2::int[], $3::bigint[]) "
            "AS t (part, sender, seq))");
}

/* A column of the ledger, of all its rows. */
#define NUMBERS(args, type, field)                                             \
    do {                                                                       \
        pg_array(args, type, count);                                           \
        for (size_t i = 0; i < count; i++)                                     \
            pg_item_number(args, type, (uint64_t)row[i].field);                \
        pg_array_end(args);                                                    \
    } while (0)
#define TEXTS(args, field)                                                     \
    do {                                                                       \
        pg_array(args, PG_TEXT, count);                                        \
        for (size_t i = 0; i < count; i++)                                     \
            pg_item_bytes(args, row[i].field);                                 \
        pg_array_end(args);                                                    \
    } while (0)

static void insert_ledger(struct postgres *pg,
                          const struct fleet_commit *commit)
{
    const struct fleet_fetched *row = commit->fetched;
    size_t count = commit->fetches;
    struct pg_args args;

    pg_args_init(&args);
    pg_put_int(&args, commit->node);
    NUMBERS(&args, PG_INT, part);
    NUMBERS(&args, PG_BIG, number);
    NUMBERS(&args, PG_BIG, at_ms);
    NUMBERS(&args, PG_BIG, page);
    NUMBERS(&args, PG_BIG, ms);
    NUMBERS(&args, PG_INT, status);
    TEXTS(&args, outcome);
    TEXTS(&args, mime);
    NUMBERS(&args, PG_BIG, size);
    NUMBERS(&args, PG_BIG, digest);
    NUMBERS(&args, PG_BIG, depth);
    TEXTS(&args, url);
    TEXTS(&args, target);
    pg_send(pg, &args, ledger_sql);
}

static void put_parts(struct pg_args *args, const uint32_t *part, size_t count)
{
    pg_array(args, PG_INT, count);
    for (size_t i = 0; i < count; i++)
        pg_item_number(args, PG_INT, part[i]);
    pg_array_end(args);
}

static void send_parts(struct postgres *pg, uint32_t node, const uint32_t *part,
                       size_t count, const char *sql)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_int(&args, node);
    put_parts(&args, part, count);
    pg_send(pg, &args, sql);
}

/* Reserve `pages_wanted` more pages for this machine, or as many as the crawl
 * has left; a negative number gives pages back. The first statement locks the
 * row. */
static void send_pages_wanted(struct postgres *pg,
                              const struct fleet_commit *commit)
{
    static const char *const steps[] = {
        "UPDATE @crawl SET id = id WHERE id = 1 AND $1::int > 0 "
        "AND $2::bigint <> 0",
        "UPDATE @node SET pages_granted = pages_granted + least($2::bigint, "
        "(SELECT coalesce(pages_max - pages_given, $2::bigint) FROM @crawl "
        "WHERE id = 1)) WHERE node = $1::int",
        "UPDATE @crawl SET pages_given = pages_given + least($2::bigint, "
        "coalesce(pages_max - pages_given, $2::bigint)) WHERE id = 1 "
        "AND $1::int > 0",
    };

    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct pg_args args;
        pg_args_init(&args);
        pg_put_int(&args, commit->node);
        pg_put_big(&args, (uint64_t)commit->pages_wanted);
        pg_send(pg, &args, steps[i]);
    }
}

static void send_addresses(struct postgres *pg,
                           const struct fleet_commit *commit,
                           const struct str *ip, size_t count, const char *sql)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_int(&args, commit->node);
    pg_put_big(&args, commit->incarnation);
    pg_put_texts(&args, PG_BYTEA, ip, count);
    pg_send(pg, &args, sql);
}

/* An address that nobody has becomes ours; so does one whose holder is not
 * alive in that incarnation, but that one rests first; the holder of any other
 * is told. Wants come before releases, and both are sorted: so commits that
 * meet wait for each other in one order only. */
static const char *const want_steps[] = {
    ("INSERT INTO @address (ip, node, incarnation, wanted, rests) "
     "SELECT w.ip, $1::int, $2::bigint, false, false "
     "FROM unnest($3::bytea[]) AS w (ip) ON CONFLICT DO NOTHING"),
    ("UPDATE @address AS a SET node = $1::int, incarnation = $2::bigint, "
     "wanted = false, rests = true WHERE a.ip = ANY($3::bytea[]) AND NOT "
     "EXISTS (SELECT 1 FROM @node AS n WHERE n.node = a.node AND "
     "n.incarnation = a.incarnation AND n.state = 'alive')"),
    ("UPDATE @address SET wanted = true WHERE ip = ANY($3::bytea[]) AND NOT "
     "(node = $1::int AND incarnation = $2::bigint) AND NOT wanted"),
};

/* A claim is answered with the partitions that became ours. */
static const char claim_sql[] =
    "UPDATE @part SET owner = $1::int, epoch = epoch + 1 "
    "WHERE part = ANY($2::int[]) AND owner IS NULL RETURNING part, epoch";
static const char claimed_sql[] =
    "SELECT part, epoch FROM @part "
    "WHERE owner = $1::int AND part = ANY($2::int[])";

/* All statements of a commit but the last. How many there are after the fence
 * and before the claims is returned. */
static int send_rows(struct postgres *pg, const struct fleet_commit *commit)
{
    int sent = 0;

    if (commit->segments)
        sent++, pg_insert_segments(pg, commit->node, commit->batch,
                                   commit->segment, commit->segments);
    if (commit->mails)
        sent++, pg_insert_mail(pg, commit->mail, commit->mails);
    if (commit->fetches)
        sent++, insert_ledger(pg, commit);
    if (commit->pages_wanted)
        sent += 3, send_pages_wanted(pg, commit);
    for (size_t i = 0; i < ARRAY_LEN(want_steps) && commit->wants; i++)
        sent++, send_addresses(pg, commit, commit->want, commit->wants,
                               want_steps[i]);
    if (commit->releases)
        sent++, send_addresses(pg, commit, commit->release, commit->releases,
                               "DELETE FROM @address WHERE "
                               "ip = ANY($3::bytea[]) AND node = $1::int AND "
                               "incarnation = $2::bigint");
    return sent;
}

static bool read_claimed(struct postgres *pg, const struct fleet_commit *commit,
                         struct fleet_answer *answer, struct arena *arena)
{
    PGresult *rows = commit->claims ? pg_next(pg) : NULL;
    int count = PQntuples(rows);

    answer->claims = 0;
    if (!commit->claims)
        return true;
    if (!rows)
        return false;
    struct fleet_owned *owned =
        arena_new(arena, ((size_t)count + 1) * sizeof(*owned));
    for (int i = 0; i < count; i++)
        owned[i] = (struct fleet_owned){(uint32_t)pg_number(rows, i, 0),
                                        (uint32_t)pg_number(rows, i, 1)};
    answer->claimed = owned;
    answer->claims = (size_t)count;
    PQclear(rows);
    return true;
}

/* It did not follow the last commit. Perhaps because it is the last one: an
 * earlier call counted and its answer was lost. */
static bool look_behind(struct postgres *pg, const struct fleet_commit *commit,
                        struct fleet_answer *answer, struct arena *arena)
{
    struct pg_args args;
    bool counted = false;

    pg_send(pg, NULL, "ROLLBACK");
    pg_args_init(&args);
    pg_put_int(&args, commit->node);
    pg_put_big(&args, commit->incarnation);
    pg_put_big(&args, commit->batch);
    pg_put_bytes(&args, str_of(pg_node_state(commit->state)));
    pg_send(pg, &args,
            "SELECT 1 FROM @node WHERE node = $1::int AND "
            "incarnation = $2::bigint AND batch = $3::bigint AND "
            "state = $4::text");
    if (commit->claims)
        send_parts(pg, commit->node, commit->claim, commit->claims,
                   claimed_sql);
    pg_sync(pg);
    pg_changed(pg);
    PGresult *row = pg_next(pg);
    counted = PQntuples(row) == 1;
    PQclear(row);
    if (!read_claimed(pg, commit, answer, arena) || !pg_end(pg))
        return false;
    answer->had_counted = counted;
    return counted || pg_fail(pg, FLEET_FENCED,
                              "another machine has taken over, or the engine "
                              "lost its last commits");
}

/* Everything but COMMIT. False if it cannot be committed; `had_counted` if it
 * was before. */
static bool write_rows(struct postgres *pg, const struct fleet_commit *commit,
                       struct fleet_answer *answer, struct arena *arena)
{
    bool is_whole = true;

    pg_begin_write(pg);
    send_fence(pg, commit);
    int rows = send_rows(pg, commit);
    if (commit->tooks)
        delete_mail(pg, commit);
    if (commit->give_ups)
        send_parts(pg, commit->node, commit->give_up, commit->give_ups,
                   "UPDATE @part SET owner = NULL, epoch = epoch + 1 "
                   "WHERE owner = $1::int AND part = ANY($2::int[])");
    if (commit->claims)
        send_parts(pg, commit->node, commit->claim, commit->claims, claim_sql);
    pg_sync(pg);
    pg_began(pg);
    int64_t fence = pg_changed(pg);
    for (int i = 0; i < rows && fence >= 0; i++) {
        if (pg_changed(pg) >= 0)
            continue;
        /* Its rows may be there already, if it had counted. */
        return !fence && pg_call(pg, pg->error) &&
               look_behind(pg, commit, answer, arena);
    }
    if (commit->tooks)
        is_whole = pg_changed(pg) == (int64_t)commit->tooks;
    if (commit->give_ups)
        is_whole &= pg_changed(pg) == (int64_t)commit->give_ups;
    if (!read_claimed(pg, commit, answer, arena) || !pg_end(pg) || fence < 0)
        return false;
    if (!fence)
        return look_behind(pg, commit, answer, arena);
    return is_whole ||
           pg_fail(pg, FLEET_FENCED, "the engine lost its last commits");
}

enum fleet_result pg_commit(struct fleet_engine *engine,
                            const struct fleet_commit *commit,
                            struct fleet_answer *answer, struct arena *arena,
                            struct fleet_error *error)
{
    struct postgres *pg = (struct postgres *)engine;

    *answer = (struct fleet_answer){0};
    if (!pg_call(pg, error) || !pg_prepare(pg, often, ARRAY_LEN(often)) ||
        !write_rows(pg, commit, answer, arena))
        return pg->result;
    if (!answer->had_counted)
        pg_send(pg, NULL, "COMMIT");
    pg_ask_snapshot(pg, commit->node, commit, false);
    pg_sync(pg);
    if (!answer->had_counted)
        pg_changed(pg);
    if (!pg_read_snapshot(pg, &answer->snapshot, commit, false, arena) ||
        !pg_end(pg))
        return pg->result;
    return FLEET_COUNTED;
}
