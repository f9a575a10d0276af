#include "testserver/site.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/io.h"

enum { MAX_SITE_FILE = 64 * 1024 * 1024 };

static bool suits(const struct site_entry *entry,
                  const struct http_request *request)
{
    if (!entry->times_left)
        return false;
    if (entry->method.len && !str_eq(entry->method, request->method))
        return false;
    if (entry->host.len && !str_eq_nocase(entry->host, request->host))
        return false;
    if (!entry->when_name.len)
        return true;

    struct str value = http_request_header(request, entry->when_name);
    return value.ptr && (!entry->when_text.len ||
                         memmem(value.ptr, value.len, entry->when_text.ptr,
                                entry->when_text.len));
}

static struct site_entry *find_exact(const struct site *site, struct str path,
                                     const struct http_request *request)
{
    struct site_entry *entry = hashtable_get(&site->by_path, hash64(path, 0));

    for (; entry; entry = entry->next_alike)
        if (suits(entry, request))
            return entry;
    return NULL;
}

static struct site_entry *find_prefix(const struct site *site,
                                      const struct http_request *request)
{
    struct site_entry *entry = site->prefixes;

    for (; entry; entry = entry->next_alike)
        if (str_starts(request->target, entry->path) && suits(entry, request))
            return entry;
    return NULL;
}

static struct site_entry *earlier(struct site_entry *a, struct site_entry *b)
{
    if (!a || !b)
        return a ? a : b;
    return a->order < b->order ? a : b;
}

const struct site_entry *site_find(struct site *site,
                                   const struct http_request *request)
{
    struct site_entry *found = find_exact(site, request->target, request);

    if (request->target.len != request->path.len)
        found = earlier(found, find_exact(site, request->path, request));
    found = earlier(found, find_prefix(site, request));
    if (found && found->times_left != UINT64_MAX)
        found->times_left--;
    return found;
}

void site_free(struct site *site)
{
    hashtable_release(&site->by_path);
    arena_release(&site->arena);
    free(site);
}

static bool answer(void *self, const struct http_request *request,
                   struct buf *scratch, struct reply *reply)
{
    const struct site_entry *entry = site_find(self, request);

    (void)scratch;
    if (entry)
        *reply = entry->reply;
    return entry != NULL;
}

static void free_site(void *self)
{
    site_free(self);
}

struct site *site_read(const char *path, char problem[SITE_PROBLEM])
{
    char dir[PATH_MAX];
    struct buf text;
    const char *slash = strrchr(path, '/');
    struct site *site = NULL;

    snprintf(dir, sizeof(dir), "%.*s", slash ? (int)(slash - path) : 1,
             slash ? path : ".");
    buf_init(&text, MAX_SITE_FILE);
    if (io_read_file(path, &text))
        site = site_parse(buf_str(&text), dir, problem);
    else
        snprintf(problem, SITE_PROBLEM, "%s", strerror(errno));
    buf_release(&text);
    return site;
}

bool site_source(const char *path, struct source *source,
                 char problem[SITE_PROBLEM])
{
    struct site *site = site_read(path, problem);

    *source =
        (struct source){.answer = answer, .free = free_site, .self = site};
    return site != NULL;
}
