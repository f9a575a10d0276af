#include "fleet/postgres.h"

#include "base/mem.h"

#include <stdlib.h>

/* The commands of users, and the two decisions about the whole crawl. */

/* Send, wait, and tell how many rows changed; -1 after a failure. */
static int64_t do_one(struct postgres *pg, struct pg_args *args,
                      const char *sql)
{
    pg_send(pg, args, sql);
    pg_sync(pg);
    int64_t changed = pg_changed(pg);
    return changed >= 0 && pg_end(pg) ? changed : -1;
}

static void finish(struct postgres *pg, const struct fleet_command *command)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_big(&args, command->additions);
    do_one(pg, &args,
           "UPDATE @crawl SET state = 'finished' WHERE id = 1 AND "
           "state = 'running' AND additions = $1::bigint");
}

static void raise_level(struct postgres *pg,
                        const struct fleet_command *command)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_int(&args, command->level);
    do_one(pg, &args,
           "UPDATE @crawl SET level = $1::int WHERE id = 1 AND "
           "level < $1::int");
}

static void wish(struct postgres *pg, const struct fleet_command *command)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_bytes(&args, str_of(pg_wish(command->wish)));
    if (!do_one(pg, &args, "UPDATE @crawl SET wanted = $1::text WHERE id = 1"))
        pg_fail(pg, FLEET_REFUSED, "there is no such crawl");
}

/* The mails, under the numbers that follow those of the seeds so far. */
static void send_seeds(struct postgres *pg, const struct fleet_command *command,
                       uint64_t before)
{
    struct fleet_mail *mail =
        mem_array(command->seeds + 1, sizeof(*command->seed));

    for (size_t i = 0; i < command->seeds; i++) {
        mail[i] = command->seed[i];
        mail[i].key.sender = FLEET_SEEDS;
        mail[i].key.seq = before + 1 + i;
    }
    pg_insert_mail(pg, mail, command->seeds);
    free(mail);
}

/* Count the addition; the first update locks the row of the crawl. `*is_new`:
 * the token was not known, so the seeds must be added. */
static bool note_addition(struct postgres *pg,
                          const struct fleet_command *command, bool *is_new,
                          uint64_t *before)
{
    struct pg_args token, seeds;

    pg_args_init(&token);
    pg_put_big(&token, command->token);
    pg_args_init(&seeds);
    pg_put_big(&seeds, command->seeds);
    pg_begin_write(pg);
    pg_send(pg, NULL,
            "UPDATE @crawl SET additions = additions + 1, state = 'running' "
            "WHERE id = 1");
    pg_send(pg, &token,
            "INSERT INTO @addition (token) VALUES ($1::bigint) "
            "ON CONFLICT DO NOTHING");
    pg_send(pg, &seeds,
            "UPDATE @node SET sent = sent + $1::bigint WHERE node = 0 "
            "RETURNING sent - $1::bigint");
    pg_sync(pg);
    pg_began(pg);
    int64_t crawls = pg_changed(pg);
    int64_t tokens = pg_changed(pg);
    PGresult *row = pg_next(pg);
    if (!row)
        return false;
    *is_new = tokens > 0;
    *before = PQntuples(row) ? pg_number(row, 0, 0) : 0;
    PQclear(row);
    if (!pg_end(pg))
        return false;
    return crawls == 1 || pg_fail(pg, FLEET_REFUSED, "there is no such crawl");
}

static void add_seeds(struct postgres *pg, const struct fleet_command *command)
{
    uint64_t before;
    bool is_new;

    if (!note_addition(pg, command, &is_new, &before))
        return;
    bool has_mail = is_new && command->seeds;
    if (has_mail)
        send_seeds(pg, command, before);
    pg_send(pg, NULL, is_new ? "COMMIT" : "ROLLBACK");
    pg_sync(pg);
    if (has_mail)
        pg_changed(pg);
    pg_changed(pg);
    pg_end(pg);
}

/* Rows of machines first, then that of the crawl, as in a commit. A batch that
 * is two further fences its machine, which keeps its partitions. */
static const char *const lose_steps[] = {
    "UPDATE @node SET batch = batch + 2, lowest = -1 "
    "WHERE state = 'alive' AND node > 0 AND $1::int > 0",
    "UPDATE @crawl SET state = 'running', additions = additions + 1, "
    "pages_given = pages_given - (SELECT pages_granted FROM @node "
    "WHERE node = $1::int) WHERE id = 1",
    "UPDATE @node SET pages = 0, pages_granted = 0 WHERE node = $1::int",
    "COMMIT",
};

static void send_about(struct postgres *pg, uint32_t node, const char *sql)
{
    struct pg_args args;

    pg_args_init(&args);
    pg_put_int(&args, node);
    pg_send(pg, &args, sql);
}

/* The ledger may be long: before the others have to wait for this. */
static bool lose_in_ledger(struct postgres *pg, uint32_t node)
{
    send_about(pg, node,
               "UPDATE @fetched SET page = 0, outcome = 'lost' "
               "WHERE node = $1::int AND page > 0 AND EXISTS (SELECT 1 FROM "
               "@node WHERE node = $1::int AND state <> 'alive')");
    pg_sync(pg);
    return pg_changed(pg) >= 0 && pg_end(pg);
}

static void lose(struct postgres *pg, const struct fleet_command *command)
{
    size_t steps = ARRAY_LEN(lose_steps);

    if (!lose_in_ledger(pg, command->node))
        return;
    pg_begin_write(pg);
    send_about(pg, command->node,
               "UPDATE @node SET pages_lost = true, directory = CASE WHEN "
               "pages_lost THEN directory ELSE 'lost ' || directory END "
               "WHERE node = $1::int AND node > 0 AND state <> 'alive'");
    pg_sync(pg);
    pg_began(pg);
    int64_t lost = pg_changed(pg);
    if (lost < 0 || !pg_end(pg))
        return;
    for (size_t i = 0; i + 1 < steps && lost; i++)
        send_about(pg, command->node, lose_steps[i]);
    pg_send(pg, NULL, lost ? lose_steps[steps - 1] : "ROLLBACK");
    pg_sync(pg);
    for (size_t i = 0; i < (lost ? steps : 1); i++)
        if (pg_changed(pg) < 0)
            return;
    if (pg_end(pg) && !lost)
        pg_fail(pg, FLEET_REFUSED,
                "machine %u is at work, or there is no such machine",
                (unsigned)command->node);
}

enum fleet_result pg_command(struct fleet_engine *engine,
                             const struct fleet_command *command,
                             struct fleet_error *error)
{
    static void (*const verbs[])(struct postgres *,
                                 const struct fleet_command *) = {
        [FLEET_DO_FINISH] = finish, [FLEET_DO_RAISE] = raise_level,
        [FLEET_DO_WISH] = wish,     [FLEET_DO_ADD] = add_seeds,
        [FLEET_DO_LOSE] = lose,
    };
    struct postgres *pg = (struct postgres *)engine;

    if (pg_call(pg, error))
        verbs[command->verb](pg, command);
    return pg->result;
}
