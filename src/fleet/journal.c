#include "fleet/journal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "fleet/settings.h"
#include "store/pack.h"
#include "store/store_type.h"
#include "web/partition.h"

/* A row on its way to a segment. */
struct placed {
    uint32_t place; /* index of its segment, see place_of */
    enum row_kind kind;
    const void *row;
};

struct journal {
    uint32_t partitions;
    uint64_t seed;
    const struct domains *domains;
    struct settings figures;
    struct packer *packer;
    struct placed *placed, *sorted;
    size_t count, room, sorted_room;
    size_t *start; /* by place: where its rows begin in `sorted` */
    /* of the segments that are given out */
    struct arena arena;
    struct fleet_segment *segment;
    size_t segments, segment_room;
    struct fleet_segment head; /* of those that are being packed */
};

/* Places behind those of the partitions. */
enum { OWN, LINKS, OWN_PLACES };

static void take_piece(void *user, struct str piece)
{
    struct journal *journal = user;

    journal->segment =
        mem_grow(journal->segment, journal->segments, &journal->segment_room,
                 sizeof(*journal->segment));
    struct fleet_segment *segment = &journal->segment[journal->segments++];
    *segment = journal->head;
    segment->payload = arena_copy(&journal->arena, piece);
    journal->head.piece++;
}

struct journal *journal_new(uint32_t partitions, uint64_t seed,
                            const struct domains *domains)
{
    struct journal *journal = NEW(struct journal);

    journal->partitions = partitions;
    journal->seed = seed;
    journal->domains = domains;
    journal->packer = packer_new(take_piece, journal);
    journal->start =
        mem_array(partitions + OWN_PLACES + 1, sizeof(*journal->start));
    settings_init(&journal->figures);
    arena_init(&journal->arena);
    return journal;
}

void journal_free(struct journal *journal)
{
    if (!journal)
        return;
    packer_free(journal->packer);
    settings_release(&journal->figures);
    arena_release(&journal->arena);
    free(journal->placed);
    free(journal->sorted);
    free(journal->start);
    free(journal->segment);
    free(journal);
}

/* --- which row goes where ---------------------------------------------------
 */

static uint32_t part_of_domain(const struct journal *journal, struct str domain)
{
    return partition_of(domain, journal->seed, journal->partitions);
}

/* "example.org:8080", "[::1]:8080" */
static uint32_t part_of_host(const struct journal *journal, struct str host)
{
    size_t len = host.len;

    while (len && ascii_is_digit(host.ptr[len - 1]))
        len--;
    if (len && host.ptr[len - 1] == ':')
        host.len = len - 1;
    return part_of_domain(journal, domain_of_host(journal->domains, host));
}

static uint32_t place_of(const struct journal *journal, enum row_kind kind,
                         const void *row)
{
    switch (kind) {
    case ROW_url:
    case ROW_change:
    case ROW_fetch:
    case ROW_refusal:
        /* The first column of each. */
        return partition_of_number(
            row_get_number(row, &row_description[kind].column[0]));
    case ROW_domain:
        return part_of_domain(journal,
                              ((const struct store_domain *)row)->name);
    case ROW_robots:
        return part_of_host(journal, ((const struct store_robots *)row)->host);
    case ROW_host:
        return part_of_host(journal, ((const struct store_host *)row)->name);
    case ROW_link:
    case ROW_content:
    case ROW_mixed:
        return journal->partitions + LINKS;
    default:
        return journal->partitions + OWN;
    }
}

/* --- packing -------------------------------------------------------------- */

static void place_row(struct journal *journal, enum row_kind kind,
                      const void *row)
{
    uint32_t place = place_of(journal, kind, row);

    journal->placed = mem_grow(journal->placed, journal->count, &journal->room,
                               sizeof(*journal->placed));
    journal->placed[journal->count++] = (struct placed){place, kind, row};
    journal->start[place + 1]++;
}

static void place_rows(struct journal *journal,
                       const struct store_batch *const *batch, size_t count)
{
    size_t places = journal->partitions + OWN_PLACES;

    memset(journal->start, 0, (places + 1) * sizeof(*journal->start));
    journal->count = 0;
    for (enum row_kind kind = 0; kind < ROW_KINDS; kind++)
        for (size_t i = 0; i < count; i++)
            for (size_t at = 0; at < batch[i]->rows[kind].count; at++) {
                const char *row = (const char *)batch[i]->rows[kind].item +
                                  at * row_description[kind].size;
                if (kind == ROW_setting)
                    settings_set(
                        &journal->figures,
                        (const struct store_setting *)(const void *)row);
                else
                    place_row(journal, kind, row);
            }
    for (size_t i = 0; i < places; i++)
        journal->start[i + 1] += journal->start[i];
}

/* By place; rows of one place stay in order, so kind by kind. */
static void sort_rows(struct journal *journal)
{
    size_t places = journal->partitions + OWN_PLACES;

    if (journal->sorted_room < journal->count) {
        free(journal->sorted);
        journal->sorted_room = journal->room;
        journal->sorted = mem_array(journal->room, sizeof(*journal->sorted));
    }
    for (size_t i = 0; i < journal->count; i++)
        journal->sorted[journal->start[journal->placed[i].place]++] =
            journal->placed[i];
    for (size_t i = places; i > 0; i--)
        journal->start[i] = journal->start[i - 1];
    journal->start[0] = 0;
}

static bool pack_place(struct journal *journal, size_t place,
                       const struct fleet_segment *head)
{
    size_t from = journal->start[place], to = journal->start[place + 1];

    journal->head = *head;
    for (size_t i = from; i < to; i++)
        if (!packer_add(journal->packer, journal->sorted[i].kind,
                        journal->sorted[i].row))
            return false;
    packer_end(journal->packer);
    return true;
}

static void begin_pack(struct journal *journal)
{
    arena_clear(&journal->arena);
    journal->segments = 0;
}

static void end_pack(struct journal *journal, struct journal_segments *out)
{
    out->segment = journal->segment;
    out->segments = journal->segments;
}

/* The figures as one piece: they are a few kilobytes. */
static bool pack_figures(struct journal *journal, struct str *out)
{
    size_t before = journal->segments;

    journal->head = (struct fleet_segment){0};
    for (size_t i = 0; i < journal->figures.count; i++)
        if (!packer_add(journal->packer, ROW_setting,
                        &journal->figures.item[i]))
            return false;
    packer_end(journal->packer);
    if (journal->segments > before + 1)
        return false;
    *out = journal->segments > before ? journal->segment[before].payload
                                      : (struct str){0};
    journal->segments = before;
    return true;
}

bool journal_pack(struct journal *journal,
                  const struct store_batch *const *batch, size_t count,
                  uint32_t node, const uint32_t *epoch, uint32_t own_epoch,
                  struct journal_segments *out)
{
    uint32_t partitions = journal->partitions;

    begin_pack(journal);
    place_rows(journal, batch, count);
    sort_rows(journal);
    for (uint32_t part = 0; part < partitions; part++)
        if (!pack_place(
                journal, part,
                &(struct fleet_segment){.part = part, .epoch = epoch[part]}))
            return false;
    const struct fleet_segment own[] = {
        [OWN] = {.part = journal_of_machine(partitions, node),
                 .epoch = own_epoch},
        [LINKS] = {.part = journal_of_links(partitions, node),
                   .epoch = own_epoch},
    };
    for (uint32_t i = 0; i < OWN_PLACES; i++)
        if (!pack_place(journal, partitions + i, &own[i]))
            return false;
    if (!pack_figures(journal, &out->figures))
        return false;
    end_pack(journal, out);
    return true;
}

bool journal_pack_crawl(struct journal *journal,
                        const struct store_batch *first,
                        struct journal_segments *out)
{
    static const enum row_kind kinds[] = {ROW_setting, ROW_seed};

    begin_pack(journal);
    journal->head = (struct fleet_segment){
        .part = journal_of_machine(journal->partitions, FLEET_SEEDS)};
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        const struct store_rows *rows = &first->rows[kinds[i]];
        for (size_t at = 0; at < rows->count; at++)
            if (!packer_add(journal->packer, kinds[i],
                            (const char *)rows->item +
                                at * row_description[kinds[i]].size))
                return false;
    }
    packer_end(journal->packer);
    end_pack(journal, out);
    return true;
}

bool journal_set_figures(struct journal *journal, struct str figures)
{
    return settings_unpack(&journal->figures, figures, SETTINGS_LAST);
}
