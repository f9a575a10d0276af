#include "report/export_pages.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "frontier/seen.h"
#include "page/coding.h"
#include "page/mime.h"
#include "web/url.h"

enum { PAGE_MAX = 256 << 20 }; /* bytes of a page */

struct page_export {
    struct pagedir *dir;
    struct exported_pages *exported;
    struct seen seen;
    uint64_t seed;
    struct arena arena; /* of one capture */
    struct buf long_body, decoded;
    int error; /* errno that ended it, or 0 */
};

/* --- which captures are pages ------------------------------------------- */

/* The body as it was sent. False if it cannot be read, or is too long. */
static bool read_body(struct page_export *export,
                      const struct captured *captured, struct str *body)
{
    enum long_body_got got = LONG_BODY_BROKEN;
    struct str bytes;

    *body = captured->http.body;
    if (!captured->body.is_long)
        return true;
    struct long_body *long_body = long_body_open(&captured->body.place);
    buf_clear(&export->long_body);
    while (long_body &&
           (got = long_body_read(long_body, &bytes)) == LONG_BODY_BYTES &&
           buf_put(&export->long_body, bytes))
        ;
    long_body_free(long_body);
    *body = buf_str(&export->long_body);
    return got == LONG_BODY_END;
}

/* The body without its content codings. */
static bool decode(struct page_export *export, const struct warc_http *http,
                   struct str *body)
{
    struct codings codings = {0};

    if (!codings_add(&codings, http->content_encoding))
        return false;
    if (!codings.count)
        return true;
    buf_clear(&export->decoded);
    if (codings_undo(&codings, *body, &export->decoded) != CODING_WHOLE)
        return false;
    *body = buf_str(&export->decoded);
    return true;
}

static bool is_html(const struct warc_http *http, struct str body)
{
    switch (mime_verdict(mime_essence(http->mime))) {
    case MIME_PAGE:
        return true;
    case MIME_SNIFF:
        return mime_sniffs_as_html(body);
    default:
        return false;
    }
}

/* Could it be a page, by its head and URL? Some servers answer with HTML if
 * they are asked for a robots.txt. */
static bool is_candidate(const struct captured *captured, const struct url *url)
{
    if (captured->is_marked)
        return captured->is_page && !captured->is_replaced;
    return captured->http.status == 200 && !captured->truncated.len &&
           mime_verdict(mime_essence(captured->http.mime)) != MIME_OTHER &&
           !str_eq(url_path_query(url), STR("/robots.txt"));
}

/* --- writing them ------------------------------------------------------- */

static bool write_page(struct page_export *export, struct str url,
                       uint32_t depth, struct str body)
{
    char name[PAGEDIR_TEMP_MAX + 1], line[16];
    int len = snprintf(line, sizeof(line), "\n%u\n", (unsigned)depth);
    struct iovec part[] = {
        {(void *)url.ptr, url.len},
        {line, (size_t)len},
        {(void *)body.ptr, body.len},
    };

    if (!pagedir_save(export->dir, part, ARRAY_LEN(part), name)) {
        export->error = errno;
        return false;
    }
    if (!pagedir_publish(export->dir, name)) {
        export->error = errno;
        pagedir_discard(export->dir, name);
        return false;
    }
    export->exported->pages++;
    return true;
}

/* False only if a page cannot be written. */
static bool export_capture(void *user, const struct captured *captured)
{
    struct page_export *export = user;
    struct url url;
    struct str body;

    arena_clear(&export->arena);
    if (url_parse(&url, &export->arena, captured->url, NULL, NULL) ||
        !is_candidate(captured, &url))
        return true;
    if (!read_body(export, captured, &body)) {
        export->exported->unreadable++;
        return true;
    }
    if (!decode(export, &captured->http, &body)) {
        export->exported->undecodable++;
        return true;
    }
    if (!body.len || (!captured->is_marked && !is_html(&captured->http, body)))
        return true;
    if (!seen_add(&export->seen, hash64(url.href, export->seed)))
        return true;
    return write_page(export, url.href, captured->page_depth, body);
}

bool export_pages(struct collection *collection, struct pagedir *dir,
                  struct exported_pages *exported)
{
    struct page_export export = {
        .dir = dir,
        .exported = exported,
    };

    *exported = (struct exported_pages){0};
    if (getrandom(&export.seed, sizeof(export.seed), 0) < 0)
        return false;
    seen_init(&export.seen);
    arena_init(&export.arena);
    buf_init(&export.decoded, PAGE_MAX);
    buf_init(&export.long_body, PAGE_MAX);
    bool good = collection_each(collection, export_capture, &export);
    exported->unreadable += collection_unreadable(collection);
    seen_release(&export.seen);
    arena_release(&export.arena);
    buf_release(&export.decoded);
    buf_release(&export.long_body);
    if (good && syncfs(dir->fd) < 0) {
        good = false;
        export.error = errno;
    }
    errno = export.error;
    return good;
}
