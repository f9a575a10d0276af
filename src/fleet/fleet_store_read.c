#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "fleet/fleet_store_internal.h"
#include "fleet/settings.h"
#include "web/partition.h"

/* The half of the store that reads. */

enum {
    REPORT_PATIENCE_MS = 2000,
    LOAD_PATIENCE_MS = 60 * 1000, /* for an engine that goes away in a load */
};

/* --- loading -------------------------------------------------------------- */

struct part_load {
    const struct fleet_store *store;
    struct journal_part *part;
    bool damaged;
};

/* Was it written up to the moment that a report is of? An epoch has one owner
 * in one incarnation, so the number of its last commit decides. Journals beyond
 * the partitions are read whole: whoever reads them leaves out the rows of
 * pages that came later. */
static bool is_of_moment(const struct fleet_snapshot *moment,
                         const struct fleet_segment *segment, uint64_t batch)
{
    if (segment->part >= moment->crawl.partitions)
        return true;
    const struct fleet_part *part = &moment->part[segment->part];
    if (segment->epoch != part->epoch)
        return segment->epoch < part->epoch;
    for (size_t i = 0; i < moment->nodes; i++)
        if (moment->node[i].node == part->owner)
            return batch <= moment->node[i].batch;
    return false;
}

static bool take_segment(void *user, const struct fleet_segment *segment,
                         uint32_t node, uint64_t batch)
{
    struct part_load *load = user;

    if (load->store->offset &&
        !is_of_moment(&load->store->moment, segment, batch))
        return true;
    load->damaged = !journal_part_add(load->part, node, segment->payload);
    return !load->damaged;
}

static bool load_part(struct fleet_store *store, uint32_t number,
                      struct journal_part *part, struct store_error *error)
{
    const struct fleet_store_options *options = &store->options;
    struct fleet_engine *engine = options->engine;
    uint64_t until_ms = clock_mono_ms() + LOAD_PATIENCE_MS;
    struct part_load load = {.store = store, .part = part};
    struct fleet_error why;

    *part = (struct journal_part){0};
    for (;;) {
        enum fleet_result result =
            engine->type->load(engine, number, take_segment, &load, &why);
        if (result == FLEET_COUNTED)
            return true;
        journal_part_release(part);
        if (result != FLEET_AWAY || clock_mono_ms() > until_ms ||
            (options->may_wait && !options->may_wait(options->user)))
            break;
        poll(NULL, 0, TRY_AGAIN_MS);
    }
    return store_fail(error, load.damaged ? STORE_DAMAGED : STORE_FAILED,
                      "%.190s", why.text);
}

static struct journal_pages pages_of(const struct fleet_store *store)
{
    return (struct journal_pages){
        .own = store->options.node,
        .offset = store->offset,
        .machines = store->machines,
        .lost = store->lost,
        .lost_room = store->lost_room,
    };
}

static bool fail_part(struct store_error *error, uint32_t part)
{
    return store_fail(error, STORE_DAMAGED,
                      "rows of partition %u are not as they were written",
                      (unsigned)part);
}

/* One partition: kind by kind. */
static bool load_slice(struct fleet_store *store, uint32_t number,
                       const struct store_reader *reader,
                       struct store_error *error)
{
    const struct journal_pages pages = pages_of(store);
    struct journal_part part;
    uint64_t urls, last;

    if (!load_part(store, number, &part, error))
        return false;
    bool good = journal_part_count(&part, &urls, &last) &&
                (!last || partition_of_number(last) == number) &&
                (!reader->begin || reader->begin(reader->user, urls, last));
    for (enum row_kind kind = 0; kind < ROW_KINDS && good; kind++)
        if (store_wants(reader, kind))
            good = journal_part_read(&part, kind, &pages, reader);
    journal_part_release(&part);
    return good || fail_part(error, number);
}

/* --- slice 0: the crawl as a whole ------------------------------------------
 */

static bool keep_setting(void *user, const struct store_setting *row)
{
    settings_set(user, row);
    return true;
}

static bool is_counter(const struct fleet_node *node)
{
    /* The fetches of a lost machine do not count any more. */
    return node->node > 0 && !node->pages_lost && node->figures.len > 0;
}

/* The figures of this machine or, for a report, of all. */
static bool add_figures(struct fleet_store *store,
                        const struct fleet_snapshot *look,
                        struct settings *settings)
{
    uint32_t own = store->options.node;
    struct settings sum;
    bool good = true;

    settings_init(&sum);
    for (size_t i = 0; i < look->nodes && good; i++)
        if (is_counter(&look->node[i]) && (!own || look->node[i].node == own))
            good = settings_unpack(&sum, look->node[i].figures, SETTINGS_SUM);
    /* Machines may differ in speeds and limits; a report on all of them tells
     * the options that the crawl was begun with. */
    for (size_t i = 0; i < sum.count; i++)
        if (own || !str_starts(sum.item[i].name, STR("option.")))
            settings_set(settings, &sum.item[i]);
    settings_release(&sum);
    if (own || look->crawl.state != FLEET_FINISHED)
        return good;
    settings_set(settings,
                 &(struct store_setting){STR("state"), STR("finished")});
    return good;
}

bool fleet_store_look(struct fleet_store *store,
                      struct fleet_snapshot *snapshot, struct arena *arena,
                      struct store_error *error)
{
    struct fleet_engine *engine = store->options.engine;
    uint64_t until_ms =
        clock_mono_ms() +
        (store->options.node ? LOAD_PATIENCE_MS : REPORT_PATIENCE_MS);
    enum fleet_result result;
    struct fleet_error why;

    arena_clear(arena);
    while ((result = engine->type->look(engine, 0, snapshot, arena, &why)) ==
               FLEET_AWAY &&
           clock_mono_ms() < until_ms)
        poll(NULL, 0, TRY_AGAIN_MS);
    return result == FLEET_COUNTED ||
           store_fail(error,
                      result == FLEET_REFUSED ? STORE_NONE : STORE_FAILED,
                      "%.190s", why.text);
}

static bool give_settings(struct fleet_store *store,
                          const struct journal_part *crawl,
                          const struct store_reader *reader,
                          struct store_error *error)
{
    const struct journal_pages pages = pages_of(store);
    const struct store_reader keep = {.user = NULL, .setting = keep_setting};
    struct store_reader own = keep;
    struct fleet_snapshot snapshot = store->moment;
    struct settings settings;

    settings_init(&settings);
    own.user = &settings;
    bool good = store->offset ||
                fleet_store_look(store, &snapshot, &store->arena, error);
    if (good && (!journal_part_read(crawl, ROW_setting, &pages, &own) ||
                 !add_figures(store, &snapshot, &settings)))
        good = store_fail(error, STORE_DAMAGED,
                          "settings are not as they were written");
    for (size_t i = 0; i < settings.count && good; i++)
        if (!store_give(reader, ROW_setting, &settings.item[i]))
            good = store_fail(error, STORE_DAMAGED, "a setting that cannot be");
    settings_release(&settings);
    return good;
}

/* Rows of a journal beyond the partitions, if the reader wants any of them. */
static bool give_journal(struct fleet_store *store, uint32_t number,
                         const enum row_kind *kind, size_t kinds,
                         const struct store_reader *reader,
                         struct store_error *error)
{
    const struct journal_pages pages = pages_of(store);
    uint32_t partitions = store->options.crawl.partitions;
    struct journal_part part;
    bool is_wanted = false, good = true;

    for (size_t i = 0; i < kinds; i++)
        is_wanted |= store_wants(reader, kind[i]);
    if (!is_wanted)
        return true;
    if (!load_part(store, number, &part, error))
        return false;
    for (size_t i = 0; i < kinds && good; i++)
        good = journal_part_read(&part, kind[i], &pages, reader);
    journal_part_release(&part);
    return good ||
           store_fail(error, STORE_DAMAGED,
                      "rows of machine %u are not as they were written",
                      (unsigned)((number - partitions) % JOURNAL_LINKS));
}

/* Rows of one machine's own journals. Every machine numbers its own from 1. */
static bool give_machine(struct fleet_store *store, uint32_t node,
                         const struct store_reader *reader,
                         struct store_error *error)
{
    static const enum row_kind own[] = {ROW_archive, ROW_capture,
                                        ROW_hand_order};
    static const enum row_kind links[] = {ROW_content, ROW_mixed, ROW_link};
    uint32_t partitions = store->options.crawl.partitions;

    return give_journal(store, journal_of_machine(partitions, node), own,
                        ARRAY_LEN(own), reader, error) &&
           give_journal(store, journal_of_links(partitions, node), links,
                        ARRAY_LEN(links), reader, error);
}

static bool load_crawl(struct fleet_store *store,
                       const struct store_reader *reader,
                       struct store_error *error)
{
    uint32_t partitions = store->options.crawl.partitions;
    const struct journal_pages pages = pages_of(store);
    struct journal_part crawl;

    if (reader->begin && !reader->begin(reader->user, 0, 0))
        return store_fail(error, STORE_DAMAGED, "it cannot be");
    if (!load_part(store, journal_of_machine(partitions, FLEET_SEEDS), &crawl,
                   error))
        return false;
    bool good = !store_wants(reader, ROW_setting) ||
                give_settings(store, &crawl, reader, error);
    if (good && store_wants(reader, ROW_seed) &&
        !journal_part_read(&crawl, ROW_seed, &pages, reader))
        good = store_fail(error, STORE_DAMAGED,
                          "seeds are not as they were written");
    journal_part_release(&crawl);
    if (store->options.node)
        return good && give_machine(store, store->options.node, reader, error);
    for (uint32_t node = 1; node < store->machines && good; node++)
        good = (node < store->lost_room && store->lost[node]) ||
               give_machine(store, node, reader, error);
    return good;
}

/* --- partitions in memory, for reports ------------------------------------ */

struct found_part {
    bool is_loaded;
    struct journal_part rows;
    uint64_t urls, last;   /* how many, and the greatest number */
    struct store_url *url; /* by number within the partition; NULL: nobody has
                            * asked for one */
    uint64_t count;
};

/* A partition stays in memory once it was asked for. NULL with `error`. */
static struct found_part *find_part(struct fleet_store *store, uint32_t part,
                                    struct store_error *error)
{
    uint32_t partitions = store->options.crawl.partitions;

    if (!store->found)
        store->found = mem_array(partitions, sizeof(*store->found));
    struct found_part *found = &store->found[part];
    if (found->is_loaded)
        return found;
    if (!load_part(store, part, &found->rows, error))
        return NULL;
    found->is_loaded =
        journal_part_count(&found->rows, &found->urls, &found->last) &&
        (!found->last || partition_of_number(found->last) == part);
    if (found->is_loaded)
        return found;
    journal_part_release(&found->rows);
    fail_part(error, part);
    return NULL;
}

/* One slice: the crawl as a whole with the partition that is shown. */
static bool load_shown(struct fleet_store *store,
                       const struct store_reader *reader,
                       struct store_error *error)
{
    const struct journal_pages pages = pages_of(store);
    const struct found_part *found = find_part(store, store->shown, error);
    struct store_reader rest = *reader;

    rest.begin = NULL;
    if (!found)
        return false;
    if (reader->begin && !reader->begin(reader->user, found->urls, found->last))
        return fail_part(error, store->shown);
    if (!load_crawl(store, &rest, error))
        return false;
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++)
        if (store_wants(reader, kind) &&
            !journal_part_read(&found->rows, kind, &pages, reader))
            return fail_part(error, store->shown);
    return true;
}

bool fleet_store_load(struct store *base, unsigned slice,
                      const struct store_reader *reader,
                      struct store_error *error)
{
    struct fleet_store *store = fleet_of(base);

    if (store->is_part_shown)
        return load_shown(store, reader, error);
    return slice ? load_slice(store, slice - 1, reader, error)
                 : load_crawl(store, reader, error);
}

unsigned fleet_store_slices(const struct store *base)
{
    const struct fleet_store *store = fleet_of_const(base);

    return store->is_part_shown ? 1 : store->options.crawl.partitions + 1;
}

void fleet_store_show_part(struct store *base, uint32_t part)
{
    struct fleet_store *store = fleet_of(base);

    store->is_part_shown = true;
    store->shown = part;
}

void fleet_store_show_all(struct store *base)
{
    fleet_of(base)->is_part_shown = false;
}

bool fleet_store_find_page(struct store *base, uint32_t page, struct str *url,
                           struct arena *arena)
{
    struct fleet_store *store = fleet_of(base);
    struct fleet_engine *engine = store->options.engine;
    struct fleet_error error;
    uint32_t node = 0;

    while (node < store->machines && page > store->offset[node + 1])
        node++;
    return page && node < store->machines &&
           engine->type->find_page(engine, node, page - store->offset[node],
                                   url, arena, &error) == FLEET_COUNTED &&
           url->len;
}

/* --- one URL -------------------------------------------------------------- */

static bool keep_url(void *user, const struct store_url *row)
{
    const struct found_part *found = user;
    uint64_t n =
        row->number - partition_number(partition_of_number(row->number), 0);

    if (n < found->count)
        found->url[n] = *row;
    return true;
}

static bool list_urls(const struct fleet_store *store, uint32_t part,
                      struct found_part *found)
{
    const struct journal_pages pages = pages_of(store);
    const struct store_reader reader = {.user = found, .url = keep_url};

    found->count =
        found->last ? found->last - partition_number(part, 0) + 1 : 1;
    found->url = mem_array(found->count, sizeof(*found->url));
    return journal_part_read(&found->rows, ROW_url, &pages, &reader);
}

bool fleet_store_find_url(struct store *base, uint64_t number,
                          struct store_url *url)
{
    struct fleet_store *store = fleet_of(base);
    uint32_t part = partition_of_number(number);
    struct store_error error;

    if (part >= store->options.crawl.partitions)
        return false;
    struct found_part *found = find_part(store, part, &error);
    if (!found || (!found->url && !list_urls(store, part, found)))
        return false;
    uint64_t n = number - partition_number(part, 0);
    if (n >= found->count || !found->url[n].number)
        return false;
    *url = found->url[n];
    return true;
}

void fleet_store_forget_found(struct fleet_store *store)
{
    for (uint32_t i = 0; store->found && i < store->options.crawl.partitions;
         i++) {
        journal_part_release(&store->found[i].rows);
        free(store->found[i].url);
    }
    free(store->found);
}

bool fleet_store_check(struct store *base,
                       void (*found)(void *user, const char *text), void *user,
                       struct store_error *error)
{
    const struct store_reader reader = {0};
    unsigned slices = fleet_store_slices(base);

    for (unsigned slice = 0; slice < slices; slice++) {
        if (fleet_store_load(base, slice, &reader, error))
            continue;
        if (error->status != STORE_DAMAGED)
            return false;
        found(user, error->text);
    }
    return true;
}
