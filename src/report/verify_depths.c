#include "base/hash.h"
#include "report/verify_internal.h"

/* Every depth is one more than that of the page where the URL was found. A
 * redirect leads to the same depth, and its target counts as found on the same
 * page, so that holds for it too; that it is the depth of the URL that
 * redirects is checked in report/verify_rows.c.
 *
 * A page that asks not to be indexed has no number; its links have a
 * depth but no page that they were found on. There must be such a page then,
 * one level up. */

static uint64_t key_of(const struct verify *verify, uint32_t depth)
{
    return hash64((struct str){(const char *)&depth, sizeof(depth)},
                  verify->seed);
}

static bool is_set(const struct verify_url *url, uint8_t flags)
{
    return (url->flags & flags) == flags;
}

static void note_unsaved(const struct verify *verify, struct seen *depths)
{
    for (uint64_t number = 1; number <= verify->last_number; number++) {
        const struct verify_url *url = &verify->url[number];
        if (is_set(url, VERIFY_KNOWN | VERIFY_NOINDEX))
            seen_add(depths, key_of(verify, url->depth));
    }
}

static void check_unreferred(struct verify *verify, uint64_t number,
                             const struct seen *unsaved)
{
    uint32_t depth = verify->url[number].depth;

    if (!depth || seen_has(unsaved, key_of(verify, depth - 1)))
        return;
    struct str text = verify_url_text(verify, number);
    findings_add(&verify->findings, FINDING_DEPTH,
                 "depth %u, but it was found on no page: %.*s", (unsigned)depth,
                 (int)text.len, text.ptr);
}

static void check_referred(struct verify *verify, uint64_t number)
{
    const struct verify_url *url = &verify->url[number];
    unsigned id = (unsigned)url->referrer;
    uint32_t page =
        id <= verify->last_page ? verify->page[url->referrer].number : 0;

    if (page && url->depth == verify->url[page].depth + 1)
        return;
    struct str text = verify_url_text(verify, number);
    if (page)
        findings_add(&verify->findings, FINDING_DEPTH,
                     "depth %u, but page %u, where it was found, has %u: %.*s",
                     (unsigned)url->depth, id,
                     (unsigned)verify->url[page].depth, (int)text.len,
                     text.ptr);
    else
        findings_add(&verify->findings, FINDING_DEPTH,
                     "it was found on page %u, which is not recorded: %.*s", id,
                     (int)text.len, text.ptr);
}

void verify_depths(struct verify *verify)
{
    struct seen unsaved;

    seen_init(&unsaved);
    note_unsaved(verify, &unsaved);
    for (uint64_t number = 1; number <= verify->last_number; number++) {
        const struct verify_url *url = &verify->url[number];
        if (!is_set(url, VERIFY_KNOWN | VERIFY_PAGE))
            continue;
        if (url->referrer)
            check_referred(verify, number);
        else
            check_unreferred(verify, number, &unsaved);
    }
    seen_release(&unsaved);
}
