/* engine_check URL: what every engine of a fleet must do (fleet/engine.h),
 * asked of a PostgreSQL that runs. One line a case; status 1 if one failed. */
#include <stdio.h>
#include <string.h>

#include "fleet/engine_postgres.h"
#include "fleet/postgres.h"

enum { PARTITIONS = 8 };

struct scene {
    struct fleet_engine *one, *other; /* two connections */
    struct arena arena;
    struct fleet_error error;
    bool failed;
};

#define CHECK(scene, what)                                                     \
    do {                                                                       \
        if (!(what)) {                                                         \
            printf("# line %d: %s (%s)\n", __LINE__, #what,                    \
                   (scene)->error.text);                                       \
            (scene)->failed = true;                                            \
        }                                                                      \
    } while (0)

#define COUNTED(scene, call) CHECK(scene, (call) == FLEET_COUNTED)

static enum fleet_result begin_as(struct scene *scene, const char *uuid,
                                  struct fleet_crawl *crawl, bool *begun)
{
    const struct fleet_mail seed = {{3, FLEET_SEEDS, 1}, STR_INIT("a seed")};
    const struct fleet_segment own = {PARTITIONS, 0, 0, STR_INIT("facts")};
    const struct fleet_begin begin = {
        .crawl = {.uuid = str_of(uuid),
                  .format = 1,
                  .partitions = PARTITIONS,
                  .seed = UINT64_MAX - 5,
                  .suffixes = STR("it's"),
                  .pages_max = 10},
        .seed = &seed,
        .seeds = 1,
        .segment = &own,
        .segments = 1,
    };

    return scene->one->type->begin(scene->one, &begin, crawl, begun,
                                   &scene->arena, &scene->error);
}

static struct fleet_joined join_as(struct scene *scene,
                                   struct fleet_engine *engine,
                                   const char *directory, uint64_t incarnation)
{
    const struct fleet_join join = {str_of(directory), str_of(directory),
                                    incarnation};
    struct fleet_joined joined = {0};

    COUNTED(scene, engine->type->join(engine, &join, &joined, &scene->arena,
                                      &scene->error));
    return joined;
}

static struct fleet_commit commit_of(const struct fleet_joined *joined,
                                     uint64_t incarnation, uint64_t batch)
{
    return (struct fleet_commit){
        .node = joined->node,
        .incarnation = incarnation,
        .batch = batch,
        .lowest = 3,
        .figures = STR("figures"),
    };
}

static enum fleet_result send(struct scene *scene, struct fleet_engine *engine,
                              const struct fleet_commit *commit,
                              struct fleet_answer *answer)
{
    return engine->type->commit(engine, commit, answer, &scene->arena,
                                &scene->error);
}

/* --- cases ---------------------------------------------------------------- */

static void the_first_begins_and_others_read_it(struct scene *scene)
{
    struct fleet_crawl crawl;
    bool begun;

    COUNTED(scene, begin_as(scene, "first", &crawl, &begun));
    CHECK(scene, begun);
    COUNTED(scene, begin_as(scene, "first", &crawl, &begun));
    CHECK(scene, begun); /* the answer was lost, say */
    COUNTED(scene, begin_as(scene, "second", &crawl, &begun));
    CHECK(scene, !begun && str_eq(crawl.uuid, STR("first")));
    CHECK(scene, crawl.seed == UINT64_MAX - 5 && crawl.pages_max == 10);
    CHECK(scene, crawl.partitions == PARTITIONS && crawl.began_ms > 0);
    CHECK(scene, str_eq(crawl.suffixes, STR("it's")));
}

static void a_machine_keeps_its_number(struct scene *scene)
{
    struct fleet_joined a = join_as(scene, scene->one, "dir-a", 11);
    struct fleet_joined again = join_as(scene, scene->one, "dir-a", 11);
    struct fleet_joined b = join_as(scene, scene->other, "dir-b", 21);
    struct fleet_joined later = join_as(scene, scene->one, "dir-a", 12);

    CHECK(scene, a.node == 1 && again.node == 1 && b.node == 2);
    CHECK(scene, a.epoch == 1 && again.epoch == 1 && later.epoch == 2);
    CHECK(scene, later.node == 1 && !later.parts);
    CHECK(scene, later.snapshot.nodes == 3 && !later.snapshot.mails);
}

static void a_commit_counts_once(struct scene *scene)
{
    struct fleet_joined a = join_as(scene, scene->one, "dir-a", 13);
    const struct fleet_segment segment[] = {
        {1, 1, 0, STR_INIT("x\0y")},
        {1, 1, 1, STR_INIT("")},
    };
    const uint32_t claim[] = {0, 1, 3};
    const struct fleet_fetched fetched = {.part = 1,
                                          .number = 1,
                                          .page = 7,
                                          .at_ms = 5,
                                          .outcome = STR_INIT("fetched"),
                                          .url = STR_INIT("http://a/"),
                                          .digest = UINT64_MAX};
    struct fleet_commit commit = commit_of(&a, 13, 1);
    struct fleet_answer answer;

    commit.segment = segment;
    commit.segments = 2;
    commit.claim = claim;
    commit.claims = 3;
    commit.fetched = &fetched;
    commit.fetches = 1;
    COUNTED(scene, send(scene, scene->one, &commit, &answer));
    CHECK(scene, !answer.had_counted && answer.claims == 3);
    CHECK(scene, answer.snapshot.mails == 1); /* the seed in partition 3 */
    CHECK(scene, answer.snapshot.part[1].owner == a.node);
    COUNTED(scene, send(scene, scene->one, &commit, &answer));
    CHECK(scene, answer.had_counted && answer.claims == 3);
    CHECK(scene, answer.snapshot.node[1].batch == 1);
    CHECK(scene, answer.snapshot.node[1].renewed_ms > 0);
    commit.batch = 3;
    CHECK(scene, send(scene, scene->one, &commit, &answer) == FLEET_FENCED);
    commit.batch = 2;
    commit.incarnation = 12;
    CHECK(scene, send(scene, scene->one, &commit, &answer) == FLEET_FENCED);
}

static void the_ledger_knows_the_url_of_a_page(struct scene *scene)
{
    static const struct {
        uint32_t node;
        uint64_t page;
        const char *url;
    } cases[] = {{1, 7, "http://a/"}, {1, 8, ""}, {2, 7, ""}, {1, 0, ""}};
    struct fleet_error error;
    struct str url;

    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        COUNTED(scene, scene->one->type->find_page(scene->one, cases[i].node,
                                                   cases[i].page, &url,
                                                   &scene->arena, &error));
        CHECK(scene, str_eq(url, str_of(cases[i].url)));
    }
}

struct loaded {
    size_t count, bytes;
    uint64_t last_batch;
};

static bool take_segment(void *user, const struct fleet_segment *segment,
                         uint32_t node, uint64_t batch)
{
    struct loaded *loaded = user;

    (void)node;
    loaded->count++;
    loaded->bytes += segment->payload.len;
    loaded->last_batch = batch;
    return true;
}

static void a_journal_is_read_back_in_order(struct scene *scene)
{
    struct fleet_joined a = join_as(scene, scene->one, "dir-a", 14);
    struct fleet_answer answer;
    struct loaded loaded = {0}, own = {0};

    CHECK(scene, a.parts == 3 && a.part[1].part == 1 && a.part[1].epoch == 2);
    for (uint64_t batch = 1; batch <= 100; batch++) {
        const struct fleet_segment segment = {1, 2, 0, STR_INIT("12345")};
        struct fleet_commit commit = commit_of(&a, 14, batch);
        commit.segment = &segment;
        commit.segments = 1;
        COUNTED(scene, send(scene, scene->one, &commit, &answer));
    }
    COUNTED(scene, scene->other->type->load(scene->other, 1, take_segment,
                                            &loaded, &scene->error));
    CHECK(scene, loaded.count == 102 && loaded.bytes == 503);
    CHECK(scene, loaded.last_batch == 100);
    COUNTED(scene, scene->other->type->load(scene->other, PARTITIONS,
                                            take_segment, &own, &scene->error));
    CHECK(scene, own.count == 1 && own.bytes == 5);
}

static void mail_is_taken_once(struct scene *scene)
{
    struct fleet_joined a = join_as(scene, scene->one, "dir-a", 15);
    struct fleet_joined b = join_as(scene, scene->other, "dir-b", 22);
    const struct fleet_mail mail = {{0, b.node, 77}, STR_INIT("hello")};
    const struct fleet_mail_key key = {0, b.node, 77};
    struct fleet_commit from_b = commit_of(&b, 22, 1);
    struct fleet_commit to_a = commit_of(&a, 15, 1);
    struct fleet_answer answer;

    from_b.mail = &mail;
    from_b.mails = 1;
    from_b.sent = 1;
    COUNTED(scene, send(scene, scene->other, &from_b, &answer));
    CHECK(scene, !answer.snapshot.mails);
    COUNTED(scene, send(scene, scene->one, &to_a, &answer));
    CHECK(scene, answer.snapshot.mails == 2);
    CHECK(scene, str_eq(answer.snapshot.mail[0].payload, STR("hello")));
    to_a.batch = 2;
    to_a.took = &key;
    to_a.tooks = 1;
    COUNTED(scene, send(scene, scene->one, &to_a, &answer));
    CHECK(scene, answer.snapshot.mails == 1);
    to_a.batch = 3;
    CHECK(scene, send(scene, scene->one, &to_a, &answer) == FLEET_FENCED);
}

static void a_dead_machine_writes_nothing(struct scene *scene)
{
    struct fleet_joined a = join_as(scene, scene->one, "dir-a", 16);
    struct fleet_joined b = join_as(scene, scene->other, "dir-b", 23);
    struct fleet_commit commit = commit_of(&a, 16, 1);
    const struct fleet_bury late = {a.node, 16, 0}, right = {a.node, 16, 1};
    const uint32_t claim[] = {0, 1, 2};
    struct fleet_answer answer;

    commit.pages_wanted = 6;
    commit.pages = 2;
    COUNTED(scene, send(scene, scene->one, &commit, &answer));
    CHECK(scene, answer.snapshot.crawl.pages_given == 6);
    COUNTED(scene,
            scene->other->type->bury(scene->other, &late, &scene->error));
    commit.batch = 2;
    commit.pages_wanted = 60;
    COUNTED(scene, send(scene, scene->one, &commit, &answer));
    CHECK(scene, answer.snapshot.crawl.pages_given == 10);
    COUNTED(scene,
            scene->other->type->bury(scene->other, &right, &scene->error));
    const struct fleet_bury now = {a.node, 16, 2};
    COUNTED(scene, scene->other->type->bury(scene->other, &now, &scene->error));
    commit.batch = 3;
    CHECK(scene, send(scene, scene->one, &commit, &answer) == FLEET_FENCED);
    struct fleet_commit heir = commit_of(&b, 23, 1);
    heir.claim = claim;
    heir.claims = 3;
    COUNTED(scene, send(scene, scene->other, &heir, &answer));
    CHECK(scene, answer.claims == 3 && answer.snapshot.crawl.pages_given == 2);
    CHECK(scene, answer.snapshot.node[1].state == FLEET_DEAD);
    heir.batch = 2;
    heir.claims = 0;
    heir.give_up = claim;
    heir.give_ups = 3;
    COUNTED(scene, send(scene, scene->other, &heir, &answer));
    CHECK(scene, answer.snapshot.part[1].owner == FLEET_NO_OWNER);
    heir.batch = 3;
    CHECK(scene, send(scene, scene->other, &heir, &answer) == FLEET_FENCED);
}

static void addresses_have_one_holder(struct scene *scene)
{
    struct fleet_joined a = join_as(scene, scene->one, "dir-a", 17);
    struct fleet_joined b = join_as(scene, scene->other, "dir-b", 24);
    const struct str ip[] = {STR_INIT("\1\2\3\4"), STR_INIT("\1\2\3\5")};
    struct fleet_commit want_a = commit_of(&a, 17, 1);
    struct fleet_commit want_b = commit_of(&b, 24, 1);
    struct fleet_answer answer;

    want_a.want = want_b.want = ip;
    want_a.wants = 1;
    want_b.wants = 2;
    COUNTED(scene, send(scene, scene->one, &want_a, &answer));
    CHECK(scene, answer.snapshot.addresses == 1);
    CHECK(scene, !answer.snapshot.address[0].wanted);
    CHECK(scene, !answer.snapshot.address[0].rests);
    COUNTED(scene, send(scene, scene->other, &want_b, &answer));
    CHECK(scene, answer.snapshot.addresses == 1);
    CHECK(scene, str_eq(answer.snapshot.address[0].ip, ip[1]));
    want_a.batch = 2;
    want_a.wants = 0;
    COUNTED(scene, send(scene, scene->one, &want_a, &answer));
    CHECK(scene, answer.snapshot.addresses == 1);
    CHECK(scene, answer.snapshot.address[0].wanted);
    want_a.batch = 3;
    want_a.release = ip;
    want_a.releases = 1;
    COUNTED(scene, send(scene, scene->one, &want_a, &answer));
    CHECK(scene, !answer.snapshot.addresses);
    want_b.batch = 2;
    COUNTED(scene, send(scene, scene->other, &want_b, &answer));
    CHECK(scene, answer.snapshot.addresses == 2);
    CHECK(scene, !answer.snapshot.address[0].rests);
    /* Without a question only those are told that others want. */
    want_b.batch = 3;
    want_b.wants = 0;
    COUNTED(scene, send(scene, scene->other, &want_b, &answer));
    CHECK(scene, !answer.snapshot.addresses);
}

/* Left, declared dead, joined anew: each time the other gets the address, but
 * has to let a pause go by. */
static void addresses_of_who_is_gone_are_taken(struct scene *scene)
{
    struct fleet_joined b = join_as(scene, scene->other, "dir-b", 34);
    const struct str ip = STR_INIT("\1\2\3\6");
    struct fleet_commit theirs = commit_of(&b, 34, 1);
    struct fleet_answer answer;

    theirs.want = &ip;
    theirs.wants = 1;
    theirs.release = &ip;
    for (uint64_t i = 0; i < 3; i++) {
        struct fleet_joined a = join_as(scene, scene->one, "dir-a", 40 + i);
        struct fleet_commit ours = commit_of(&a, 40 + i, 1);
        const struct fleet_bury bury = {a.node, 40 + i, 1};

        ours.want = &ip;
        ours.wants = 1;
        COUNTED(scene, send(scene, scene->one, &ours, &answer));
        CHECK(scene, answer.snapshot.addresses == 1);
        COUNTED(scene, send(scene, scene->other, &theirs, &answer));
        CHECK(scene, !answer.snapshot.addresses);
        ours.batch = 2;
        ours.wants = 0;
        ours.state = FLEET_LEFT;
        if (i == 2)
            join_as(scene, scene->one, "dir-a", 50);
        else if (i == 1)
            COUNTED(scene, scene->other->type->bury(scene->other, &bury,
                                                    &scene->error));
        else
            COUNTED(scene, send(scene, scene->one, &ours, &answer));
        theirs.batch++;
        COUNTED(scene, send(scene, scene->other, &theirs, &answer));
        CHECK(scene, answer.snapshot.addresses == 1);
        CHECK(scene, answer.snapshot.address[0].rests);
        theirs.batch++;
        theirs.wants = 0;
        theirs.releases = 1;
        COUNTED(scene, send(scene, scene->other, &theirs, &answer));
        theirs.batch++;
        theirs.wants = 1;
        theirs.releases = 0;
    }
}

/* As behind a pooler that gives the next transaction another connection. */
static void a_server_may_forget_what_was_prepared(struct scene *scene)
{
    struct postgres *pg = (struct postgres *)scene->one;
    struct fleet_joined a = join_as(scene, scene->one, "dir-a", 61);
    struct fleet_commit commit = commit_of(&a, 61, 1);
    struct fleet_answer answer;

    COUNTED(scene, send(scene, scene->one, &commit, &answer));
    CHECK(scene, pg->preparations > 0);
    pg_send(pg, NULL, "DEALLOCATE ALL");
    pg_sync(pg);
    CHECK(scene, pg_changed(pg) >= 0 && pg_end(pg));
    commit.batch = 2;
    CHECK(scene, send(scene, scene->one, &commit, &answer) == FLEET_AWAY);
    COUNTED(scene, send(scene, scene->one, &commit, &answer));
    CHECK(scene, !answer.had_counted && !pg->preparations);
    commit.batch = 3;
    COUNTED(scene, send(scene, scene->one, &commit, &answer));
}

static void commands_are_durable(struct scene *scene)
{
    const struct fleet_mail seed = {{5, 0, 0}, STR_INIT("more")};
    struct fleet_command command = {.verb = FLEET_DO_RAISE, .level = 4};
    struct fleet_snapshot look;
    struct fleet_engine *one = scene->one;

    COUNTED(scene, one->type->command(one, &command, &scene->error));
    command.level = 2;
    COUNTED(scene, one->type->command(one, &command, &scene->error));
    command =
        (struct fleet_command){.verb = FLEET_DO_WISH, .wish = FLEET_PAUSE};
    COUNTED(scene, one->type->command(one, &command, &scene->error));
    command = (struct fleet_command){
        .verb = FLEET_DO_ADD, .token = 99, .seed = &seed, .seeds = 1};
    COUNTED(scene, one->type->command(one, &command, &scene->error));
    COUNTED(scene, one->type->command(one, &command, &scene->error));
    command = (struct fleet_command){.verb = FLEET_DO_FINISH, .additions = 0};
    COUNTED(scene, one->type->command(one, &command, &scene->error));
    COUNTED(scene, scene->other->type->look(scene->other, 0, &look,
                                            &scene->arena, &scene->error));
    CHECK(scene, look.crawl.level == 4 && look.crawl.wish == FLEET_PAUSE);
    CHECK(scene, look.crawl.additions == 1 && look.node[0].sent == 2);
    CHECK(scene, look.crawl.state == FLEET_RUNNING && look.mails_waiting == 2);
    command.additions = 1;
    COUNTED(scene, one->type->command(one, &command, &scene->error));
    command = (struct fleet_command){.verb = FLEET_DO_LOSE, .node = 1};
    CHECK(scene,
          one->type->command(one, &command, &scene->error) == FLEET_REFUSED);
    COUNTED(scene, scene->other->type->look(scene->other, 0, &look,
                                            &scene->arena, &scene->error));
    CHECK(scene, look.crawl.state == FLEET_FINISHED);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(struct scene *scene);
    } cases[] = {
        {"the first begins, and others read it",
         the_first_begins_and_others_read_it},
        {"a machine keeps its number", a_machine_keeps_its_number},
        {"a commit counts once", a_commit_counts_once},
        {"the ledger knows the URL of a page",
         the_ledger_knows_the_url_of_a_page},
        {"a journal is read back in order", a_journal_is_read_back_in_order},
        {"mail is taken once", mail_is_taken_once},
        {"a dead machine writes nothing", a_dead_machine_writes_nothing},
        {"addresses have one holder", addresses_have_one_holder},
        {"addresses of who is gone are taken",
         addresses_of_who_is_gone_are_taken},
        {"a server may forget what was prepared",
         a_server_may_forget_what_was_prepared},
        {"commands are durable", commands_are_durable},
    };
    struct scene scene = {0};
    bool failed = false;

    arena_init(&scene.arena);
    if (argc != 2 || !engine_postgres_label(argv[1], &scene.arena))
        return 2;
    scene.one = engine_postgres_new(argv[1], "engine_check");
    scene.other = engine_postgres_new(argv[1], "engine_check");
    if (!scene.one || !scene.other)
        return 2;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        scene.failed = false;
        cases[i].run(&scene);
        printf("%s %s\n", scene.failed ? "not ok" : "ok", cases[i].name);
        failed |= scene.failed;
    }
    scene.one->type->close(scene.one);
    scene.other->type->close(scene.other);
    arena_release(&scene.arena);
    return failed;
}
