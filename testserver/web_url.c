/* The URLs of the web, written and read. */
#include <inttypes.h>

#include "testserver/web.h"
#include "testserver/web_random.h"

enum { MAX_PATH = 64 * 1024, MONTHS_A_YEAR = 12 };

#define GROWTH STR("more/")

/* --- writing ----------------------------------------------------------- */

static void put_page(const struct web *web, const struct web_target *target,
                     struct buf *out)
{
    uint64_t key = web_key(web, FOR_PATH, target->host, target->n);

    buf_put_char(out, '/');
    if (!target->n)
        return;
    buf_put_char(out, 's');
    buf_put_number(out, key % WEB_SECTIONS);
    switch ((key >> 8) % 8) {
    case 0:
        buf_put(out, STR("/item?id="));
        buf_put_number(out, target->n);
        break;
    case 1:
        buf_put(out, STR("/p"));
        buf_put_number(out, target->n);
        buf_put_char(out, '/');
        break;
    default:
        buf_put(out, STR("/p"));
        buf_put_number(out, target->n);
        buf_put(out, STR(".html"));
        break;
    }
}

static void put_file(const struct web *web, const struct web_target *target,
                     struct buf *out)
{
    static const struct str extensions[] = {STR_INIT(".pdf"), STR_INIT(".png"),
                                            STR_INIT(".zip"), STR_INIT(".txt")};
    uint64_t key = web_key(web, FOR_FILE, target->host, target->n);

    buf_put(out, STR("/files/"));
    buf_put_number(out, target->n);
    buf_put(out, extensions[key % ARRAY_LEN(extensions)]);
}

void web_put_path(const struct web *web, const struct web_target *target,
                  struct buf *out)
{
    switch (target->kind) {
    case WEB_NOTHING:
        break;
    case WEB_PAGE:
        put_page(web, target, out);
        break;
    case WEB_REDIRECT:
        buf_put(out, STR("/go/"));
        buf_put_number(out, target->n);
        break;
    case WEB_BROKEN:
        buf_put(out, STR("/missing/"));
        buf_put_number(out, target->n);
        buf_put(out, STR(".html"));
        break;
    case WEB_ERROR:
        buf_put(out, STR("/error/"));
        buf_put_number(out, target->n);
        break;
    case WEB_FILE:
        put_file(web, target, out);
        break;
    case WEB_CALENDAR:
        buf_printf(out, "/calendar/%04" PRIu64 "-%02" PRIu64,
                   target->n / MONTHS_A_YEAR, target->n % MONTHS_A_YEAR + 1);
        break;
    case WEB_GROWING:
        buf_put(out, STR("/grow/"));
        for (uint64_t i = 0; i < target->n; i++)
            buf_put(out, GROWTH);
        break;
    case WEB_SESSION:
        buf_printf(out, "/session?sid=%016" PRIx64, target->n);
        break;
    case WEB_ROBOTS:
        buf_put(out, STR("/robots.txt"));
        break;
    }
}

void web_put_url(const struct web *web, const struct web_target *target,
                 struct buf *out)
{
    buf_put(out, STR("http://"));
    web_put_host(web, target->host, out);
    web_put_path(web, target, out);
}

/* --- reading ----------------------------------------------------------- */

/* The digits that begin `s`. */
static bool leading_number(struct str s, uint64_t *out)
{
    size_t len = 0;

    while (len < s.len && ascii_is_digit(s.ptr[len]))
        len++;
    return str_to_u64(str_first(s, len), out);
}

static bool find_session(struct str hex, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < hex.len; i++) {
        int value = hex_value(hex.ptr[i]);
        if (value < 0)
            return false;
        *out = *out << 4 | (uint64_t)value;
    }
    return hex.len == 16;
}

static bool find_month(struct str text, uint64_t *out)
{
    struct str_pair parts = str_cut(text, '-');
    uint64_t year = 0, month = 0;

    if (!str_to_u64(parts.head, &year) || !str_to_u64(parts.tail, &month) ||
        year > 9999 || !month || month > MONTHS_A_YEAR)
        return false;
    *out = year * MONTHS_A_YEAR + month - 1;
    return true;
}

/* "/s3/p17.html", "/s3/p17/", "/s3/item?id=17" */
static bool find_page(struct str rest, uint64_t *out)
{
    struct str name = str_cut(rest, '/').tail;

    if (str_starts(name, STR("item?id=")))
        return leading_number(str_skip(name, 8), out);
    return str_starts(name, STR("p")) && leading_number(str_skip(name, 1), out);
}

/* Read a path; exists() says whether the web has such a URL. */
static struct web_target guess(uint32_t host, struct str path)
{
    static const struct {
        struct str prefix;
        enum web_kind kind;
        bool (*find)(struct str rest, uint64_t *out);
    } shapes[] = {
        {STR_INIT("/go/"), WEB_REDIRECT, leading_number},
        {STR_INIT("/missing/"), WEB_BROKEN, leading_number},
        {STR_INIT("/error/"), WEB_ERROR, leading_number},
        {STR_INIT("/files/"), WEB_FILE, leading_number},
        {STR_INIT("/calendar/"), WEB_CALENDAR, find_month},
        {STR_INIT("/session?sid="), WEB_SESSION, find_session},
        {STR_INIT("/s"), WEB_PAGE, find_page},
    };
    struct web_target target = {.host = host};

    if (str_eq(path, STR("/")))
        target.kind = WEB_PAGE;
    else if (str_eq(path, STR("/robots.txt")))
        target.kind = WEB_ROBOTS;
    else if (str_starts(path, STR("/grow/"))) {
        target.kind = WEB_GROWING;
        target.n = (path.len - 6) / GROWTH.len;
    }
    for (size_t i = 0; !target.kind && i < ARRAY_LEN(shapes); i++) {
        if (!str_starts(path, shapes[i].prefix))
            continue;
        if (shapes[i].find(str_skip(path, shapes[i].prefix.len), &target.n))
            target.kind = shapes[i].kind;
    }
    return target;
}

static bool exists(const struct web *web, const struct web_target *target)
{
    switch (target->kind) {
    case WEB_NOTHING:
        return false;
    case WEB_PAGE:
        return target->n < web_pages(web, target->host);
    case WEB_REDIRECT:
    case WEB_BROKEN:
    case WEB_ERROR:
    case WEB_FILE:
        return target->n < web_count(web, target->host, target->kind);
    default:
        return true;
    }
}

struct web_target web_find(const struct web *web, uint32_t host,
                           struct str path)
{
    struct web_target target = guess(host, path);
    struct buf expected;

    if (!exists(web, &target))
        return (struct web_target){.host = host};
    /* A URL has one spelling, that of the links; others are not found. */
    buf_init(&expected, MAX_PATH);
    web_put_path(web, &target, &expected);
    if (!str_eq(buf_str(&expected), path))
        target.kind = WEB_NOTHING;
    buf_release(&expected);
    return target;
}
