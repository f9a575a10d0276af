#include <errno.h>
#include <stdlib.h>

#include "archive/cdxj.h"
#include "archive/spelling.h"
#include "archive/surt.h"
#include "base/mem.h"
#include "base/sorter.h"

enum { KEY_MAX = 256 << 10, LINE_MAX_LEN = 1 << 20 };

struct cdxj_sorter {
    struct sorter *lines;
    struct buf ia, warcio; /* the two keys */
    struct buf url;        /* in its other spelling */
    struct buf line;
    uint64_t count, bytes;
};

struct cdxj_sorter *cdxj_sorter_new(void)
{
    struct cdxj_sorter *sorter = NEW(struct cdxj_sorter);

    buf_init(&sorter->ia, KEY_MAX);
    buf_init(&sorter->warcio, KEY_MAX);
    buf_init(&sorter->url, KEY_MAX);
    buf_init(&sorter->line, LINE_MAX_LEN);
    sorter->lines = sorter_new();
    if (sorter->lines)
        return sorter;
    cdxj_sorter_free(sorter);
    return NULL;
}

void cdxj_sorter_free(struct cdxj_sorter *sorter)
{
    if (!sorter)
        return;
    sorter_free(sorter->lines);
    buf_release(&sorter->ia);
    buf_release(&sorter->warcio);
    buf_release(&sorter->url);
    buf_release(&sorter->line);
    free(sorter);
}

static bool insert(struct cdxj_sorter *sorter, struct str key,
                   const struct cdxj_entry *entry)
{
    buf_clear(&sorter->line);
    errno = EFBIG;
    if (!cdxj_put(&sorter->line, key, entry))
        return false;
    sorter_add(sorter->lines, buf_str(&sorter->line));
    sorter->count++;
    sorter->bytes += sorter->line.len;
    errno = ENOSPC;
    return !sorter_failed(sorter->lines);
}

uint64_t cdxj_sorter_lines(const struct cdxj_sorter *sorter)
{
    return sorter->count;
}

uint64_t cdxj_sorter_bytes(const struct cdxj_sorter *sorter)
{
    return sorter->bytes;
}

static bool add_keys(struct cdxj_sorter *sorter, const struct cdxj_entry *entry)
{
    buf_clear(&sorter->ia);
    buf_clear(&sorter->warcio);
    errno = EFBIG;
    if (!surt_put_ia(&sorter->ia, entry->url) ||
        !surt_put_warcio(&sorter->warcio, entry->url) ||
        !insert(sorter, buf_str(&sorter->ia), entry))
        return false;
    return str_eq(buf_str(&sorter->ia), buf_str(&sorter->warcio)) ||
           insert(sorter, buf_str(&sorter->warcio), entry);
}

/* surt.py has one key for both spellings, warcio.js has two. */
static bool add_other(struct cdxj_sorter *sorter,
                      const struct cdxj_entry *entry)
{
    struct cdxj_entry other = *entry;

    buf_clear(&sorter->url);
    buf_clear(&sorter->warcio);
    errno = EFBIG;
    if (!spelling_put_other(&sorter->url, entry->url))
        return false;
    other.url = buf_str(&sorter->url);
    other.method = STR("GET");
    return surt_put_warcio(&sorter->warcio, other.url) &&
           insert(sorter, buf_str(&sorter->warcio), &other);
}

bool cdxj_sorter_add(struct cdxj_sorter *sorter, const struct cdxj_entry *entry)
{
    return add_keys(sorter, entry) &&
           (!spelling_has_bar(entry->url) || add_other(sorter, entry));
}

bool cdxj_sorter_each(struct cdxj_sorter *sorter,
                      bool (*each)(void *user, struct str line), void *user)
{
    struct buf *last = &sorter->line;
    struct str line;
    bool good = true;

    sorter_read_once(sorter->lines);
    buf_clear(last);
    while (good && sorter_next(sorter->lines, &line)) {
        if (str_eq(line, buf_str(last)))
            continue;
        buf_clear(last);
        good = buf_put(last, line) && each(user, line);
    }
    return good && !sorter_failed(sorter->lines);
}
