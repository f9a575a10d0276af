/* URLs as the WHATWG URL standard defines them, for http and https only.
 *
 * url_parse reads a reference, resolves it against a base and writes the
 * serialised result, without its fragment, in one pass into an arena:
 *
 *     struct url url;
 *     enum err err = url_parse(&url, &arena, STR("../b?c#d"), &base, NULL);
 *
 * The result is one string and offsets into it, so that every part is a
 * slice and a copy is a copy of the string. It is NUL-terminated beyond its
 * length. On failure nothing of the arena is used. Nothing here knows of scope
 * or of "seen": see web/scope.h and web/normalize.h.
 *
 * A login in a URL ("http://name:password@host/") and URLs that are written
 * wrong are at the end.
 */
#ifndef WEB_URL_H
#define WEB_URL_H

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#define MUST_CHECK __attribute__((warn_unused_result))

/* Why a text is not a URL. The caller that decides what to do about it prints
 * err_message(). */
enum err {
    ERR_NONE,
    ERR_URL_SCHEME,
    ERR_URL_RELATIVE,
    ERR_URL_HOST,
    ERR_URL_PORT,
    ERR_URL_TOO_LONG,
    ERR_COUNT,
};

/* A sentence without a full stop; never NULL. */
const char *err_message(enum err err);

/* A longer URL, as given (without blanks around it, but with its fragment) or
 * as serialised, is ERR_URL_TOO_LONG. */
enum { URL_LEN_MAX = 8192 };

/* "scheme://user:pass@host:port/path?query" and where the parts end. */
struct url {
    struct str href;
    uint16_t host_start; /* after "//" and any userinfo with its '@' */
    uint16_t host_end;   /* a ':' and the port may follow */
    uint16_t path_start; /* the path is never empty */
    uint16_t path_end;   /* then nothing, or '?' and the query */
    uint16_t port;       /* the effective port, 80 and 443 included */
    bool https;
    bool default_port_written; /* "http://host:80/": dropped from href; a
                                * relative reference has it from its base */
};

/* How a query is encoded on a page that is not in UTF-8. `encode` gets the
 * whole query, without '?', as valid UTF-8 (a stateful encoding needs it at
 * once) and appends it to `out` in the page's encoding; a character that the
 * encoding lacks becomes the text "%26%23N%3B", N its decimal number. The
 * parser then escapes the bytes that a query may not have; a '%' it leaves
 * alone. False means that the cap of `out` was reached: ERR_URL_TOO_LONG.
 * It is called only for a query with characters other than printable ASCII,
 * which is the same in all encodings. web/charset.h has one. */
struct url_query_encoder {
    bool (*encode)(void *ctx, struct str utf8, struct buf *out);
    void *ctx;
};

/* Without control characters and blanks at both ends, which are no part of a
 * URL. */
struct str url_trim(struct str s);

/* `input` is UTF-8 (invalid bytes count as U+FFFD). `base` may be NULL: then
 * the reference must be absolute. `encoder` NULL means UTF-8. A scheme other
 * than http and https is ERR_URL_SCHEME, whatever follows it. */
MUST_CHECK enum err url_parse(struct url *url, struct arena *arena,
                              struct str input, const struct url *base,
                              const struct url_query_encoder *encoder);

static inline struct str url_host(const struct url *url)
{
    return (struct str){url->href.ptr + url->host_start,
                        (size_t)(url->host_end - url->host_start)};
}

static inline struct str url_path(const struct url *url)
{
    return (struct str){url->href.ptr + url->path_start,
                        (size_t)(url->path_end - url->path_start)};
}

/* The href up to the last '/' of the path. */
static inline struct str url_directory(const struct url *url)
{
    size_t end = url->path_end;

    while (url->href.ptr[end - 1] != '/')
        end--;
    return str_first(url->href, end);
}

/* "host" or "host:port"; the port is there only if it is not the default. */
static inline struct str url_host_port(const struct url *url)
{
    return str_between(url->href.ptr + url->host_start,
                       url->href.ptr + url->path_start);
}

/* The path and the query with its '?': what a server is asked for. */
static inline struct str url_path_query(const struct url *url)
{
    return str_skip(url->href, url->path_start);
}

/* Without the '?'; empty where there is none. */
static inline struct str url_query(const struct url *url)
{
    if (url->path_end == url->href.len)
        return (struct str){url->href.ptr + url->path_end, 0};
    return str_skip(url->href, (size_t)url->path_end + 1);
}

/* "scheme://host:port" without userinfo: what a politeness rule and a
 * robots.txt belong to. The port is there only if it is not the default. */
struct str url_origin(const struct url *url, struct arena *arena);

/* --- names and passwords -------------------------------------------------
 *
 * A person who writes "http://name:password@host/" wants to be let in, but does
 * not want the password in the log, in page files and in the state. So it is
 * taken out of the URL at once, and is sent in a header
 * (page/trusted_origins.h). A login in a link or redirect is a stranger's: it
 * is dropped (page/pagescanner.h).
 */

/* As it is sent: without escapes, NUL-terminated. An escaped zero byte stays
 * escaped. */
struct login {
    struct str name, password;
};

/* Take the login out of a URL of http or https as it was written; whether the
 * URL is a valid one does not matter. False where there is none: then `*login`
 * has no name, and `*rest` is `url` without an "@" that means nothing. */
bool login_cut(struct arena *arena, struct str url, struct str *rest,
               struct login *login);

/* The part of a text that may be a login, also where the text is no URL,
 * because of a character in the password or a slip in the scheme. Its `ptr` is
 * NULL where there is none. */
struct str login_find(struct str text);

/* For messages: the text with "..." in place of it, or `text` itself. */
const char *login_hide(struct arena *arena, const char *text);

/* "NAME:PASSWORD", or a name without a password. */
struct login login_read(struct arena *arena, struct str text);

/* Take it out of a parsed URL. False: there is none. */
bool login_drop(struct url *url, struct arena *arena);

static inline bool login_eq(const struct login *a, const struct login *b)
{
    return str_eq(a->name, b->name) && str_eq(a->password, b->password);
}

/* --- URLs that are written wrong ----------------------------------------- */

/* Some references of other schemes than http and https lead nowhere on every
 * computer but one, or on all. The mistake in such a reference, in words for
 * people; NULL: none is certain. */
const char *url_mistake(struct str href);

#endif
