#include "testserver/hostile.h"

#include <stdlib.h>

#include "base/mem.h"

enum { INDEX_MAX = 16 * 1024 * 1024 };

struct hostile {
    struct site *site;
    struct buf index;
};

/* The healthy page behind an entry is on the entry's host, if that is one of
 * HOSTILE_DOMAIN; else it is on the index's host. */
static struct str healthy_host(const struct site_entry *entry)
{
    if (str_ends(entry->host, STR("." HOSTILE_DOMAIN)))
        return entry->host;
    return STR(HOSTILE_DOMAIN);
}

static void put_healthy_url(struct buf *out, const struct site_entry *entry)
{
    struct str host = healthy_host(entry);

    buf_printf(out, "http://%.*s/healthy/%u", (int)host.len, host.ptr,
               entry->order);
}

/* The next entry, from `entry` on, that the index links to. */
static const struct site_entry *next_linked(const struct site_entry *entry)
{
    while (entry && !entry->expectation.is_linked)
        entry = entry->next;
    return entry;
}

static void put_index(const struct site *site, struct buf *out)
{
    const struct site_entry *entry = next_linked(site->first);

    buf_put(out, STR("<!doctype html>\n<title>hostile</title>\n"));
    for (; entry; entry = next_linked(entry->next)) {
        buf_put(out, STR("<a href=\""));
        buf_put(out, entry->expectation.url);
        buf_printf(out, "\">kind %u</a>\n<a href=\"", entry->expectation.kind);
        put_healthy_url(out, entry);
        buf_put(out, STR("\">healthy</a>\n"));
    }
}

static bool answer(void *self, const struct http_request *request,
                   struct buf *scratch, struct reply *reply)
{
    struct hostile *hostile = self;
    const struct site_entry *entry = site_find(hostile->site, request);

    (void)scratch;
    if (entry)
        *reply = entry->reply;
    else if (str_starts(request->path, STR("/healthy/")))
        reply_set_body(reply, STR("<p>This page is healthy.\n"));
    else if (str_eq(request->host, STR(HOSTILE_DOMAIN)) &&
             str_eq(request->path, STR("/")))
        reply_set_body(reply, buf_str(&hostile->index));
    else
        return false;
    return true;
}

static void free_hostile(void *self)
{
    struct hostile *hostile = self;

    site_free(hostile->site);
    buf_release(&hostile->index);
    free(hostile);
}

bool hostile_source(const char *path, struct source *source,
                    char problem[SITE_PROBLEM])
{
    struct site *site = site_read(path, problem);

    if (!site)
        return false;
    struct hostile *hostile = NEW(struct hostile);
    hostile->site = site;
    buf_init(&hostile->index, INDEX_MAX);
    put_index(site, &hostile->index);
    *source = (struct source){
        .answer = answer, .free = free_hostile, .self = hostile};
    return true;
}

static void tell_entry(const struct site_entry *entry, FILE *out)
{
    const struct site_expectation *expectation = &entry->expectation;
    struct buf healthy;

    if (!expectation->outcome.len)
        return;
    fprintf(out, "%u\t%s\t%s\n", expectation->kind, expectation->url.ptr,
            expectation->outcome.ptr);
    if (!expectation->is_linked)
        return;
    buf_init(&healthy, INDEX_MAX);
    put_healthy_url(&healthy, entry);
    fprintf(out, "0\t%s\tfetched\n", buf_cstr(&healthy));
    buf_release(&healthy);
}

bool hostile_tell(const char *path, FILE *out, char problem[SITE_PROBLEM])
{
    struct site *site = site_read(path, problem);

    if (!site)
        return false;
    fputs("0\t" HOSTILE_INDEX "\tfetched\n", out);
    for (const struct site_entry *entry = site->first; entry;
         entry = entry->next)
        tell_entry(entry, out);
    site_free(site);
    return fflush(out) == 0;
}
