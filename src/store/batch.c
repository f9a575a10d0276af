#include "store/batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void store_batch_init(struct store_batch *batch)
{
    *batch = (struct store_batch){0};
    arena_init(&batch->text);
}

enum { KINDS = 10 };

static void all_rows(struct store_batch *batch, struct store_rows *all[KINDS])
{
    struct store_rows *rows[KINDS] = {
        &batch->settings, &batch->seeds,    &batch->urls,   &batch->changes,
        &batch->fetches,  &batch->refusals, &batch->robots, &batch->hosts,
        &batch->domains,  &batch->links,
    };

    memcpy(all, rows, sizeof(rows));
}

void store_batch_release(struct store_batch *batch)
{
    struct store_rows *all[KINDS];

    all_rows(batch, all);
    for (size_t i = 0; i < KINDS; i++)
        free(all[i]->item);
    arena_release(&batch->text);
    *batch = (struct store_batch){0};
}

void store_batch_clear(struct store_batch *batch)
{
    struct store_rows *all[KINDS];

    all_rows(batch, all);
    for (size_t i = 0; i < KINDS; i++)
        all[i]->count = 0;
    arena_clear(&batch->text);
}

size_t store_batch_count(const struct store_batch *batch)
{
    return batch->settings.count + batch->seeds.count + batch->urls.count +
           batch->changes.count + batch->fetches.count + batch->refusals.count +
           batch->robots.count + batch->hosts.count + batch->domains.count +
           batch->links.count;
}

size_t store_batch_bytes(const struct store_batch *batch)
{
    return batch->text.used + batch->urls.count * sizeof(struct store_url) +
           batch->fetches.count * sizeof(struct store_fetch) +
           batch->changes.count * sizeof(struct store_change) +
           batch->links.count * sizeof(struct store_link);
}

/* Room for one more, zeroed or not. */
static void *add(struct store_rows *rows, size_t size)
{
    if (rows->count == rows->room) {
        rows->room = rows->room ? 2 * rows->room : 64;
        rows->item = mem_resize(rows->item, rows->room * size);
    }
    return (char *)rows->item + size * rows->count++;
}

/* NULL stays NULL: it may mean something else than empty. */
static struct str keep(struct store_batch *batch, struct str text)
{
    return text.ptr ? arena_copy(&batch->text, text) : text;
}

void store_add_setting(struct store_batch *batch, struct str name,
                       struct str value)
{
    struct store_setting *row = add(&batch->settings, sizeof(*row));

    *row = (struct store_setting){keep(batch, name), keep(batch, value)};
}

void store_add_number(struct store_batch *batch, struct str name,
                      uint64_t value)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);

    store_add_setting(batch, name, (struct str){text, (size_t)len});
}

void store_add_seed(struct store_batch *batch, const struct store_seed *row)
{
    struct store_seed *kept = add(&batch->seeds, sizeof(*kept));

    *kept = *row;
    kept->url = keep(batch, row->url);
}

void store_add_url(struct store_batch *batch, const struct store_url *row)
{
    struct store_url *kept = add(&batch->urls, sizeof(*kept));
    const char *was = row->url.ptr;

    *kept = *row;
    kept->url = keep(batch, row->url);
    kept->host.ptr = kept->url.ptr + (row->host.ptr - was);
    kept->domain.ptr = kept->url.ptr + (row->domain.ptr - was);
}

void store_add_change(struct store_batch *batch, const struct store_change *row)
{
    struct store_change *kept = add(&batch->changes, sizeof(*kept));

    *kept = *row;
}

void store_add_fetch(struct store_batch *batch, const struct store_fetch *row)
{
    struct store_fetch *kept = add(&batch->fetches, sizeof(*kept));

    *kept = *row;
    kept->mime = keep(batch, row->mime);
    kept->target = keep(batch, row->target);
}

void store_add_refusal(struct store_batch *batch,
                       const struct store_refusal *row)
{
    struct store_refusal *kept = add(&batch->refusals, sizeof(*kept));

    *kept = *row;
}

void store_add_robots(struct store_batch *batch, const struct store_robots *row)
{
    struct store_robots *kept = add(&batch->robots, sizeof(*kept));

    *kept = *row;
    kept->host = keep(batch, row->host);
    kept->url = keep(batch, row->url);
    kept->text = keep(batch, row->text);
}

void store_add_host(struct store_batch *batch, const struct store_host *row)
{
    struct store_host *kept = add(&batch->hosts, sizeof(*kept));

    *kept = *row;
    kept->name = keep(batch, row->name);
}

void store_add_domain(struct store_batch *batch, const struct store_domain *row)
{
    struct store_domain *kept = add(&batch->domains, sizeof(*kept));

    *kept = *row;
    kept->name = keep(batch, row->name);
}

void store_add_link(struct store_batch *batch, const struct store_link *row)
{
    struct store_link *kept = add(&batch->links, sizeof(*kept));

    *kept = *row;
    kept->url = keep(batch, row->url);
    kept->text = keep(batch, row->text);
    kept->rel = keep(batch, row->rel);
}
