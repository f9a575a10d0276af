#include "report/export.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/date.h"
#include "base/escape.h"
#include "base/json.h"
#include "base/mem.h"
#include "page/webpage.h"
#include "report/equal.h"
#include "web/html.h"
#include "web/url.h"

/* A line has at most two URLs or a link's text, six times as long in JSON. */
enum { LINE_LEN_MAX = 1 << 20 };

/* A page, as it is printed. */
struct export_page {
    struct str url;
    struct str referrer;  /* NULL for a seed */
    uint32_t depth;       /* at which it was fetched */
    uint32_t referrer_id; /* 0 for a seed */
    uint32_t equals;      /* the first page with this content, or 0 */
    const struct store_fetch *fetch;
};

/* The latest change of a URL, if there was one. */
struct change {
    bool known;
    uint32_t depth, referrer;
};

/* One reading is enough: changes of a URL come before its fetch, and the page
 * where it was found was saved before it. A fleet has no such order: its pages
 * are noted before. */
struct exporter {
    struct report *report;
    enum export_format format;
    struct change *change; /* by number of the URL */
    uint64_t last_number;
    uint64_t *page; /* the URL's number, by number of the page; 0: none */
    uint64_t pages_max;
    struct buf url;
    struct buf source;    /* the URL of the page where it was found, */
    uint32_t source_page; /* and which page that is */
    struct buf line;
    struct equal_pages equal;

    /* for a sitemap: */
    uint64_t wanted;          /* the part to print; 0: none */
    struct sitemap_size size; /* so far */
    uint64_t urls;            /* of the last part */
    uint64_t bytes;           /* of it, with its end */
};

static bool print_line(struct exporter *exporter)
{
    fwrite(exporter->line.ptr, 1, exporter->line.len, stdout);
    buf_clear(&exporter->line);
    return !ferror(stdout);
}

/* --- pages as JSON or CSV ----------------------------------------------- */

static const char *const columns[] = {
    "id",
    "url",
    "depth",
    "referrer_id",
    "referrer",
    "status",
    "mime",
    "size",
    "digest",
    "fetched",
    "ms",
    "equals",
    /* of a fleet alone: */
    "machine",
    "page",
    "referrer_machine",
    "referrer_page",
};
enum { COLUMNS = ARRAY_LEN(columns), COLUMNS_OF_FLEET = 4 };

/* A text if there is one, else a number, or null. */
struct cell {
    struct str text;
    uint64_t number;
    bool is_null;
};

static size_t column_count(const struct exporter *exporter)
{
    return exporter->report->machines ? COLUMNS : COLUMNS - COLUMNS_OF_FLEET;
}

static void put_json(struct exporter *exporter, const struct cell *cell)
{
    struct buf *line = &exporter->line;

    json_open(line, NULL);
    for (size_t i = 0; i < column_count(exporter); i++) {
        if (cell[i].is_null)
            json_add_null(line, columns[i]);
        else if (cell[i].text.ptr)
            json_add_str(line, columns[i], cell[i].text);
        else
            json_add_number(line, columns[i], cell[i].number);
    }
    json_close(line);
    buf_put_char(line, '\n');
}

/* RFC 4180: a field is quoted if it must be, and a quote is doubled. */
static void put_field(struct buf *line, struct str text)
{
    bool plain = true;

    for (size_t i = 0; i < text.len && plain; i++)
        plain = !strchr(",\"\r\n", text.ptr[i]) || !text.ptr[i];
    if (plain) {
        buf_put(line, text);
        return;
    }
    buf_put_char(line, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"')
            buf_put_char(line, '"');
        buf_put_char(line, text.ptr[i]);
    }
    buf_put_char(line, '"');
}

static void put_csv(struct exporter *exporter, const struct cell *cell)
{
    struct buf *line = &exporter->line;

    for (size_t i = 0; i < column_count(exporter); i++) {
        if (i)
            buf_put_char(line, ',');
        if (cell[i].text.ptr)
            put_field(line, cell[i].text);
        else if (!cell[i].is_null)
            buf_put_number(line, cell[i].number);
    }
    buf_put(line, STR("\r\n"));
}

static bool print_csv_head(struct exporter *exporter)
{
    struct cell head[COLUMNS] = {0};

    for (size_t i = 0; i < COLUMNS; i++)
        head[i].text = str_of(columns[i]);
    put_csv(exporter, head);
    return print_line(exporter);
}

static bool print_row(struct exporter *exporter, const struct export_page *page)
{
    const struct store_fetch *fetch = page->fetch;
    const struct report_page name = report_page(exporter->report, fetch->page);
    const struct report_page found =
        report_page(exporter->report, page->referrer_id);
    bool is_seed = !page->referrer_id;
    const struct date_text time = date_iso(fetch->start_ms);
    char digest[17];

    snprintf(digest, sizeof(digest), "%016llx",
             (unsigned long long)fetch->digest);
    const struct cell cells[COLUMNS] = {
        {.number = fetch->page},
        {.text = page->url},
        {.number = page->depth},
        {.number = page->referrer_id, .is_null = is_seed},
        {.text = page->referrer, .is_null = is_seed},
        {.number = fetch->status},
        {.text = fetch->mime.ptr ? fetch->mime : STR("")},
        {.number = fetch->size},
        {.text = str_of(digest)},
        {.text = str_of(time.text)},
        {.number = fetch->end_ms > fetch->start_ms
                       ? fetch->end_ms - fetch->start_ms
                       : 0},
        {.number = page->equals, .is_null = !page->equals},
        {.number = name.machine},
        {.number = name.number},
        {.number = found.machine, .is_null = is_seed},
        {.number = found.number, .is_null = is_seed},
    };
    if (exporter->format == EXPORT_CSV)
        put_csv(exporter, cells);
    else
        put_json(exporter, cells);
    return print_line(exporter);
}

/* --- links -------------------------------------------------------------- */

/* The scanner does not limit a rel. */
enum { FIELD_MAX = 64 << 10 };

/* One line, one column: a character that would end either becomes a blank, and
 * several blanks become one. */
static void put_folded(struct buf *line, struct str text)
{
    size_t from = line->len, to = from;

    terminal_put(line, str_first(text, FIELD_MAX), ' ');
    for (size_t i = from; i < line->len; i++) {
        bool blank = line->ptr[i] == ' ';
        if (!blank || (to > from && line->ptr[to - 1] != ' '))
            line->ptr[to++] = line->ptr[i];
    }
    if (to > from && line->ptr[to - 1] == ' ')
        to--;
    line->len = to;
}

static bool print_link(struct exporter *exporter, const struct store_link *link)
{
    const struct str field[] = {
        buf_str(&exporter->source),
        link->url,
        link->rel,
        link->text,
    };

    for (size_t i = 0; i < ARRAY_LEN(field); i++) {
        if (i)
            buf_put_char(&exporter->line, '\t');
        put_folded(&exporter->line, field[i]);
    }
    buf_put_char(&exporter->line, '\n');
    return print_line(exporter);
}

/* --- a sitemap ---------------------------------------------------------- */

/* The limits of sitemaps.org for a file. */
enum { FILE_URLS_MAX = 50000, FILE_BYTES_MAX = 50 << 20 };

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
static const char tail[] = "</urlset>\n";

static void put_entry(struct buf *out, struct str url)
{
    static const char *const escapes[128] = {
        ['&'] = "&amp;",  ['<'] = "&lt;",    ['>'] = "&gt;",
        ['"'] = "&quot;", ['\''] = "&apos;",
    };

    buf_put(out, STR("<url><loc>"));
    for (size_t i = 0; i < url.len; i++) {
        char c = url.ptr[i];
        /* A URL has nothing else, but a record may have been changed. */
        if (c <= ' ' || c >= 0x7f)
            c = '?';
        if (escapes[(int)c])
            buf_put(out, str_of(escapes[(int)c]));
        else
            buf_put_char(out, c);
    }
    buf_put(out, STR("</loc></url>\n"));
}

static bool is_wanted(const struct exporter *exporter)
{
    return exporter->size.parts && exporter->size.parts == exporter->wanted;
}

static void begin_part(struct exporter *exporter)
{
    exporter->size.parts++;
    exporter->urls = 0;
    exporter->bytes = sizeof(head) - 1 + sizeof(tail) - 1;
    if (is_wanted(exporter))
        fputs(head, stdout);
}

static void end_part(const struct exporter *exporter)
{
    if (is_wanted(exporter))
        fputs(tail, stdout);
}

static bool print_entry(struct exporter *exporter, struct str url)
{
    struct buf *entry = &exporter->line;

    if (url.len > SITEMAP_URL_MAX) {
        exporter->size.left_out++;
        return true;
    }
    buf_clear(entry);
    put_entry(entry, url);
    if (!exporter->size.parts || exporter->urls == FILE_URLS_MAX ||
        exporter->bytes + entry->len > FILE_BYTES_MAX) {
        end_part(exporter);
        begin_part(exporter);
    }
    exporter->urls++;
    exporter->bytes += entry->len;
    return !is_wanted(exporter) || print_line(exporter);
}

/* --- reading ------------------------------------------------------------ */

/* Which URL has which page is noted before the rows are printed: a page may be
 * found nearer on a later one, and in a fleet pages have no order. A crawl at
 * work may have more of them when they are read again. */
static bool begin_pages(void *user, uint64_t urls, uint64_t last_number)
{
    struct exporter *exporter = user;
    uint64_t *before = exporter->page;

    (void)last_number;
    if (before && urls <= exporter->pages_max)
        return true;
    exporter->page = mem_array(urls + 1, sizeof(*exporter->page));
    if (before)
        memcpy(exporter->page, before,
               (exporter->pages_max + 1) * sizeof(*exporter->page));
    exporter->pages_max = urls;
    free(before);
    return true;
}

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct exporter *exporter = user;

    exporter->last_number = last_number;
    exporter->change = mem_array(last_number + 1, sizeof(*exporter->change));
    begin_pages(user, urls, last_number);
    return exporter->format != EXPORT_CSV || print_csv_head(exporter);
}

static bool note_page(void *user, const struct store_fetch *row)
{
    struct exporter *exporter = user;

    if (row->page > exporter->pages_max)
        return false;
    exporter->page[row->page] = row->number;
    return true;
}

static bool note_pages(struct exporter *exporter)
{
    const struct store_reader reader = {
        .user = exporter,
        .unchecked = true,
        .begin = begin_pages,
        .fetch = note_page,
    };

    return store_load(exporter->report->store, 0, &reader,
                      &exporter->report->error);
}

static bool read_change(void *user, const struct store_change *row)
{
    struct exporter *exporter = user;

    if (row->number > exporter->last_number)
        return false;
    exporter->change[row->number] =
        (struct change){true, row->depth, row->referrer};
    return true;
}

/* Find where something was found; often it is the same page as the last time.
 */
static bool find_source(struct exporter *exporter, uint32_t page)
{
    struct store_url row;

    if (page && page == exporter->source_page)
        return true;
    exporter->source_page = page;
    buf_clear(&exporter->source);
    return page && page <= exporter->pages_max && exporter->page[page] &&
           store_find_url(exporter->report->store, exporter->page[page],
                          &row) &&
           buf_put(&exporter->source, row.url);
}

/* The source is a page that was read and not saved. */
static bool find_unsaved(struct exporter *exporter, uint64_t number)
{
    struct store_url row;

    exporter->source_page = 0;
    buf_clear(&exporter->source);
    return store_find_url(exporter->report->store, number, &row) &&
           buf_put(&exporter->source, row.url);
}

static bool read_fetch(void *user, const struct store_fetch *row)
{
    struct exporter *exporter = user;
    struct store_url url;

    if (!row->page)
        return true;
    buf_clear(&exporter->url);
    if (row->page > exporter->pages_max || row->mime.len > MIME_MAX ||
        row->number > exporter->last_number ||
        !store_find_url(exporter->report->store, row->number, &url) ||
        !buf_put(&exporter->url, url.url))
        return false;
    exporter->page[row->page] = row->number;
    const struct change *change = &exporter->change[row->number];
    struct export_page page = {
        .url = buf_str(&exporter->url),
        .depth = change->known ? change->depth : url.depth,
        .referrer_id = change->known ? change->referrer : url.referrer,
        .equals = equal_add(&exporter->equal, row),
        .fetch = row,
    };
    if (page.referrer_id && !find_source(exporter, page.referrer_id))
        return false;
    if (page.referrer_id)
        page.referrer = buf_str(&exporter->source);
    switch (exporter->format) {
    case EXPORT_LINKS:
        return true;
    case EXPORT_SITEMAP:
        return print_entry(exporter, page.url);
    default:
        return print_row(exporter, &page);
    }
}

/* The rows are only read for their digest. */
static bool read_url(void *user, const struct store_url *row)
{
    (void)user, (void)row;
    return true;
}

static bool read_link(void *user, const struct store_link *row)
{
    struct exporter *exporter = user;

    if (row->kind &&
        !html_link_is_followed((enum html_link_kind)(row->kind - 1)))
        return true;
    return (row->page ? find_source(exporter, row->page)
                      : find_unsaved(exporter, row->source)) &&
           print_link(exporter, row);
}

/* True also if standard output cannot be written. */
static bool print_all(struct exporter *exporter)
{
    const struct store_reader reader = {
        .user = exporter,
        .begin = begin,
        .change = read_change,
        .fetch = read_fetch,
        .url = read_url,
        .link = exporter->format == EXPORT_LINKS ? read_link : NULL,
    };

    equal_init(&exporter->equal);
    buf_init(&exporter->url, URL_LEN_MAX);
    buf_init(&exporter->source, URL_LEN_MAX);
    buf_init(&exporter->line, LINE_LEN_MAX);
    bool good =
        note_pages(exporter) && (store_load(exporter->report->store, 0, &reader,
                                            &exporter->report->error) ||
                                 ferror(stdout));
    free(exporter->change);
    free(exporter->page);
    equal_release(&exporter->equal);
    buf_release(&exporter->url);
    buf_release(&exporter->source);
    buf_release(&exporter->line);
    return good;
}

bool export_lines(struct report *report, enum export_format format)
{
    struct exporter exporter = {.report = report, .format = format};

    return print_all(&exporter);
}

bool export_sitemap(struct report *report, uint64_t part,
                    struct sitemap_size *size)
{
    struct exporter exporter = {
        .report = report,
        .format = EXPORT_SITEMAP,
        .wanted = part,
    };
    bool good = print_all(&exporter);

    if (good)
        end_part(&exporter);
    *size = exporter.size;
    return good;
}
