/* The copy of a fleet's record: one sequence of numbers, of one moment. And one
 * partition of it, read in place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "crawler/record_codes.h"
#include "fleet/fleet_copy.h"
#include "fleet/fleet_store.h"
#include "support/engine_fake.h"
#include "support/tempdir.h"
#include "web/partition.h"

enum { PARTITIONS = 3, MACHINES = 2 };

/* --- a fleet ---------------------------------------------------------------
 */

struct machine {
    struct fake_link link;
    struct store *store;
    struct store_batch batch; /* for the next commit */
    uint32_t claim, give_up;  /* with it, + 1; 0: none */
    uint32_t list[2];
};

struct scene {
    struct fake fake;
    struct arena arena;
    struct tempdir dir;
    struct machine machine[MACHINES];
    struct fake_link reader;
};

static void before_commit(void *user, size_t batches,
                          struct fleet_commit *commit)
{
    struct machine *machine = user;

    (void)batches;
    machine->list[0] = machine->claim - 1;
    machine->list[1] = machine->give_up - 1;
    commit->claim = &machine->list[0];
    commit->claims = machine->claim > 0;
    commit->give_up = &machine->list[1];
    commit->give_ups = machine->give_up > 0;
}

static void commit(struct machine *machine)
{
    const struct store_batch *batch = &machine->batch;
    struct store_error error;

    assert_true(store_commit(machine->store, &batch, 1, &error));
    store_batch_clear(&machine->batch);
    machine->claim = machine->give_up = 0;
}

static void claim(struct machine *machine, uint32_t part)
{
    machine->claim = part + 1;
    commit(machine);
}

static void join(struct scene *scene, struct machine *machine, const char *name)
{
    const struct fleet_join join = {str_of(name), str_of(name),
                                    (uintptr_t)machine | 1};
    struct fleet_joined joined;
    struct fleet_error why;

    fake_connect(&machine->link, &scene->fake);
    struct fleet_engine *engine = &machine->link.engine;
    assert_int_equal(
        engine->type->join(engine, &join, &joined, &scene->arena, &why),
        FLEET_COUNTED);
    machine->store = fleet_store_new(&(struct fleet_store_options){
        .engine = engine,
        .label = "",
        .codes = crawler_codes(),
        .crawl = {.partitions = PARTITIONS},
        .node = joined.node,
        .epoch = joined.epoch,
        .incarnation = join.incarnation,
        .user = machine,
        .before_commit = before_commit,
    });
    store_batch_init(&machine->batch);
}

/* Machine 1 has partitions 0 and 1, machine 2 has partition 2. */
static void scene_init(struct scene *scene)
{
    const struct fleet_begin begin = {
        .crawl = {.uuid = STR("crawl"),
                  .partitions = PARTITIONS,
                  .pages_max = UINT64_MAX,
                  .suffixes = STR("")},
    };
    struct fleet_crawl crawl;
    struct fleet_error why;
    bool begun;

    *scene = (struct scene){0};
    arena_init(&scene->arena);
    tempdir_make(&scene->dir);
    fake_init(&scene->fake);
    fake_connect(&scene->reader, &scene->fake);
    struct fleet_engine *engine = &scene->reader.engine;
    assert_int_equal(engine->type->begin(engine, &begin, &crawl, &begun,
                                         &scene->arena, &why),
                     FLEET_COUNTED);
    join(scene, &scene->machine[0], "one");
    join(scene, &scene->machine[1], "two");
    claim(&scene->machine[0], 0);
    claim(&scene->machine[0], 1);
    claim(&scene->machine[1], 2);
}

static void scene_release(struct scene *scene)
{
    for (int i = 0; i < MACHINES; i++) {
        store_batch_release(&scene->machine[i].batch);
        store_close(scene->machine[i].store);
    }
    fake_release(&scene->fake);
    arena_release(&scene->arena);
    tempdir_remove(&scene->dir);
}

/* --- rows -------------------------------------------------------------------
 */

static void add_url_of(struct machine *machine, uint32_t part, uint64_t n,
                       const char *text, uint32_t referrer,
                       uint32_t referrer_machine, uint64_t via)
{
    struct str url = str_of(text);

    store_add_url(&machine->batch, &(struct store_url){
                                       .number = partition_number(part, n),
                                       .url = url,
                                       .host = {url.ptr + 7, 1},
                                       .domain = {url.ptr + 7, 1},
                                       .depth = referrer > 0,
                                       .referrer = referrer,
                                       .referrer_machine = referrer_machine,
                                       .via = via,
                                   });
}

static void add_url(struct machine *machine, uint32_t part, uint64_t n,
                    const char *text, uint32_t referrer, uint64_t via)
{
    add_url_of(machine, part, n, text, referrer, 0, via);
}

static void add_page(struct machine *machine, uint32_t part, uint64_t n,
                     uint32_t page)
{
    store_add_fetch(&machine->batch,
                    &(struct store_fetch){.number = partition_number(part, n),
                                          .page = page,
                                          .status = 200});
}

static void add_change(struct machine *machine, uint32_t part, uint64_t n,
                       uint32_t referrer, uint32_t referrer_machine)
{
    const struct store_change row = {.number = partition_number(part, n),
                                     .depth = 1,
                                     .referrer = referrer,
                                     .found = 2,
                                     .referrer_machine = referrer_machine};

    store_add_change(&machine->batch, &row);
}

static void add_link(struct machine *machine, uint32_t page, const char *url)
{
    store_add_link(&machine->batch,
                   &(struct store_link){.page = page, .url = str_of(url)});
}

/* --- the copy, as lines ------------------------------------------------------
 */

static bool put_setting(void *user, const struct store_setting *row)
{
    static const char *const others[] = {"per_host", "count.saved", "option.0"};
    bool is_shown = str_starts(row->name, STR("machine."));

    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        is_shown |= str_eq(row->name, str_of(others[i]));
    return !is_shown || buf_printf(user, "%.*s %.*s\n", STR_ARGS(row->name),
                                   STR_ARGS(row->value));
}

static bool put_change(void *user, const struct store_change *row)
{
    return buf_printf(user, "change %llu depth %u referrer %u\n",
                      (unsigned long long)row->number, row->depth,
                      row->referrer);
}

static bool put_fetch(void *user, const struct store_fetch *row)
{
    return buf_printf(user, "fetch %llu page %u\n",
                      (unsigned long long)row->number, row->page);
}

static bool put_url(void *user, const struct store_url *row)
{
    return buf_printf(user, "url %llu %.*s referrer %u via %llu\n",
                      (unsigned long long)row->number, STR_ARGS(row->url),
                      row->referrer, (unsigned long long)row->via);
}

static bool put_link(void *user, const struct store_link *row)
{
    return buf_printf(user, "link %u %.*s\n", row->page, STR_ARGS(row->url));
}

static bool put_order(void *user, const struct store_hand_order *row)
{
    return buf_printf(user, "order %llu\n", (unsigned long long)row->number);
}

static struct store *open_report(struct scene *scene)
{
    struct store_error error;
    struct store *store =
        fleet_store_open(&scene->reader.engine, "", crawler_codes(), &error);

    assert_non_null(store);
    return store;
}

/* The report's store is closed. */
static void expect_copy(struct scene *scene, struct store *report,
                        const char *lines)
{
    struct buf got;
    const struct store_reader reader = {
        .user = &got,
        .setting = put_setting,
        .hand_order = put_order,
        .change = put_change,
        .fetch = put_fetch,
        .url = put_url,
        .link = put_link,
    };
    const char *name = store_name_in(scene->dir.path, &scene->arena);
    struct store_error error;

    buf_init(&got, 1 << 16);
    assert_true(fleet_copy(report, name, &error));
    store_close(report);
    struct store *copy = store_open(name, STORE_READ, crawler_codes(), &error);
    assert_non_null(copy);
    assert_true(store_load(copy, 0, &reader, &error));
    assert_string_equal(buf_cstr(&got), lines);
    store_close(copy);
    buf_release(&got);
}

/* --- tests -------------------------------------------------------------------
 */

static void numbers_are_one_sequence(void **state)
{
    struct scene scene;

    (void)state;
    scene_init(&scene);
    struct machine *one = &scene.machine[0], *two = &scene.machine[1];
    /* The URL that redirects has the greater number. */
    add_url(one, 0, 1, "http://a/", 0, partition_number(2, 1));
    add_url(one, 1, 1, "http://b/", 1, 0);
    add_url(one, 1, 2, "http://b/2", 2, partition_number(1, 1));
    add_page(one, 0, 1, 1);
    add_page(one, 1, 1, 2);
    add_link(one, 2, "http://b/2");
    commit(one);
    add_url(two, 2, 1, "http://c/", 0, 0);
    add_url(two, 2, 2, "http://c/2", 1, 0);
    add_page(two, 2, 1, 0);
    add_page(two, 2, 2, 1);
    add_link(two, 1, "http://a/");
    commit(two);
    expect_copy(&scene, open_report(&scene),
                "machine.00001 0\n"
                "machine.00002 2\n"
                "fetch 1 page 1\n"
                "fetch 2 page 2\n"
                "fetch 4 page 0\n"
                "fetch 5 page 3\n"
                "url 1 http://a/ referrer 0 via 4\n"
                "url 2 http://b/ referrer 1 via 0\n"
                "url 3 http://b/2 referrer 2 via 2\n"
                "url 4 http://c/ referrer 0 via 0\n"
                "url 5 http://c/2 referrer 3 via 0\n"
                "link 2 http://b/2\n"
                "link 3 http://a/\n");
    scene_release(&scene);
}

static void later_commits_are_left_out(void **state)
{
    struct scene scene;

    (void)state;
    scene_init(&scene);
    struct machine *one = &scene.machine[0], *two = &scene.machine[1];
    add_url(one, 0, 1, "http://a/", 0, 0);
    add_page(one, 0, 1, 1);
    add_link(one, 1, "http://b/");
    commit(one);
    struct store *report = open_report(&scene);
    /* Its next commit, and one under a new owner. */
    add_url(one, 0, 2, "http://a/2", 1, 0);
    add_page(one, 0, 2, 2);
    add_link(one, 2, "http://c/");
    one->give_up = 1;
    commit(one);
    claim(two, 0);
    add_url(two, 0, 3, "http://a/3", 0, 0);
    add_page(two, 0, 3, 1);
    commit(two);
    expect_copy(&scene, report,
                "machine.00001 0\n"
                "machine.00002 1\n"
                "fetch 1 page 1\n"
                "url 1 http://a/ referrer 0 via 0\n"
                "link 1 http://b/\n");
    scene_release(&scene);
}

/* Partition 0 has URLs that were found on pages of both machines, and then
 * another owner. */
static void make_referrers(struct scene *scene)
{
    struct machine *one = &scene->machine[0], *two = &scene->machine[1];

    add_url(two, 2, 1, "http://c/", 0, 0);
    add_url(two, 2, 2, "http://c/2", 1, 0);
    add_page(two, 2, 1, 1);
    add_page(two, 2, 2, 2);
    commit(two);
    add_url(one, 0, 1, "http://a/", 0, 0);
    add_page(one, 0, 1, 1);
    add_url(one, 0, 2, "http://a/2", 1, 0);
    add_url_of(one, 0, 3, "http://a/3", 2, 2, 0); /* came by mail */
    add_url(one, 0, 4, "http://a/4", 1, 0);
    add_url_of(one, 0, 5, "http://a/5", 7, 2, 0); /* no such page */
    one->give_up = 1;
    commit(one);
    claim(two, 0);
    add_change(two, 0, 2, 1, 1); /* as it was loaded */
    add_change(two, 0, 4, 2, 0); /* found on a page of its own */
    commit(two);
}

static void referrers_are_pages_of_any_machine(void **state)
{
    struct scene scene;

    (void)state;
    scene_init(&scene);
    make_referrers(&scene);
    expect_copy(&scene, open_report(&scene),
                "machine.00001 0\n"
                "machine.00002 1\n"
                "change 2 depth 1 referrer 1\n"
                "change 4 depth 1 referrer 3\n"
                "fetch 1 page 1\n"
                "fetch 6 page 2\n"
                "fetch 7 page 3\n"
                "url 1 http://a/ referrer 0 via 0\n"
                "url 2 http://a/2 referrer 1 via 0\n"
                "url 3 http://a/3 referrer 3 via 0\n"
                "url 4 http://a/4 referrer 1 via 0\n"
                "url 5 http://a/5 referrer 0 via 0\n"
                "url 6 http://c/ referrer 0 via 0\n"
                "url 7 http://c/2 referrer 2 via 0\n");
    scene_release(&scene);
}

static bool put_loaded_change(void *user, const struct store_change *row)
{
    return buf_printf(user, "change %u.%u\n", row->referrer_machine,
                      row->referrer);
}

static bool put_loaded_url(void *user, const struct store_url *row)
{
    return buf_printf(user, "%.*s %u.%u\n", STR_ARGS(row->url),
                      row->referrer_machine, row->referrer);
}

/* What a machine is given when it loads partition 0. */
static void expect_loaded(struct machine *machine, const char *lines)
{
    struct buf got;
    const struct store_reader reader = {
        .user = &got,
        .change = put_loaded_change,
        .url = put_loaded_url,
    };
    struct store_error error;

    buf_init(&got, 1 << 16);
    assert_true(store_load(machine->store, 1, &reader, &error));
    assert_string_equal(buf_cstr(&got), lines);
    buf_release(&got);
}

static void whoever_takes_a_partition_over_knows_all_referrers(void **state)
{
    struct scene scene;

    (void)state;
    scene_init(&scene);
    make_referrers(&scene);
    expect_loaded(&scene.machine[1], "change 1.1\n"
                                     "change 0.2\n"
                                     "http://a/ 0.0\n"
                                     "http://a/2 1.1\n"
                                     "http://a/3 0.2\n"
                                     "http://a/4 1.1\n"
                                     "http://a/5 0.7\n");
    expect_loaded(&scene.machine[0], "change 0.1\n"
                                     "change 2.2\n"
                                     "http://a/ 0.0\n"
                                     "http://a/2 0.1\n"
                                     "http://a/3 2.2\n"
                                     "http://a/4 0.1\n"
                                     "http://a/5 2.7\n");
    scene_release(&scene);
}

static void one_partition_is_read_once_and_no_other(void **state)
{
    struct buf got;
    const struct store_reader reader = {
        .user = &got,
        .setting = put_setting,
        .fetch = put_fetch,
        .url = put_url,
    };
    struct store_error error;
    struct store_url url;
    struct scene scene;
    struct str found;

    (void)state;
    scene_init(&scene);
    make_referrers(&scene);
    struct store *report = open_report(&scene);
    fleet_store_show_part(report, 2);
    assert_int_equal(store_slices(report), 1);
    for (int i = 0; i < 2; i++) {
        buf_init(&got, 1 << 16);
        assert_true(store_load(report, 0, &reader, &error));
        /* Pages are numbered as in the copy, URLs as in the fleet. */
        assert_string_equal(buf_cstr(&got),
                            "fetch 2199023255553 page 2\n"
                            "fetch 2199023255554 page 3\n"
                            "url 2199023255553 http://c/ referrer 0 via 0\n"
                            "url 2199023255554 http://c/2 referrer 2 via 0\n");
        buf_release(&got);
    }
    assert_true(store_find_url(report, partition_number(2, 2), &url));
    assert_true(str_eq(url.url, STR("http://c/2")));
    assert_int_equal(scene.fake.loads[0], 0);
    assert_int_equal(scene.fake.loads[1], 0);
    assert_int_equal(scene.fake.loads[2], 1);
    /* This engine keeps no ledger. */
    assert_false(fleet_store_find_page(report, 1, &found, &scene.arena));
    fleet_store_show_all(report);
    assert_int_equal(store_slices(report), PARTITIONS + 1);
    store_close(report);
    scene_release(&scene);
}

static void orders_of_machines_are_one_list(void **state)
{
    const struct store_hand_order order = {.number = 1, .kind = 1};
    struct scene scene;

    (void)state;
    scene_init(&scene);
    for (int i = 0; i < MACHINES; i++) {
        store_add_hand_order(&scene.machine[i].batch, &order);
        commit(&scene.machine[i]);
    }
    expect_copy(&scene, open_report(&scene),
                "machine.00001 0\n"
                "machine.00002 0\n"
                "order 1\n"
                "order 2\n");
    scene_release(&scene);
}

static void set(struct machine *machine, const char *name, const char *value)
{
    store_add_setting(&machine->batch,
                      &(struct store_setting){str_of(name), str_of(value)});
}

/* Options are those of the crawl, whatever a machine was given. */
static void counters_are_added_up(void **state)
{
    struct scene scene;

    (void)state;
    scene_init(&scene);
    for (int i = 0; i < MACHINES; i++) {
        set(&scene.machine[i], "per_host", i ? "2" : "8");
        set(&scene.machine[i], "count.saved", i ? "20" : "3");
        set(&scene.machine[i], "option.0", "delay=5s");
        commit(&scene.machine[i]);
    }
    expect_copy(&scene, open_report(&scene),
                "count.saved 23\n"
                "machine.00001 0\n"
                "machine.00002 0\n"
                "per_host 8\n");
    scene_release(&scene);
}

/* Rows that belong to no URL are damage, not part of a copy. */
static void rows_without_a_url_are_refused(void **state)
{
    struct store_error error;
    struct scene scene;

    (void)state;
    scene_init(&scene);
    add_page(&scene.machine[0], 0, 7, 1);
    commit(&scene.machine[0]);
    struct store *report = open_report(&scene);
    assert_false(fleet_copy(report, store_name_in(scene.dir.path, &scene.arena),
                            &error));
    assert_int_equal(error.status, STORE_DAMAGED);
    store_close(report);
    scene_release(&scene);
}

static void a_copy_that_cannot_be_written_says_why(void **state)
{
    struct store_error error = {0};
    struct scene scene;

    (void)state;
    scene_init(&scene);
    struct store *report = open_report(&scene);
    assert_false(fleet_copy(report, "sqlite:/nowhere/at/all", &error));
    assert_int_equal(error.status, STORE_FAILED);
    store_close(report);
    scene_release(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_one_sequence),
        cmocka_unit_test(later_commits_are_left_out),
        cmocka_unit_test(referrers_are_pages_of_any_machine),
        cmocka_unit_test(whoever_takes_a_partition_over_knows_all_referrers),
        cmocka_unit_test(one_partition_is_read_once_and_no_other),
        cmocka_unit_test(orders_of_machines_are_one_list),
        cmocka_unit_test(counters_are_added_up),
        cmocka_unit_test(rows_without_a_url_are_refused),
        cmocka_unit_test(a_copy_that_cannot_be_written_says_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
