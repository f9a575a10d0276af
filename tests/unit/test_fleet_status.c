#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/fleet_status.h"

enum { PARTITIONS = 4, BEGAN_MS = 1000000 };

/* Two machines at work, one dead, four partitions, ten seconds. */
struct scene {
    struct fleet_node node[4];
    struct fleet_part part[PARTITIONS];
    struct fleet_snapshot snapshot;
};

static void scene_init(struct scene *scene)
{
    *scene = (struct scene){
        .node = {{.node = FLEET_SEEDS, .state = FLEET_LEFT, .sent = 1},
                 {.node = 1,
                  .state = FLEET_ALIVE,
                  .lowest = 3,
                  .sent = 5,
                  .taken = 4,
                  .pages = 70,
                  .renewed_ms = BEGAN_MS + 9500,
                  .name = STR_INIT("one")},
                 {.node = 2,
                  .state = FLEET_DEAD,
                  .pages = 20,
                  .pages_lost = true,
                  .renewed_ms = BEGAN_MS + 1000,
                  .name = STR_INIT("two")},
                 {.node = 3,
                  .state = FLEET_ALIVE,
                  .lowest = FLEET_LOWEST_NONE,
                  .pages = 10,
                  .renewed_ms = BEGAN_MS + 10000,
                  .name = STR_INIT("th\033ree")}},
        .part = {{1, 1}, {1, 1}, {3, 2}, {1, 5}},
    };
    scene->snapshot = (struct fleet_snapshot){
        .engine_ms = BEGAN_MS + 10000,
        .crawl = {.partitions = PARTITIONS,
                  .pages_max = UINT64_MAX,
                  .began_ms = BEGAN_MS,
                  .level = 2},
        .node = scene->node,
        .nodes = 4,
        .part = scene->part,
        .mails_waiting = 2,
    };
}

static void check_status(const struct scene *scene, const char *expected)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    fleet_status_print(out, &scene->snapshot, "web", "postgres://db/crawl");
    fclose(out);
    assert_string_equal(text, expected);
    free(text);
}

static void status_shows_machines_and_mail(void **state)
{
    struct scene scene;

    (void)state;
    scene_init(&scene);
    check_status(
        &scene,
        "The crawl 'web' at postgres://db/crawl is running\n"
        "  begun    1970-01-01 00:16:40 UTC\n"
        "  pages    100 saved, 10.0 a second since it began\n"
        "  machines 2 at work, 0 left, 1 dead\n"
        "  parts    4, of which 0 are free\n"
        "  mail     2 under way; 6 sent, 4 taken\n"
        "  level    2\n"
        "  waits    for nothing: fetching\n"
        "  machine  state  parts      pages   depth     silent for  name\n"
        "        1  alive      3         70       3          0.5 s  one\n"
        "        2   dead      0         20       -          9.0 s  two "
        "(its pages are lost)\n"
        "        3  alive      1         10       -          0.0 s  th?ree\n");
}

static void a_finished_crawl_waits_for_nothing(void **state)
{
    struct scene scene;

    (void)state;
    scene_init(&scene);
    scene.snapshot.crawl.state = FLEET_FINISHED;
    scene.snapshot.crawl.pages_max = 500;
    scene.snapshot.nodes = 1;
    check_status(
        &scene,
        "The crawl 'web' at postgres://db/crawl is finished\n"
        "  begun    1970-01-01 00:16:40 UTC\n"
        "  pages    0 saved of at most 500\n"
        "  machines 0 at work, 0 left, 0 dead\n"
        "  parts    4, of which 0 are free\n"
        "  mail     2 under way; 1 sent, 0 taken\n"
        "  level    2\n"
        "  machine  state  parts      pages   depth     silent for  name\n");
}

static void it_says_what_the_fleet_waits_for(void **state)
{
    static const struct {
        enum fleet_wish wish;
        size_t nodes;
        uint32_t owner;
        int32_t lowest;
        const char *text;
    } cases[] = {
        {FLEET_RUN, 4, 1, 3, "for nothing: fetching"},
        {FLEET_PAUSE, 4, 1, 3, "for crawler continue"},
        {FLEET_STOP, 4, 1, 3, "for crawler continue, then for machines"},
        {FLEET_RUN, 1, 1, 3, "for machines: none is at work"},
        {FLEET_RUN, 4, FLEET_NO_OWNER, 3, "for owners of 1 partition"},
        {FLEET_RUN, 4, 1, FLEET_LOWEST_UNKNOWN,
         "for machine 1, which loads partitions"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct scene scene;
        struct buf line;

        scene_init(&scene);
        buf_init(&line, 200);
        scene.snapshot.crawl.wish = cases[i].wish;
        scene.snapshot.nodes = cases[i].nodes;
        scene.part[1].owner = cases[i].owner;
        scene.node[1].lowest = cases[i].lowest;
        fleet_put_waits(&scene.snapshot, &line);
        assert_string_equal(buf_cstr(&line), cases[i].text);
        buf_release(&line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_shows_machines_and_mail),
        cmocka_unit_test(a_finished_crawl_waits_for_nothing),
        cmocka_unit_test(it_says_what_the_fleet_waits_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
