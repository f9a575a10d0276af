/* Links to fragments ("page#id") whose page has no such id.
 *
 * The fragments that links name are sorted by their page. The rows with the ids
 * of pages come in the order of pages, so that the two are read side by side,
 * and only the ids of one page are in memory. */
#include "base/hashtable.h"
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

/* Does it name a part of a page by an id? A part of another site that begins
 * so is read by a script. */
static bool names_part(struct str fragment, bool is_outside)
{
    return !is_top(fragment) && !memchr(fragment.ptr, '\0', fragment.len) &&
           !(is_outside && (fragment.ptr[0] == '/' || fragment.ptr[0] == '!'));
}

/* Where a part is named: page, source, redirect, fragment, NUL, text. */
static void put_place(struct buf *out, struct str fragment,
                      const struct store_link *link, uint64_t via)
{
    put_u32(out, link->page);
    finding_put_number(out, link->source);
    finding_put_number(out, via);
    put_fragment(out, fragment);
    buf_put_char(out, '\0');
    buf_put(out, link->text);
}

/* A want is: target page, place. */
void findings_want(struct findings *findings, uint32_t target,
                   struct str fragment, const struct store_link *link,
                   uint64_t via)
{
    struct buf *out = &findings->record;

    fragment = without_directive(fragment);
    if (!names_part(fragment, false))
        return;
    if (!target) {
        findings->fragments_unknown++;
        return;
    }
    buf_clear(out);
    put_u32(out, target);
    put_place(out, fragment, link, via);
    sorter_add(findings->wanted, buf_str(out));
}

/* --- the ids of a page --------------------------------------------------- */

struct reading {
    struct findings *findings;
    struct site *site;     /* with these pages */
    struct sorter *wanted; /* parts of them */
    enum finding_kind kind;
    uint64_t unknown; /* links to pages whose ids are not known */
    struct hashtable ids;
    struct str want; /* the record that is next; NULL: none */
};

/* The set holds hashes; the items only say that they are there. */
static void add_id(struct reading *reading, struct str id)
{
    uint64_t key = hash64(id, 0);

    if (!hashtable_get(&reading->ids, key))
        hashtable_put(&reading->ids, key, reading);
}

static bool has_id(const struct reading *reading, struct str id)
{
    return hashtable_get(&reading->ids, hash64(id, 0));
}

static void read_ids(struct reading *reading, struct str ids)
{
    hashtable_release(&reading->ids);
    hashtable_init(&reading->ids);
    while (ids.len) {
        struct str_pair line = str_cut(ids, '\n');
        add_id(reading, line.head);
        ids = line.tail;
    }
}

/* Sites that show texts of their users put this before the ids of these, and
 * their scripts look for both. */
#define OF_USERS "user-content-"

/* As a browser finds it: the fragment as it is, or with escapes decoded. */
static bool is_there(const struct reading *reading, struct str fragment)
{
    char id[sizeof(OF_USERS) + FRAGMENT_MAX] = OF_USERS;
    char *decoded = id + strlen(OF_USERS);
    size_t len = 0;

    if (has_id(reading, fragment) || fragment.len > FRAGMENT_MAX)
        return true;
    for (size_t i = 0; i < fragment.len; i++) {
        int byte = percent_value(str_skip(fragment, i));
        decoded[len++] = byte < 0 ? fragment.ptr[i] : (char)byte;
        i += byte < 0 ? 0 : 2;
    }
    return has_id(reading, (struct str){decoded, len}) ||
           (reading->kind == FINDING_OUTSIDE_FRAGMENT &&
            has_id(reading, str_between(id, decoded + len)));
}

/* --- side by side -------------------------------------------------------- */

static void next_want(struct reading *reading)
{
    if (!sorter_next(reading->wanted, &reading->want) ||
        reading->want.len < WANT_HEAD)
        reading->want = (struct str){0};
}

static bool is_wanted(const struct reading *reading, uint32_t page)
{
    return reading->want.ptr && get_u32(reading->want.ptr) == page;
}

/* A finding, if the page has no such id. */
static void check_want(struct reading *reading, uint32_t target)
{
    const char *want = reading->want.ptr;
    struct str_pair parts = str_cut(str_skip(reading->want, WANT_HEAD), '\0');
    struct buf subject;

    if (is_there(reading, parts.head))
        return;
    buf_init(&subject, URL_LEN_MAX + FRAGMENT_MAX);
    buf_put(&subject, site_page_text(reading->site, target));
    buf_put_char(&subject, '#');
    buf_put(&subject, parts.head);
    finding_add(reading->findings, &(struct finding_record){
                                       .kind = reading->kind,
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
    struct reading *reading = user;

    /* Pages before this one have no ids that are known. */
    while (reading->want.ptr && get_u32(reading->want.ptr) < row->page) {
        reading->unknown++;
        next_want(reading);
    }
    if (!is_wanted(reading, row->page))
        return true;
    read_ids(reading, row->ids);
    for (; is_wanted(reading, row->page); next_want(reading))
        if (row->ids_beyond)
            reading->unknown++;
        else
            check_want(reading, row->page);
    return true;
}

/* The title of the page, too. */
static bool read_own_content(void *user, const struct store_content *row)
{
    struct reading *reading = user;
    struct findings *findings = reading->findings;
    struct site *site = reading->site;
    uint64_t number = row->page < site->pages ? site->page[row->page] : 0;

    findings->contents++;
    if (number && site->url[number].flags & (SITE_NO_TITLE | SITE_EMPTY_TITLE))
        finding_add(findings, &(struct finding_record){
                                  .kind = FINDING_NO_TITLE,
                                  .subject = site_url_text(site, number),
                                  .number = number,
                              });
    return read_content(user, row);
}

static bool read_all(struct reading *reading, bool is_outside,
                     struct store_error *error)
{
    const struct store_reader reader = {
        .user = reading,
        .content = is_outside ? read_content : read_own_content,
    };

    sorter_rewind(reading->wanted);
    next_want(reading);
    hashtable_init(&reading->ids);
    bool good = store_load(reading->site->report->store, 0, &reader, error);
    hashtable_release(&reading->ids);
    for (; reading->want.ptr; next_want(reading))
        reading->unknown++;
    return good;
}

bool findings_read_fragments(struct findings *findings)
{
    struct reading reading = {
        .findings = findings,
        .site = &findings->site,
        .wanted = findings->wanted,
        .kind = FINDING_FRAGMENT,
    };
    bool good = read_all(&reading, false, &findings->report->error);

    findings->fragments_unknown += reading.unknown;
    return good;
}

/* --- of other sites ------------------------------------------------------ */

/* A part is: URL, NUL, place. */
void findings_want_outside(struct findings *findings, struct str url,
                           const struct store_link *link, uint64_t via)
{
    struct str fragment = without_directive(link->fragment);
    struct buf *out = &findings->record;
    uint64_t key = hash64(url, 0);

    if (!names_part(fragment, true))
        return;
    if (!hashtable_get(&findings->with_parts, key))
        hashtable_put(&findings->with_parts, key, findings);
    if (!findings->parts)
        return;
    buf_clear(out);
    buf_put(out, url);
    buf_put_char(out, '\0');
    put_place(out, fragment, link, via);
    sorter_add(findings->parts, buf_str(out));
}

bool findings_wants_ids(const struct findings *findings, struct str url)
{
    return hashtable_get(&findings->with_parts, hash64(url, 0));
}

/* The page is there, and is HTML, but its ids were not read. */
static bool is_unread(const struct site *site, uint64_t number)
{
    const struct site_url *url = &site->url[number];

    return (url->end == URL_FAILED || url->end == URL_NOT_KEPT) &&
           site_judge(site, number) == LINK_GOOD && !site_is_no_html(url);
}

/* The part, as a want of the page that was read; nothing if there is no such
 * page. */
static void want_part(struct reading *reading, struct str url, struct str place)
{
    struct site *site = reading->site;
    struct buf *out = &reading->findings->record;
    uint64_t number = site_find(site, url);
    struct site_path path = {.is_loop = true};
    struct str own = str_skip(place, WANT_HEAD - 4);

    if (number)
        path = site_follow(site, number);
    if (path.is_loop || !path.last)
        return;
    struct str_pair parts = str_cut(own, '\0');
    const struct str *fragment =
        path.fragment ? site_fragment(site, path.fragment) : &parts.head;
    uint32_t page = site->url[path.last].page;
    reading->unknown += !fragment || (!page && is_unread(site, path.last));
    if (!fragment || !page || !names_part(without_directive(*fragment), true))
        return;
    buf_clear(out);
    put_u32(out, page);
    buf_put(out, str_first(place, WANT_HEAD - 4));
    put_fragment(out, without_directive(*fragment));
    buf_put_char(out, '\0');
    buf_put(out, parts.tail);
    sorter_add(reading->wanted, buf_str(out));
}

bool findings_read_outside(struct findings *findings, struct site *site,
                           struct store_error *error)
{
    struct reading reading = {
        .findings = findings,
        .site = site,
        .wanted = sorter_new(),
        .kind = FINDING_OUTSIDE_FRAGMENT,
    };
    struct str text;

    sorter_rewind(findings->parts);
    while (reading.wanted && sorter_next(findings->parts, &text)) {
        struct str_pair cut = str_cut(text, '\0');
        if (cut.tail.len >= WANT_HEAD - 4)
            want_part(&reading, cut.head, cut.tail);
    }
    bool good = reading.wanted && read_all(&reading, true, error);
    if (!reading.wanted || sorter_failed(reading.wanted))
        good = store_fail(error, STORE_FAILED, "no room for a temporary file");
    findings->parts_unknown += reading.unknown;
    sorter_free(reading.wanted);
    return good;
}
