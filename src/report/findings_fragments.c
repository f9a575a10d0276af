/* Links to fragments ("page#id") whose page has no such id.
 *
 * The fragments that links name are sorted by their page. The rows with the ids
 * of pages come in the order of pages, so that the two are read side by side,
 * and only the ids of one page are in memory. */
#include "base/hash.h"
#include "report/findings_internal.h"

enum { WANT_HEAD = 24, FRAGMENT_MAX = 4096 };

static void put_u32(struct buf *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buf_put_char(out, (char)(value >> shift));
}

static uint32_t get_u32(const char *bytes)
{
    const unsigned char *at = (const unsigned char *)bytes;

    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
           (uint32_t)at[2] << 8 | at[3];
}

/* A text directive (":~:text=...") is for the browser alone. */
static struct str without_directive(struct str fragment)
{
    for (size_t i = 0; i + 3 <= fragment.len; i++)
        if (!memcmp(fragment.ptr + i, ":~:", 3))
            return str_first(fragment, i);
    return fragment;
}

/* The top of a page is always there. */
static bool is_top(struct str fragment)
{
    return !fragment.len || str_eq_nocase(fragment, STR("top"));
}

/* URLs have no tabs and line breaks: browsers leave them out. */
static void put_fragment(struct buf *out, struct str fragment)
{
    for (size_t i = 0; i < fragment.len; i++) {
        char c = fragment.ptr[i];
        if (c != '\t' && c != '\n' && c != '\r')
            buf_put_char(out, c);
    }
}

/* A want is: target page, page of the link, source of the link, redirect,
 * fragment, NUL, text. */
void findings_want(struct findings *findings, uint32_t target,
                   struct str fragment, const struct store_link *link,
                   uint64_t via)
{
    struct buf *out = &findings->record;

    fragment = without_directive(fragment);
    if (is_top(fragment) || memchr(fragment.ptr, '\0', fragment.len))
        return;
    if (!target) {
        findings->fragments_unknown++;
        return;
    }
    buf_clear(out);
    put_u32(out, target);
    put_u32(out, link->page);
    finding_put_number(out, link->source);
    finding_put_number(out, via);
    put_fragment(out, fragment);
    buf_put_char(out, '\0');
    buf_put(out, link->text);
    sorter_add(findings->wanted, buf_str(out));
}

/* --- the ids of a page --------------------------------------------------- */

/* The set holds hashes; the items only say that they are there. */
static void add_id(struct findings *findings, struct str id)
{
    uint64_t key = hash64(id, 0);

    if (!hashtable_get(&findings->ids, key))
        hashtable_put(&findings->ids, key, findings);
}

static bool has_id(const struct findings *findings, struct str id)
{
    return hashtable_get(&findings->ids, hash64(id, 0));
}

static void read_ids(struct findings *findings, struct str ids)
{
    hashtable_release(&findings->ids);
    hashtable_init(&findings->ids);
    while (ids.len) {
        struct str_pair line = str_cut(ids, '\n');
        add_id(findings, line.head);
        ids = line.tail;
    }
}

/* As a browser finds it: the fragment as it is, or with escapes decoded. */
static bool is_there(const struct findings *findings, struct str fragment)
{
    char decoded[FRAGMENT_MAX];
    size_t len = 0;

    if (has_id(findings, fragment) || fragment.len > sizeof(decoded))
        return true;
    for (size_t i = 0; i < fragment.len; i++) {
        int byte = percent_value(str_skip(fragment, i));
        decoded[len++] = byte < 0 ? fragment.ptr[i] : (char)byte;
        i += byte < 0 ? 0 : 2;
    }
    return has_id(findings, (struct str){decoded, len});
}

/* --- side by side -------------------------------------------------------- */

static void next_want(struct findings *findings)
{
    if (!sorter_next(findings->wanted, &findings->want) ||
        findings->want.len < WANT_HEAD)
        findings->want = (struct str){0};
}

static bool is_wanted(const struct findings *findings, uint32_t page)
{
    return findings->want.ptr && get_u32(findings->want.ptr) == page;
}

/* A finding, if the page has no such id. */
static void check_want(struct findings *findings, uint32_t target)
{
    const char *want = findings->want.ptr;
    struct str_pair parts = str_cut(str_skip(findings->want, WANT_HEAD), '\0');
    struct buf subject;

    if (is_there(findings, parts.head))
        return;
    buf_init(&subject, URL_LEN_MAX + FRAGMENT_MAX);
    buf_put(&subject, site_page_text(&findings->site, target));
    buf_put_char(&subject, '#');
    buf_put(&subject, parts.head);
    finding_add(findings, &(struct finding_record){
                              .kind = FINDING_FRAGMENT,
                              .subject = buf_str(&subject),
                              .page = get_u32(want + 4),
                              .source = finding_number(want + 8),
                              .via = finding_number(want + 16),
                              .text = parts.tail,
                          });
    buf_release(&subject);
}

static bool read_content(void *user, const struct store_content *row)
{
    struct findings *findings = user;
    struct site *site = &findings->site;
    uint64_t number = row->page < site->pages ? site->page[row->page] : 0;

    findings->contents++;
    if (number && site->url[number].flags & (SITE_NO_TITLE | SITE_EMPTY_TITLE))
        finding_add(findings, &(struct finding_record){
                                  .kind = FINDING_NO_TITLE,
                                  .subject = site_url_text(site, number),
                                  .number = number,
                              });
    /* Pages before this one have no ids that are known. */
    while (findings->want.ptr && get_u32(findings->want.ptr) < row->page) {
        findings->fragments_unknown++;
        next_want(findings);
    }
    if (!is_wanted(findings, row->page))
        return true;
    read_ids(findings, row->ids);
    for (; is_wanted(findings, row->page); next_want(findings))
        if (row->ids_beyond)
            findings->fragments_unknown++;
        else
            check_want(findings, row->page);
    return true;
}

bool findings_read_fragments(struct findings *findings)
{
    const struct store_reader reader = {.user = findings,
                                        .content = read_content};
    struct report *report = findings->report;

    sorter_rewind(findings->wanted);
    next_want(findings);
    hashtable_init(&findings->ids);
    bool good = store_load(report->store, 0, &reader, &report->error);
    hashtable_release(&findings->ids);
    for (; findings->want.ptr; next_want(findings))
        findings->fragments_unknown++;
    return good;
}
