#include "report/export.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "page/webpage.h"
#include "url/url.h"

/* A page, as it is given to a printer. */
struct export_page {
    struct str url;
    struct str referrer;  /* NULL for a seed */
    uint32_t depth;       /* at which it was fetched */
    uint32_t referrer_id; /* 0 for a seed */
    const struct store_fetch *fetch;
};

/* It gets pages or links: `page` or `link` is set. False ends the reading. */
struct printer {
    void *user;
    void (*begin)(void); /* before the first, also if there is none */
    bool (*page)(void *user, const struct export_page *page);
    bool (*link)(void *user, struct str source, const struct store_link *link);
};

/* --- reading ------------------------------------------------------------ */

/* The latest change of a URL, if there was one. */
struct change {
    bool known;
    uint32_t depth, referrer;
};

/* One reading is enough: changes of a URL come before its fetch, and the page
 * where it was found was saved before it. */
struct exporter {
    struct store *store;
    const struct printer *printer;
    struct change *change; /* by number of the URL */
    uint64_t last_number;
    uint64_t
        *page; /* the URL's number, by number of the page; 0: no such page */
    uint64_t pages_max;
    struct buf url;
    struct buf source;    /* the URL of the page where it was found, */
    uint32_t source_page; /* and which page that is */
};

static bool begin(void *user, uint64_t urls, uint64_t last_number)
{
    struct exporter *exporter = user;

    exporter->last_number = last_number;
    exporter->change = mem_array(last_number + 1, sizeof(*exporter->change));
    exporter->pages_max = urls;
    exporter->page = mem_array(urls + 1, sizeof(*exporter->page));
    if (exporter->printer->begin)
        exporter->printer->begin();
    return true;
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
    return page && page <= exporter->pages_max &&
           store_find_url(exporter->store, exporter->page[page], &row) &&
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
        !store_find_url(exporter->store, row->number, &url) ||
        !buf_put(&exporter->url, url.url))
        return false;
    exporter->page[row->page] = row->number;
    const struct change *change = &exporter->change[row->number];
    struct export_page page = {
        .url = buf_str(&exporter->url),
        .depth = change->known ? change->depth : url.depth,
        .referrer_id = change->known ? change->referrer : url.referrer,
        .fetch = row,
    };
    if (page.referrer_id && !find_source(exporter, page.referrer_id))
        return false;
    if (page.referrer_id)
        page.referrer = buf_str(&exporter->source);
    return !exporter->printer->page ||
           exporter->printer->page(exporter->printer->user, &page);
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

    return find_source(exporter, row->page) &&
           exporter->printer->link(exporter->printer->user,
                                   buf_str(&exporter->source), row);
}

static bool print_all(struct store *store, const struct printer *printer,
                      struct store_error *error)
{
    struct exporter exporter = {.store = store, .printer = printer};
    const struct store_reader reader = {
        .user = &exporter,
        .begin = begin,
        .change = read_change,
        .fetch = read_fetch,
        .url = read_url,
        .link = printer->link ? read_link : NULL,
    };

    buf_init(&exporter.url, URL_LEN_MAX);
    buf_init(&exporter.source, URL_LEN_MAX);
    bool good = store_load(store, 0, &reader, error);
    free(exporter.change);
    free(exporter.page);
    buf_release(&exporter.url);
    buf_release(&exporter.source);
    return good;
}

/* --- pages as JSON or CSV ----------------------------------------------- */

static const char *const columns[] = {
    "id",   "url",  "depth",  "referrer_id", "referrer", "status",
    "mime", "size", "digest", "fetched",     "ms",
};
enum { COLUMNS = ARRAY_LEN(columns) };

/* A text if there is one, else a number, or null. */
struct cell {
    struct str text;
    uint64_t number;
    bool is_null;
};

struct row {
    struct cell cell[COLUMNS];
    char digest[17], time[CLOCK_ISO_LEN + 1];
};

static void fill_row(struct row *row, const struct export_page *page)
{
    const struct store_fetch *fetch = page->fetch;
    bool is_seed = !page->referrer_id;

    snprintf(row->digest, sizeof(row->digest), "%016llx",
             (unsigned long long)fetch->digest);
    clock_format_iso(fetch->start_ms, row->time);
    const struct cell cells[COLUMNS] = {
        {.number = fetch->page},
        {.text = page->url},
        {.number = page->depth},
        {.number = page->referrer_id, .is_null = is_seed},
        {.text = page->referrer, .is_null = is_seed},
        {.number = fetch->status},
        {.text = fetch->mime.ptr ? fetch->mime : STR("")},
        {.number = fetch->size},
        {.text = str_of(row->digest)},
        {.text = str_of(row->time)},
        {.number = fetch->end_ms > fetch->start_ms
                       ? fetch->end_ms - fetch->start_ms
                       : 0},
    };
    memcpy(row->cell, cells, sizeof(cells));
}

static void put_json(struct buf *line, const struct row *row)
{
    json_open(line, NULL);
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct cell *cell = &row->cell[i];
        if (cell->is_null)
            json_add_null(line, columns[i]);
        else if (cell->text.ptr)
            json_add_str(line, columns[i], cell->text);
        else
            json_add_number(line, columns[i], cell->number);
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

static void put_csv(struct buf *line, const struct row *row)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct cell *cell = &row->cell[i];
        if (i)
            buf_put_char(line, ',');
        if (cell->text.ptr)
            put_field(line, cell->text);
        else if (!cell->is_null)
            buf_printf(line, "%llu", (unsigned long long)cell->number);
    }
    buf_put(line, STR("\r\n"));
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

static void put_link(struct buf *line, struct str source,
                     const struct store_link *link)
{
    put_folded(line, source);
    buf_put_char(line, '\t');
    put_folded(line, link->url);
    buf_put_char(line, '\t');
    put_folded(line, link->rel);
    buf_put_char(line, '\t');
    put_folded(line, link->text);
    buf_put_char(line, '\n');
}

/* --- printing ----------------------------------------------------------- */

/* A line has at most two URLs or a link's text, six times as long in JSON. */
enum { LINE_LEN_MAX = 1 << 20 };

struct lines {
    bool csv;
    struct buf line;
};

static bool print_line(struct buf *line)
{
    fwrite(line->ptr, 1, line->len, stdout);
    buf_clear(line);
    return !ferror(stdout);
}

static void print_csv_head(void)
{
    for (size_t i = 0; i < COLUMNS; i++)
        printf("%s%s", i ? "," : "", columns[i]);
    fputs("\r\n", stdout);
}

static bool print_page(void *user, const struct export_page *page)
{
    struct lines *lines = user;
    struct row row;

    fill_row(&row, page);
    if (lines->csv)
        put_csv(&lines->line, &row);
    else
        put_json(&lines->line, &row);
    return print_line(&lines->line);
}

static bool print_link(void *user, struct str source,
                       const struct store_link *link)
{
    struct lines *lines = user;

    put_link(&lines->line, source, link);
    return print_line(&lines->line);
}

bool export_lines(struct store *store, enum export_format format,
                  struct store_error *error)
{
    struct lines lines = {.csv = format == EXPORT_CSV};
    const struct printer printer = {
        .user = &lines,
        .begin = lines.csv ? print_csv_head : NULL,
        .page = format == EXPORT_LINKS ? NULL : print_page,
        .link = format == EXPORT_LINKS ? print_link : NULL,
    };

    buf_init(&lines.line, LINE_LEN_MAX);
    bool good = print_all(store, &printer, error) || ferror(stdout);
    buf_release(&lines.line);
    return good;
}

/* --- a sitemap ---------------------------------------------------------- */

/* The limits of sitemaps.org for a file. */
enum {
    FILE_URLS_MAX = 50000,
    FILE_BYTES_MAX = 50 << 20,
    ENTRY_MAX = 8 * SITEMAP_URL_MAX,
};

static const char head[] =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
    "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n";
static const char tail[] = "</urlset>\n";

struct sitemap {
    uint64_t wanted;          /* the part to print; 0: none */
    struct sitemap_size size; /* so far */
    uint64_t urls;            /* of the last part */
    uint64_t bytes;           /* of it, with its end */
    struct buf entry;
};

static void put_entry(struct buf *out, struct str url)
{
    static const char *const escapes[128] = {
        ['&'] = "&amp;",  ['<'] = "&lt;",    ['>'] = "&gt;",
        ['"'] = "&quot;", ['\''] = "&apos;",
    };

    buf_clear(out);
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

static void begin_part(struct sitemap *sitemap)
{
    sitemap->size.parts++;
    sitemap->urls = 0;
    sitemap->bytes = sizeof(head) - 1 + sizeof(tail) - 1;
    if (sitemap->size.parts == sitemap->wanted)
        fputs(head, stdout);
}

static void end_part(const struct sitemap *sitemap)
{
    if (sitemap->size.parts && sitemap->size.parts == sitemap->wanted)
        fputs(tail, stdout);
}

static bool add_page(void *user, const struct export_page *page)
{
    struct sitemap *sitemap = user;
    const struct buf *entry = &sitemap->entry;

    if (page->url.len > SITEMAP_URL_MAX) {
        sitemap->size.left_out++;
        return true;
    }
    put_entry(&sitemap->entry, page->url);
    if (!sitemap->size.parts || sitemap->urls == FILE_URLS_MAX ||
        sitemap->bytes + entry->len > FILE_BYTES_MAX) {
        end_part(sitemap);
        begin_part(sitemap);
    }
    sitemap->urls++;
    sitemap->bytes += entry->len;
    if (sitemap->size.parts == sitemap->wanted)
        fwrite(entry->ptr, 1, entry->len, stdout);
    return !ferror(stdout);
}

bool export_sitemap(struct store *store, uint64_t part,
                    struct sitemap_size *size, struct store_error *error)
{
    struct sitemap sitemap = {.wanted = part};
    const struct printer printer = {.user = &sitemap, .page = add_page};

    buf_init(&sitemap.entry, ENTRY_MAX);
    bool good = print_all(store, &printer, error) || ferror(stdout);
    if (good)
        end_part(&sitemap);
    buf_release(&sitemap.entry);
    *size = sitemap.size;
    return good;
}
