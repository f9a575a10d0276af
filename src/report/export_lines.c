#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/terminal.h"
#include "report/export.h"
#include "report/export_read.h"

static void put_digest(struct buf *line, const struct export_page *page)
{
    buf_printf(line, "%016llx", (unsigned long long)page->fetch->digest);
}

static void put_number(struct buf *line, uint64_t number)
{
    buf_printf(line, "%llu", (unsigned long long)number);
}

static void put_time(struct buf *line, uint64_t wall_ms)
{
    char text[CLOCK_ISO_LEN + 1];

    clock_format_iso(wall_ms, text);
    buf_put(line, str_of(text));
}

static uint64_t took_ms(const struct export_page *page)
{
    const struct store_fetch *fetch = page->fetch;

    return fetch->end_ms > fetch->start_ms ? fetch->end_ms - fetch->start_ms
                                           : 0;
}

/* --- JSON --------------------------------------------------------------- */

static void put_name(struct buf *line, const char *name)
{
    buf_printf(line, "%s\"%s\":", line->len > 1 ? "," : "", name);
}

static void put_named(struct buf *line, const char *name, uint64_t number)
{
    put_name(line, name);
    put_number(line, number);
}

static void put_referrer(struct buf *line, const struct export_page *page)
{
    put_name(line, "referrer_id");
    if (page->referrer_id)
        put_number(line, page->referrer_id);
    else
        buf_put(line, STR("null"));
    put_name(line, "referrer");
    if (page->referrer_id)
        json_put_str(line, page->referrer);
    else
        buf_put(line, STR("null"));
}

static void put_json(struct buf *line, const struct export_page *page)
{
    const struct store_fetch *fetch = page->fetch;

    buf_put_char(line, '{');
    put_named(line, "id", fetch->page);
    put_name(line, "url");
    json_put_str(line, page->url);
    put_named(line, "depth", page->depth);
    put_referrer(line, page);
    put_named(line, "status", fetch->status);
    put_name(line, "mime");
    json_put_str(line, fetch->mime);
    put_named(line, "size", fetch->size);
    put_name(line, "digest");
    buf_put_char(line, '"');
    put_digest(line, page);
    buf_put_char(line, '"');
    put_name(line, "fetched");
    buf_put_char(line, '"');
    put_time(line, fetch->start_ms);
    buf_put_char(line, '"');
    put_named(line, "ms", took_ms(page));
    buf_put(line, STR("}\n"));
}

/* --- CSV ---------------------------------------------------------------- */

/* RFC 4180: quoted where it has to be, a quote is two. */
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

static void put_csv_head(struct buf *line)
{
    buf_put(line, STR("id,url,depth,referrer_id,referrer,status,mime,size,"
                      "digest,fetched,ms\r\n"));
}

static void put_csv(struct buf *line, const struct export_page *page)
{
    const struct store_fetch *fetch = page->fetch;

    put_number(line, fetch->page);
    buf_put_char(line, ',');
    put_field(line, page->url);
    buf_put_char(line, ',');
    put_number(line, page->depth);
    buf_put_char(line, ',');
    if (page->referrer_id)
        put_number(line, page->referrer_id);
    buf_put_char(line, ',');
    put_field(line, page->referrer);
    buf_put_char(line, ',');
    put_number(line, fetch->status);
    buf_put_char(line, ',');
    put_field(line, fetch->mime);
    buf_put_char(line, ',');
    put_number(line, fetch->size);
    buf_put_char(line, ',');
    put_digest(line, page);
    buf_put_char(line, ',');
    put_time(line, fetch->start_ms);
    buf_put_char(line, ',');
    put_number(line, took_ms(page));
    buf_put(line, STR("\r\n"));
}

/* --- links -------------------------------------------------------------- */

/* A rel has no limit of its own. */
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

struct printer {
    void (*put)(struct buf *line, const struct export_page *page);
    struct buf line;
};

static bool print_line(struct buf *line)
{
    fwrite(line->ptr, 1, line->len, stdout);
    buf_clear(line);
    return !ferror(stdout);
}

static void print_csv_head(void *user)
{
    struct printer *printer = user;

    put_csv_head(&printer->line);
    print_line(&printer->line);
}

static bool print_page(void *user, const struct export_page *page)
{
    struct printer *printer = user;

    printer->put(&printer->line, page);
    return print_line(&printer->line);
}

static bool print_link(void *user, struct str source,
                       const struct store_link *link)
{
    struct printer *printer = user;

    put_link(&printer->line, source, link);
    return print_line(&printer->line);
}

bool export_lines(struct store *store, enum export_format format,
                  struct store_error *error)
{
    struct printer printer = {
        .put = format == EXPORT_CSV ? put_csv : put_json,
    };
    const struct export_reader reader = {
        .user = &printer,
        .begin = format == EXPORT_CSV ? print_csv_head : NULL,
        .page = format == EXPORT_LINKS ? NULL : print_page,
        .link = format == EXPORT_LINKS ? print_link : NULL,
    };

    buf_init(&printer.line, LINE_LEN_MAX);
    bool good = export_read(store, &reader, error) || ferror(stdout);
    buf_release(&printer.line);
    return good;
}
