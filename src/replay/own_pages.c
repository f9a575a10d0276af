#include "replay/own_pages.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/escape.h"
#include "replay/byte_range.h"

enum { SEED_BYTES_MAX = 1 << 20 };

void own_pages_init(struct own_pages *pages)
{
    *pages = (struct own_pages){
        .package_fd = -1,
        .why_no_package = "there is no package of these files",
    };
    buf_init(&pages->seeds, SEED_BYTES_MAX);
}

void own_pages_release(struct own_pages *pages)
{
    if (pages->package_fd >= 0)
        close(pages->package_fd);
    buf_release(&pages->seeds);
}

/* --- the list ------------------------------------------------------------ */

static bool is_listed(const struct own_pages *pages, struct str url)
{
    struct str rest = buf_str(&pages->seeds);

    while (rest.len) {
        struct str_pair cut = str_cut(rest, '\n');

        if (str_eq(cut.head, url))
            return true;
        rest = cut.tail;
    }
    return false;
}

void own_pages_add_seed(struct own_pages *pages, struct str url)
{
    size_t before = pages->seeds.len;

    if (pages->seed_count == OWN_PAGES_SEEDS_MAX ||
        str_find(url, '\n') < url.len || is_listed(pages, url) ||
        (!str_starts_nocase(url, STR("http://")) &&
         !str_starts_nocase(url, STR("https://"))))
        return;
    if (buf_put(&pages->seeds, url) && buf_put_char(&pages->seeds, '\n'))
        pages->seed_count++;
    else
        pages->seeds.len = before;
}

/* --- "/" ----------------------------------------------------------------- */

/* "{address}" in a text is where we listen. */
static void put_template(struct buf *out, const char *text, struct str address)
{
    static const struct str mark = STR_INIT("{address}");
    struct str rest = str_of(text);

    while (rest.len) {
        size_t at = str_find(rest, '{');

        buf_put(out, str_first(rest, at));
        rest = str_skip(rest, at);
        if (str_starts(rest, mark)) {
            buf_put(out, address);
            rest = str_skip(rest, mark.len);
        }
    }
}

static const char page_start[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
    "<title>crawler serve</title>\n<h1>Recorded pages</h1>\n";

static const char how_to_look[] =
    "<p>Nothing is fetched from the network: what was not recorded is "
    "answered with 404.</p>\n"
    "<h2>In Chromium</h2>\n"
    "<pre>chromium --user-data-dir=\"$(mktemp -d)\" \\\n"
    "    --proxy-server=http://{address} "
    "--proxy-bypass-list='&lt;-loopback&gt;' "
    "\\\n"
    "    --disable-features=HttpsUpgrades --ignore-certificate-errors "
    "URL</pre>\n"
    "<h2>With any other browser or program</h2>\n"
    "<p>Set {address} as its proxy for http and for https. The certificates "
    "of https hosts are made here; this authority signs them, until this "
    "server ends: <a href=\"/ca.pem\">/ca.pem</a>.</p>\n"
    "<pre>curl -O http://{address}/ca.pem\n"
    "curl -x http://{address} --cacert ca.pem URL\n"
    "crawler --proxy http://{address} --cacert ca.pem --delay 0 ...</pre>\n"
    "<p>The header Accept-Datetime chooses among the captures of a URL; the "
    "latest is the default.</p>\n";

static const char with_package[] =
    "<h2>In replayweb.page</h2>\n"
    "<p>Give it the address of the package: "
    "<a href=\"/archive.wacz\">http://{address}/archive.wacz</a>, or open "
    "<a href=\"https://replayweb.page/?source=http://{address}/archive.wacz\">"
    "replayweb.page with it</a>.</p>\n";

static const char list_start[] =
    "<h2>The first pages</h2>\n"
    "<p>These links lead to the recorded pages only in a browser that uses "
    "the proxy.</p>\n<ul>\n";

static void put_seeds(struct buf *out, struct str seeds)
{
    while (seeds.len) {
        struct str_pair cut = str_cut(seeds, '\n');

        buf_put(out, STR("<li><a href=\""));
        markup_put(out, cut.head);
        buf_put(out, STR("\">"));
        markup_put(out, cut.head);
        buf_put(out, STR("</a></li>\n"));
        seeds = cut.tail;
    }
}

static void put_page(const struct own_pages *pages, struct buf *out,
                     struct str address)
{
    buf_put(out, str_of(page_start));
    buf_printf(out, "<p>%llu capture%s.</p>\n",
               (unsigned long long)pages->captures,
               pages->captures == 1 ? "" : "s");
    put_template(out, how_to_look, address);
    if (pages->package_fd >= 0 || pages->make_package)
        put_template(out, with_package, address);
    if (pages->seed_count) {
        buf_put(out, str_of(list_start));
        put_seeds(out, buf_str(&pages->seeds));
        buf_put(out, STR("</ul>\n"));
    }
    buf_put(out, STR("</html>\n"));
}

/* --- replies ------------------------------------------------------------- */

#define NOSNIFF "X-Content-Type-Options: nosniff\r\n"
#define OWN                                                                    \
    NOSNIFF "Referrer-Policy: no-referrer\r\n"                                 \
            "Content-Security-Policy: default-src 'none'; base-uri 'none'; "   \
            "form-action 'none'; frame-ancestors 'none'\r\n"                   \
            "Cache-Control: no-store\r\n"
#define CORS                                                                   \
    "Access-Control-Allow-Origin: *\r\n"                                       \
    "Access-Control-Expose-Headers: Content-Length, Content-Range, "           \
    "Accept-Ranges\r\n"
#define CROSS_ORIGIN NOSNIFF "Cross-Origin-Resource-Policy: cross-origin\r\n"
#define METHODS      "GET, HEAD, OPTIONS"

void own_pages_refuse(struct http_exchange *exchange, unsigned status,
                      struct str text, struct str detail)
{
    struct http_reply *reply = &exchange->reply;
    struct buf *scratch = &exchange->scratch;

    buf_clear(scratch);
    buf_printf(scratch, "%u: ", status);
    buf_put(scratch, text);
    buf_put_char(scratch, '\n');
    if (detail.len && buf_put(scratch, detail))
        buf_put_char(scratch, '\n');
    reply->status = status;
    reply->type = STR("text/plain; charset=utf-8");
    reply->headers = STR(OWN);
    if (status == 405)
        reply->headers = STR(OWN "Allow: GET, HEAD\r\n");
    reply->body = buf_str(scratch);
}

static void answer_index(const struct own_pages *pages,
                         struct http_exchange *exchange)
{
    struct http_reply *reply = &exchange->reply;

    put_page(pages, &exchange->scratch, exchange->local_addr);
    reply->type = STR("text/html; charset=utf-8");
    reply->headers = STR(OWN);
    reply->body = buf_str(&exchange->scratch);
}

static void answer_pem(const struct own_pages *pages,
                       struct http_exchange *exchange)
{
    exchange->reply.type = STR("application/x-pem-file");
    exchange->reply.headers = STR(OWN);
    exchange->reply.body = pages->pem;
}

/* A browser asks before a page of another origin may ask for a part. */
static void answer_preflight(struct http_reply *reply)
{
    reply->status = 204;
    reply->type = STR("");
    reply->headers = STR(CORS "Access-Control-Allow-Methods: " METHODS "\r\n"
                              "Access-Control-Allow-Headers: Range\r\n"
                              "Access-Control-Allow-Private-Network: true\r\n"
                              "Access-Control-Max-Age: 600\r\n");
}

/* Send bytes of the package; the connection closes its own descriptor. */
static void send_package(const struct own_pages *pages,
                         struct http_exchange *exchange,
                         const struct byte_range *range)
{
    struct http_reply *reply = &exchange->reply;
    int fd = dup(pages->package_fd);

    if (fd < 0) {
        own_pages_refuse(exchange, 503, STR("too many open files"), STR(""));
        return;
    }
    reply->file_fd = fd;
    reply->file_from = range->from;
    reply->file_len = range->len;
}

static void answer_package(const struct own_pages *pages,
                           struct http_exchange *exchange)
{
    struct byte_range range = {0, pages->package_len};
    struct http_reply *reply = &exchange->reply;
    struct buf *scratch = &exchange->scratch;
    struct str asked = http_request_header(&exchange->request, STR("Range"));
    unsigned long long len = pages->package_len;

    reply->type = STR("application/wacz");
    buf_put(scratch, STR(CORS CROSS_ORIGIN "Accept-Ranges: bytes\r\n"
                                           "Cache-Control: no-store\r\n"));
    switch (byte_range_parse(asked, pages->package_len, &range)) {
    case BYTE_RANGE_BAD:
        reply->status = 416;
        buf_printf(scratch, "Content-Range: bytes */%llu\r\n", len);
        break;
    case BYTE_RANGE_PART:
        reply->status = 206;
        buf_printf(scratch, "Content-Range: bytes %llu-%llu/%llu\r\n",
                   (unsigned long long)range.from,
                   (unsigned long long)(range.from + range.len - 1), len);
        send_package(pages, exchange, &range);
        break;
    case BYTE_RANGE_NONE:
        send_package(pages, exchange, &range);
        break;
    }
    if (reply->status != 503)
        reply->headers = buf_str(scratch);
}

/* One try: a second one would fail too, and may take as long. */
static void make_package(struct own_pages *pages)
{
    struct stat stat_of;
    int fd = pages->make_package(pages->make_user);

    pages->make_package = NULL;
    pages->has_failed = fd < 0 || fstat(fd, &stat_of);
    if (!pages->has_failed) {
        pages->package_fd = fd;
        pages->package_len = (uint64_t)stat_of.st_size;
        return;
    }
    if (fd >= 0)
        close(fd);
    pages->why_no_package = "the package could not be made; the standard error "
                            "of crawler serve says why";
}

static void answer_for_package(struct own_pages *pages,
                               struct http_exchange *exchange)
{
    if (pages->make_package)
        make_package(pages);
    if (pages->package_fd >= 0)
        answer_package(pages, exchange);
    else
        own_pages_refuse(exchange, pages->has_failed ? 503 : 404,
                         str_of(pages->why_no_package), STR(""));
}

void own_pages_answer(struct own_pages *pages, struct http_exchange *exchange)
{
    const struct http_request *request = &exchange->request;
    bool is_package = str_eq(request->path, STR("/archive.wacz"));

    if (is_package && str_eq(request->method, STR("OPTIONS")))
        answer_preflight(&exchange->reply);
    else if (!str_eq(request->method, STR("GET")) &&
             !str_eq(request->method, STR("HEAD")))
        own_pages_refuse(exchange, 405, STR("only GET and HEAD are answered"),
                         STR(""));
    else if (is_package)
        answer_for_package(pages, exchange);
    else if (str_eq(request->path, STR("/ca.pem")))
        answer_pem(pages, exchange);
    else if (str_eq(request->path, STR("/")))
        answer_index(pages, exchange);
    else
        own_pages_refuse(
            exchange, 404,
            STR("there is no such page; recorded pages are served to clients "
                "that use this address as their proxy"),
            STR(""));
}
