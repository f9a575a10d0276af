/* Which machine of which crawl a page directory is: settings in a small record
 * of its own. */
#include <stdio.h>
#include <sys/stat.h>

#include "base/io.h"
#include "cli/fleet_plan.h"
#include "cli/plan.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"
#include "store/facts.h"

/* Others are in store/facts.h, because whoever reads a record must know them.
 */
#define SETTING_CRAWL "fleet.crawl"
#define SETTING_BEGUN "fleet.begun_ms"
#define SETTING_PLACE "fleet.place"
#define SETTING_JOINS "fleet.joins"

struct marker_reading {
    struct arena *arena;
    struct fleet_marker *marker;
};

static bool read_marker_row(void *user, const struct store_setting *row)
{
    const struct marker_reading *reading = user;

    if (str_eq(row->name, STR(SETTING_CRAWL)))
        reading->marker->crawl = arena_copy(reading->arena, row->value);
    if (str_eq(row->name, STR(FLEET_SETTING_DIRECTORY)))
        reading->marker->directory = arena_copy(reading->arena, row->value);
    if (str_eq(row->name, STR(SETTING_BEGUN)))
        str_to_u64(row->value, &reading->marker->begun_ms);
    if (str_eq(row->name, STR(SETTING_PLACE)))
        reading->marker->place = arena_copy(reading->arena, row->value);
    if (str_eq(row->name, STR(SETTING_JOINS)))
        str_to_u64(row->value, &reading->marker->joins);
    return true;
}

int fleet_read_marker(const char *store_name, const char *dir_path,
                      struct fleet_marker *marker, struct arena *arena)
{
    struct marker_reading reading = {arena, marker};
    const struct store_reader reader = {.user = &reading,
                                        .setting = read_marker_row};
    struct store_error error;
    struct store *store =
        store_open(store_name, STORE_READ, crawler_codes(), &error);

    *marker = (struct fleet_marker){0};
    if (!store && (error.status == STORE_NONE || error.status == STORE_EMPTY))
        return 0;
    bool good = store && store_load(store, 0, &reader, &error);
    store_close(store);
    if (!good)
        return complain_failure("cannot read the state in '%s': %s",
                                store_label(store_name, arena), error.text);
    if (marker->directory.len != FLEET_KEY_LEN)
        return complain("'%s' holds a crawl that is not in a fleet; use "
                        "another directory",
                        dir_path);
    return 0;
}

static void put_setting(struct store_batch *batch, const char *name,
                        struct str value)
{
    store_add_setting(batch, &(struct store_setting){str_of(name), value});
}

void fleet_put_place(const struct plan *plan, char place[FLEET_PLACE_MAX])
{
    struct stat directory;
    struct buf boot;

    buf_init(&boot, FLEET_PLACE_MAX / 2);
    place[0] = '\0';
    if (io_read_file("/proc/sys/kernel/random/boot_id", &boot) && boot.len &&
        !fstat(plan->dir.fd, &directory))
        snprintf(place, FLEET_PLACE_MAX, "%.*s %llx %llx", (int)boot.len - 1,
                 boot.ptr, (unsigned long long)directory.st_dev,
                 (unsigned long long)directory.st_ino);
    buf_release(&boot);
}

static void put_number(struct store_batch *batch, const char *name,
                       uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
    put_setting(batch, name, str_of(text));
}

bool fleet_write_marker(struct plan *plan)
{
    const struct fleet_plan *fleet = &plan->fleet;
    char place[FLEET_PLACE_MAX];
    struct store_batch first;
    struct store_error error;

    store_batch_init(&first);
    put_setting(&first, SETTING_CRAWL, fleet->crawl.uuid);
    put_setting(&first, FLEET_SETTING_ENGINE, str_of(fleet->label));
    put_setting(&first, FLEET_SETTING_DIRECTORY, str_of(fleet->directory));
    put_number(&first, SETTING_BEGUN, fleet->begun_ms);
    fleet_put_place(plan, place);
    put_setting(&first, SETTING_PLACE, str_of(place));
    put_number(&first, SETTING_JOINS, fleet->joins);
    struct store *store = store_create(plan->store_name, crawler_codes(),
                                       &first, STORE_AT_ONCE, &error);
    const struct store_batch *none = &first;
    store_batch_clear(&first);
    bool good = store && store_commit_last(store, &none, 1, &error);
    store_close(store);
    store_batch_release(&first);
    if (!good)
        complain("cannot create the state in '%s': %s",
                 store_label(plan->store_name, &plan->arena), error.text);
    return good;
}
