#include "url/url.h"

#include "url/authority.h"
#include "url/out.h"
#include "url/path.h"

/* How the states of the standard's parser are laid out here:
 *
 *     url_parse     trims, drops tabs and newlines, finds room
 *     parse         scheme start, scheme, and which way to go on
 *     put_absolute  the authority states   authority.c, ip.c, idna.c
 *     put_relative  the relative states
 *     path_put, query_put                  path.c
 *
 * The fragment is never read.
 */

/* Room for a base, a reference and a little more: a name in "xn--" form or an
 * address may be longer than what was written. */
enum { ROOM = 2 * URL_LEN_MAX + 64 };

enum scheme { NO_SCHEME, HTTP, HTTPS, OTHER_SCHEME };

/* The scheme at the start of `*in`, taken off with its ':'. */
static enum scheme take_scheme(struct str *in)
{
    size_t len = 0;

    if (!in->len || !ascii_is_alpha(in->ptr[0]))
        return NO_SCHEME;
    while (len < in->len &&
           (ascii_is_alnum(in->ptr[len]) || in->ptr[len] == '+' ||
            in->ptr[len] == '-' || in->ptr[len] == '.'))
        len++;
    if (len == in->len || in->ptr[len] != ':')
        return NO_SCHEME;

    struct str name = str_first(*in, len);
    *in = str_skip(*in, len + 1);
    if (str_eq_nocase(name, STR("https")))
        return HTTPS;
    if (str_eq_nocase(name, STR("http")))
        return HTTP;
    return OTHER_SCHEME;
}

static bool starts_with_two_slashes(struct str in)
{
    return in.len >= 2 && url_is_slash(in.ptr[0]) && url_is_slash(in.ptr[1]);
}

static struct str skip_slashes(struct str in)
{
    while (in.len && url_is_slash(in.ptr[0]))
        in = str_skip(in, 1);
    return in;
}

static void put_path(struct url *url, struct out *out, const char *start,
                     struct str *in)
{
    path_put(out, start + url->path_start, in);
    url->path_end = (uint16_t)(out->at - start);
}

static enum err put_absolute(struct url *url, struct out *out, struct str *in)
{
    const char *start = out->at;

    *in = skip_slashes(*in);
    out_str(out, url->https ? STR("https://") : STR("http://"));
    enum err err = authority_put(url, out, start, in);
    if (err)
        return err;

    out_char(out, '/');
    if (in->len && url_is_slash(in->ptr[0]))
        *in = str_skip(*in, 1);
    put_path(url, out, start, in);
    return ERR_NONE;
}

/* The first bytes of the base as they are, and with them its parts. */
static void put_base(struct url *url, struct out *out, const struct url *base,
                     size_t len)
{
    *url = *base;
    out_str(out, str_first(base->href, len));
}

static void put_relative(struct url *url, struct out *out, struct str *in,
                         const struct url *base)
{
    const char *start = out->at;
    char c = in->len ? in->ptr[0] : '#';

    if (c == '#') {
        put_base(url, out, base, base->href.len);
        in->len = 0;
    } else if (c == '?') {
        put_base(url, out, base, base->path_end);
    } else if (url_is_slash(c)) {
        put_base(url, out, base, base->path_start);
        out_char(out, '/');
        *in = str_skip(*in, 1);
        put_path(url, out, start, in);
    } else {
        put_base(url, out, base, url_directory(base).len);
        put_path(url, out, start, in);
    }
}

static enum err parse(struct url *url, struct out *out, struct str in,
                      const struct url *base,
                      const struct url_query_encoder *encoder)
{
    enum scheme scheme = take_scheme(&in);

    if (scheme == OTHER_SCHEME)
        return ERR_URL_SCHEME;
    if (scheme == NO_SCHEME && !base)
        return ERR_URL_RELATIVE;
    // cppcheck-suppress nullPointerRedundantCheck ; without a scheme there is
    // one
    url->https = scheme == NO_SCHEME ? base->https : scheme == HTTPS;

    /* "http:page" is relative to a base of the same scheme. */
    if (base && base->https == url->https && !starts_with_two_slashes(in)) {
        put_relative(url, out, &in, base);
    } else {
        enum err err = put_absolute(url, out, &in);
        if (err)
            return err;
    }
    if (in.len && in.ptr[0] == '?') {
        in = str_skip(in, 1);
        query_put(out, &in, encoder);
    }
    return out->full ? ERR_URL_TOO_LONG : ERR_NONE;
}

struct str url_trim(struct str s)
{
    while (s.len && (unsigned char)s.ptr[0] <= ' ')
        s = str_skip(s, 1);
    while (s.len && (unsigned char)s.ptr[s.len - 1] <= ' ')
        s.len--;
    return s;
}

/* Eight bytes at a time: every link is asked this and hardly one has any. */
static bool has_control(struct str s)
{
    const uint64_t ones = UINT64_MAX / 255;
    uint64_t word;

    for (; s.len >= sizeof(word); s = str_skip(s, sizeof(word))) {
        memcpy(&word, s.ptr, sizeof(word));
        if ((word - ones * 0x20) & ~word & ones * 0x80)
            return true;
    }
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)s.ptr[i] < 0x20)
            return true;
    return false;
}

enum err url_parse(struct url *url, struct arena *arena, struct str input,
                   const struct url *base,
                   const struct url_query_encoder *encoder)
{
    char clean[URL_LEN_MAX], text[ROOM];
    struct out out = {text, text + ROOM, false};
    struct str in = url_trim(input);
    struct url result;

    if (in.len > URL_LEN_MAX)
        return ERR_URL_TOO_LONG;
    if (has_control(in))
        in = (struct str){clean, url_drop_newlines(clean, in)};
    enum err err = parse(&result, &out, in, base, encoder);
    if (err)
        return err;
    struct str href = str_between(text, out.at);
    if (href.len > URL_LEN_MAX)
        return ERR_URL_TOO_LONG;
    result.href = arena_copy(arena, href);
    *url = result;
    return ERR_NONE;
}

struct str url_origin(const struct url *url, struct arena *arena)
{
    return url_join(arena, url->https ? STR("https://") : STR("http://"),
                    url_host_port(url));
}
