#include "web/url.h"

#include <assert.h>

#include "base/str.h"
#include "web/host.h"

static const char *const err_text[] = {
    [ERR_NONE] = "no error",
    [ERR_URL_SCHEME] = "the scheme is neither http nor https",
    [ERR_URL_RELATIVE] =
        "no scheme, where a URL begins with http:// or https://",
    [ERR_URL_HOST] = "the host is empty or not a valid name or address",
    [ERR_URL_PORT] = "the port is not a number from 0 to 65535",
    [ERR_URL_TOO_LONG] = "longer than a URL may be here",
};
static_assert(sizeof(err_text) / sizeof(err_text[0]) == ERR_COUNT,
              "every error has a text");

const char *err_message(enum err err)
{
    return (unsigned)err < ERR_COUNT ? err_text[err] : "unknown error";
}

/* How the states of the standard's parser are laid out here:
 *
 *     url_parse       trims, drops tabs and newlines, finds room
 *     parse           scheme start, scheme, and which way to go on
 *     put_absolute    put_authority: the authority states; host.c
 *     put_relative    the relative states
 *     take_path, put_query
 *
 * The fragment is never read. The functions that read from `*in` leave it
 * behind what they took.
 */

/* ---- characters --------------------------------------------------------- */

/* Bytes that may stand as they are: the percent-encode sets of the standard,
 * the other way round. All others are percent-encoded, or have a meaning: '/',
 * '\', '?' and '#'. */
enum {
    PLAIN_PATH = 1,     /* inside a segment */
    PLAIN_QUERY = 2,    /* the special-query set's complement, less '#' */
    PLAIN_USERINFO = 4, /* user name and password */
    PLAIN_HOST = 8,     /* ASCII that no domain forbids */
};

/* One number a byte of ASCII, the sum of these bits; beyond ASCII nothing is
 * plain. */
// clang-format off
static const uint8_t plain_sets[256] = {
     0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, /* 0x00 */
     0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0, /* 0x10 */
     0, 15,  8,  0, 15,  7, 15, 13, 15, 15, 15, 15, 15, 15, 15,  2, /* 0x20 */
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15,  3, 11,  0, 11,  0,  2, /* 0x30 */
     3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, /* 0x40 */
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,  3,  2,  3,  2, 15, /* 0x50 */
    10, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, /* 0x60 */
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 10,  3, 10, 15,  0, /* 0x70 */
};
// clang-format on

static inline bool is_plain(char c, unsigned set)
{
    return plain_sets[(unsigned char)c] & set;
}

/* In http and https '\' is a slash like the other. */
static inline bool is_slash(char c)
{
    return c == '/' || c == '\\';
}

/* The authority that `text` starts with: "host" of "host/path". */
static struct str authority_of(struct str text)
{
    size_t len = 0;

    while (len < text.len && !is_slash(text.ptr[len]) && text.ptr[len] != '?' &&
           text.ptr[len] != '#')
        len++;
    return str_first(text, len);
}

enum { ESCAPE_LEN = 3 };

/* Copy with "%41" read as "A"; but a zero byte stays "%00". Returns the
 * length, at most that of `from`. */
static size_t unescape(char *to, struct str from)
{
    char *start = to;

    while (from.len) {
        int value = percent_value(from);
        *to++ = value > 0 ? (char)value : from.ptr[0];
        from = str_skip(from, value > 0 ? ESCAPE_LEN : 1);
    }
    return (size_t)(to - start);
}

/* Copy without tabs and newlines, which the standard's parser ignores. Returns
 * the length. */
static size_t drop_newlines(char *to, struct str from)
{
    size_t len = 0;

    for (size_t i = 0; i < from.len; i++)
        if (from.ptr[i] != '\t' && from.ptr[i] != '\n' && from.ptr[i] != '\r')
            to[len++] = from.ptr[i];
    return len;
}

/* One after the other, NUL-terminated. */
static struct str join(struct arena *arena, struct str one, struct str other)
{
    char *start = arena_new(arena, one.len + other.len + 1);

    if (one.len)
        memcpy(start, one.ptr, one.len);
    if (other.len)
        memcpy(start + one.len, other.ptr, other.len);
    return (struct str){start, one.len + other.len};
}

/* ---- the serialisation in the making ------------------------------------ */

/* Room is counted once: there is more of it than the input has bytes, so that
 * what is copied byte for byte needs no check. Only what grows (an escape is
 * three bytes for one) looks at the room that would be left; when that is short
 * the URL is longer than URL_LEN_MAX anyway and `full` is set. */
struct out {
    char *at;
    char *end;
    bool full;
};

static inline void put_char(struct out *out, char c)
{
    *out->at++ = c;
}

static inline void put_str(struct out *out, struct str s)
{
    memcpy(out->at, s.ptr, s.len);
    out->at += s.len;
}

/* Whether `grown` bytes fit and then `coming` more; if not, `out` is full. */
static inline bool has_room(struct out *out, size_t grown, size_t coming)
{
    if ((size_t)(out->end - out->at) < grown + coming)
        out->full = true;
    return !out->full;
}

/* Escape the character at `at`, an ASCII byte or a sequence of UTF-8, and
 * return where the next one is. `end - at` bytes of input are yet to come. */
static const char *put_escape(struct out *out, const char *at, const char *end)
{
    uint32_t c;
    size_t len = utf8_read(at, end, &c);
    char bytes[UTF8_LEN_MAX];

    if (!has_room(out, ESCAPE_LEN * UTF8_LEN_MAX, (size_t)(end - at)))
        return end;
    size_t bytes_len = utf8_put(bytes, c);
    for (size_t i = 0; i < bytes_len; i++)
        out->at = percent_put(out->at, (unsigned char)bytes[i]);
    return at + len;
}

/* ---- the host ----------------------------------------------------------- */

/* Would put_host write the name as it is? It would if there are no escapes,
 * nothing beyond ASCII, no "xn--" and no number at its end. `host` is in lower
 * case and has only PLAIN_HOST bytes. */
static bool is_plain_name(struct str host)
{
    const char *at = host.ptr, *end = host.ptr + host.len;
    const char *label = at;

    for (;;) {
        if (end - label >= 4 && !memcmp(label, "xn--", 4))
            return false;
        const char *dot = memchr(label, '.', (size_t)(end - label));
        if (!dot || dot + 1 == end)
            break;
        label = dot + 1;
    }
    /* A number starts with a digit, also "0x7f". */
    return label < end && !ascii_is_digit(*label);
}

static enum err put_ipv6(struct out *out, struct str text)
{
    struct in6_addr address;

    if (!ipv6_parse(text, &address))
        return ERR_URL_HOST;
    if (!has_room(out, IPV6_TEXT_MAX + 2, 0))
        return ERR_URL_TOO_LONG;
    put_char(out, '[');
    out->at += ipv6_write(out->at, &address);
    put_char(out, ']');
    return ERR_NONE;
}

/* Write the host that `host` means, not empty and without a port: a lower-case
 * ASCII name, "1.2.3.4" or "[1::2]". */
static enum err put_host(struct out *out, struct str host)
{
    char decoded[URL_LEN_MAX], text[URL_LEN_MAX];
    struct str name = {text, 0};
    uint32_t address;

    if (host.ptr[0] == '[') {
        if (host.ptr[host.len - 1] != ']')
            return ERR_URL_HOST;
        return put_ipv6(out, (struct str){host.ptr + 1, host.len - 2});
    }

    host = (struct str){decoded, unescape(decoded, host)};
    if (!idna_to_ascii(host, text, sizeof(text), &name.len) || !name.len)
        return ERR_URL_HOST;
    for (size_t i = 0; i < name.len; i++)
        if (!is_plain(name.ptr[i], PLAIN_HOST))
            return ERR_URL_HOST;

    if (ipv4_is_meant(name)) {
        if (!ipv4_parse(name, &address))
            return ERR_URL_HOST;
        name.len = ipv4_write(text, address);
    }
    if (!has_room(out, name.len, 0))
        return ERR_URL_TOO_LONG;
    put_str(out, name);
    return ERR_NONE;
}

/* ---- the authority: "user:password@host:port" --------------------------- */

enum { PORT_MAX = 65535 };

static uint16_t default_port(const struct url *url)
{
    return url->https ? 443 : 80;
}

/* `digits` is the text after ':'. An empty port is no port. */
static enum err read_port(struct url *url, struct str digits)
{
    unsigned port = 0;

    for (size_t i = 0; i < digits.len; i++) {
        if (!ascii_is_digit(digits.ptr[i]))
            return ERR_URL_PORT;
        port = port * 10 + (unsigned)(digits.ptr[i] - '0');
        if (port > PORT_MAX)
            return ERR_URL_PORT;
    }
    if (!digits.len)
        return ERR_NONE;
    url->port = (uint16_t)port;
    url->default_port_written = port == default_port(url);
    return ERR_NONE;
}

static void put_userinfo_part(struct out *out, struct str part)
{
    const char *at = part.ptr, *end = part.ptr + part.len;

    while (at < end && has_room(out, 1, 0)) {
        if (is_plain(*at, PLAIN_USERINFO))
            put_char(out, *at++);
        else
            at = put_escape(out, at, end);
    }
}

/* Nothing is written where both parts are empty: "http://:@host". */
static void put_userinfo(struct out *out, struct str userinfo)
{
    struct str_pair parts = str_cut(userinfo, ':');

    put_userinfo_part(out, parts.head);
    if (parts.tail.len && has_room(out, 1, 0)) {
        put_char(out, ':');
        put_userinfo_part(out, parts.tail);
    }
    if ((parts.head.len || parts.tail.len) && has_room(out, 1, 0))
        put_char(out, '@');
}

/* The ':' before the port, not one between brackets; or the length. */
static size_t find_port(struct str text)
{
    bool in_brackets = false;

    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '[')
            in_brackets = true;
        else if (text.ptr[i] == ']')
            in_brackets = false;
        else if (text.ptr[i] == ':' && !in_brackets)
            return i;
    }
    return text.len;
}

static enum err put_any(struct url *url, struct out *out, const char *start,
                        struct str text)
{
    const char *at_sign = text.len ? memrchr(text.ptr, '@', text.len) : NULL;

    if (at_sign) {
        put_userinfo(out, str_between(text.ptr, at_sign));
        text = str_skip(text, (size_t)(at_sign + 1 - text.ptr));
    }
    url->host_start = (uint16_t)(out->at - start);

    size_t host_len = find_port(text);
    if (!host_len)
        return ERR_URL_HOST;
    enum err err = put_host(out, str_first(text, host_len));
    if (err)
        return err;
    url->host_end = (uint16_t)(out->at - start);
    return host_len == text.len ? ERR_NONE
                                : read_port(url, str_skip(text, host_len + 1));
}

/* The common case in one loop: a name of plain characters and nothing, or a
 * port, after it. False if it is not so; then nothing was written. */
static bool put_plain_name(struct url *url, struct out *out, const char *start,
                           struct str text)
{
    const char *at = text.ptr, *end = text.ptr + text.len;
    char *to = out->at;

    while (at < end && is_plain(*at, PLAIN_HOST))
        *to++ = ascii_lower(*at++);
    if (at < end && *at != ':')
        return false;
    if (!is_plain_name(str_between(out->at, to)))
        return false;
    if (at < end && read_port(url, str_between(at + 1, end)))
        return false; /* "user:password@host" looks the same up to here */

    url->host_start = (uint16_t)(out->at - start);
    out->at = to;
    url->host_end = (uint16_t)(to - start);
    return true;
}

/* `out` holds the scheme and "//" and starts at `start`; url->https is set, the
 * other members up to path_start are set here. */
static enum err put_authority(struct url *url, struct out *out,
                              const char *start, struct str *in)
{
    struct str text = authority_of(*in);

    *in = str_skip(*in, text.len);
    url->port = default_port(url);
    url->default_port_written = false;
    if (!put_plain_name(url, out, start, text)) {
        enum err err = put_any(url, out, start, text);
        if (err)
            return err;
    }
    if (!has_room(out, sizeof(":65535"), in->len))
        return ERR_URL_TOO_LONG;
    if (url->port != default_port(url)) {
        put_char(out, ':');
        for (unsigned unit = 10000; unit; unit /= 10)
            if (url->port >= unit || unit == 1)
                put_char(out, (char)('0' + url->port / unit % 10));
    }
    url->path_start = (uint16_t)(out->at - start);
    return ERR_NONE;
}

/* ---- the path ----------------------------------------------------------- */

/* One dot, written as such or as "%2e"; 0 where there is none. */
static size_t dot_len(const char *at, const char *end)
{
    if (at < end && *at == '.')
        return 1;
    if (end - at >= 3 && at[0] == '%' && at[1] == '2' &&
        ascii_lower(at[2]) == 'e')
        return 3;
    return 0;
}

/* Whether the segment at `at` is "." or "..": the number of dots, and where
 * the segment ends. */
static int dot_segment(const char *at, const char *end, const char **after)
{
    int dots = 0;

    for (size_t len; dots < 3 && (len = dot_len(at, end)); at += len)
        dots++;
    *after = at;
    if (dots == 3 || (at < end && !is_slash(*at) && *at != '?' && *at != '#'))
        return 0;
    return dots;
}

/* Copy up to the end of a segment. */
static const char *put_segment(struct out *out, const char *at, const char *end)
{
    for (;;) {
        char *to = out->at;
        while (at < end && is_plain(*at, PLAIN_PATH))
            *to++ = *at++;
        out->at = to;
        if (at == end || is_slash(*at) || *at == '?' || *at == '#')
            return at;
        at = put_escape(out, at, end);
    }
}

/* A path up to '?', '#' or the end, '\' taken for '/', dot segments resolved.
 * `out` ends with the '/' before the first segment; ".." removes segments
 * before it, but not before `root`, where the path starts. */
static void put_segments(struct out *out, const char *root, struct str *in)
{
    const char *at = in->ptr, *end = in->ptr + in->len;

    for (;;) {
        /* Here `out` ends with '/' and a segment begins. */
        int dots = 0;
        if (at < end && (*at == '.' || *at == '%')) {
            const char *after;
            dots = dot_segment(at, end, &after);
            if (dots)
                at = after;
            if (dots == 2 && out->at - root > 1) { /* "/a/b/" -> "/a/" */
                do
                    out->at--;
                while (out->at[-1] != '/');
            }
        }
        if (!dots)
            at = put_segment(out, at, end);
        if (at == end || !is_slash(*at))
            break;
        if (!dots)
            put_char(out, '/');
        at++;
    }
    *in = str_between(at, end);
}

static void put_path(struct url *url, struct out *out, const char *start,
                     struct str *in)
{
    put_segments(out, start + url->path_start, in);
    url->path_end = (uint16_t)(out->at - start);
}

/* ---- the query ---------------------------------------------------------- */

/* The query as the encoder wants it: all at once, for encodings with a state,
 * and valid. */
static bool encode_query(struct str query, struct buf *valid,
                         const struct url_query_encoder *encoder,
                         struct buf *encoded)
{
    const char *at = query.ptr, *end = query.ptr + query.len;

    while (at < end) {
        uint32_t c;
        at += utf8_read(at, end, &c);
        char *to = buf_reserve(valid, UTF8_LEN_MAX);
        if (!to)
            return false;
        valid->len += utf8_put(to, c);
    }
    return encoder->encode(encoder->ctx, buf_str(valid), encoded);
}

static void put_encoded_query(struct out *out, struct str query,
                              const struct url_query_encoder *encoder)
{
    struct buf valid, encoded;

    buf_init(&valid, UTF8_LEN_MAX * (URL_LEN_MAX + 1));
    buf_init(&encoded, UTF8_LEN_MAX * URL_LEN_MAX);
    if (!encode_query(query, &valid, encoder, &encoded))
        out->full = true;
    for (size_t i = 0; i < encoded.len && !out->full; i++) {
        char c = encoded.ptr[i];
        if (is_plain(c, PLAIN_QUERY) && has_room(out, 1, 0))
            put_char(out, c);
        else if (has_room(out, ESCAPE_LEN, 0))
            out->at = percent_put(out->at, (unsigned char)c);
    }
    buf_release(&encoded);
    buf_release(&valid);
}

/* A query up to '#' or the end; `*in` starts after the '?', which is written
 * here. */
static void put_query(struct out *out, struct str *in,
                      const struct url_query_encoder *encoder)
{
    const char *at = in->ptr, *end = in->ptr + str_find(*in, '#');

    put_char(out, '?');
    char *start = out->at;
    for (;;) {
        char *to = out->at;
        while (at < end && is_plain(*at, PLAIN_QUERY))
            *to++ = *at++;
        out->at = to;
        if (at == end)
            break;
        /* Printable ASCII is the same bytes in every encoding that a page can
         * have; not so the rest of ASCII: ISO-2022-JP has no escape character
         * to encode. */
        if (encoder &&
            ((unsigned char)*at >= 0x7F || (unsigned char)*at < 0x20)) {
            out->at = start;
            put_encoded_query(out, str_between(in->ptr, end), encoder);
            break;
        }
        at = put_escape(out, at, end);
    }
    *in = str_skip(*in, (size_t)(end - in->ptr));
}

/* ---- all of it ---------------------------------------------------------- */

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

static enum err put_absolute(struct url *url, struct out *out, struct str *in)
{
    const char *start = out->at;

    while (in->len && is_slash(in->ptr[0]))
        *in = str_skip(*in, 1);
    put_str(out, url->https ? STR("https://") : STR("http://"));
    enum err err = put_authority(url, out, start, in);
    if (err)
        return err;

    put_char(out, '/');
    if (in->len && is_slash(in->ptr[0]))
        *in = str_skip(*in, 1);
    put_path(url, out, start, in);
    return ERR_NONE;
}

/* The first bytes of the base as they are, and with them its parts. */
static void put_base(struct url *url, struct out *out, const struct url *base,
                     size_t len)
{
    *url = *base;
    put_str(out, str_first(base->href, len));
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
    } else if (is_slash(c)) {
        put_base(url, out, base, base->path_start);
        put_char(out, '/');
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
    bool has_two_slashes =
        in.len >= 2 && is_slash(in.ptr[0]) && is_slash(in.ptr[1]);
    if (base && base->https == url->https && !has_two_slashes) {
        put_relative(url, out, &in, base);
    } else {
        enum err err = put_absolute(url, out, &in);
        if (err)
            return err;
    }
    if (in.len && in.ptr[0] == '?') {
        in = str_skip(in, 1);
        put_query(out, &in, encoder);
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

/* Room for a base, a reference and a little more: a name in "xn--" form or an
 * address may be longer than what was written. */
enum { ROOM = 2 * URL_LEN_MAX + 64 };

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
        in = (struct str){clean, drop_newlines(clean, in)};
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

static struct str scheme_of(const struct url *url)
{
    return url->https ? STR("https://") : STR("http://");
}

struct str url_origin(const struct url *url, struct arena *arena)
{
    return join(arena, scheme_of(url), url_host_port(url));
}

/* ---- names and passwords ------------------------------------------------ */

bool login_drop(struct url *url, struct arena *arena)
{
    struct str scheme = scheme_of(url);
    uint16_t dropped = (uint16_t)(url->host_start - scheme.len);

    if (!dropped)
        return false;
    url->href = join(arena, scheme, str_skip(url->href, url->host_start));
    url->host_start = (uint16_t)(url->host_start - dropped);
    url->host_end = (uint16_t)(url->host_end - dropped);
    url->path_start = (uint16_t)(url->path_start - dropped);
    url->path_end = (uint16_t)(url->path_end - dropped);
    return true;
}

/* As it was typed, without the newlines that a URL may have. */
static struct str on_one_line(struct arena *arena, struct str text)
{
    char *start = arena_new(arena, text.len + 1);

    return (struct str){start, drop_newlines(start, text)};
}

static struct str meaning_of(struct arena *arena, struct str escaped)
{
    char *start = arena_new(arena, escaped.len + 1);

    return (struct str){start, unescape(start, escaped)};
}

/* The offset of the authority in "http://authority/path"; the parser takes any
 * number of slashes for two. 0: it is no such URL. */
static size_t authority_start(struct str text)
{
    size_t at = 0;

    while (at < text.len && (unsigned char)text.ptr[at] <= ' ')
        at++;
    struct str rest = str_skip(text, at);
    if (str_starts_nocase(rest, STR("https:")))
        at += STR("https:").len;
    else if (str_starts_nocase(rest, STR("http:")))
        at += STR("http:").len;
    else
        return 0;
    while (at < text.len && is_slash(text.ptr[at]))
        at++;
    return at;
}

/* Behind the last '@', or 0. */
static size_t behind_at(struct str text)
{
    size_t at = text.len;

    while (at && text.ptr[at - 1] != '@')
        at--;
    return at;
}

bool login_cut(struct arena *arena, struct str url, struct str *rest,
               struct login *login)
{
    struct str text = on_one_line(arena, url);
    size_t start = authority_start(text);
    struct str authority = authority_of(str_skip(text, start));
    size_t end = start ? behind_at(authority) : 0;

    *rest = url;
    *login = (struct login){0};
    if (!end)
        return false;
    struct str_pair parts = str_cut(str_first(authority, end - 1), ':');
    login->name = meaning_of(arena, parts.head);
    login->password = meaning_of(arena, parts.tail);
    *rest = join(arena, str_first(text, start), str_skip(text, start + end));
    if (login->name.len || login->password.len)
        return true;
    *login = (struct login){0};
    return false;
}

struct login login_read(struct arena *arena, struct str text)
{
    struct str_pair parts = str_cut(text, ':');

    return (struct login){
        .name = arena_copy(arena, parts.head),
        .password = arena_copy(arena, parts.tail),
    };
}

/* Any character may be in a password, so that it goes up to the last '@'. An
 * '@' behind the host is no password's only where there is no ':' before it. */
struct str login_find(struct str text)
{
    size_t start = authority_start(text);
    const char *slashes = memmem(text.ptr, text.len, "//", 2);

    if (!start && slashes) /* a slip in the scheme: "http//me:pw@host/" */
        start = (size_t)(slashes + 2 - text.ptr);
    struct str rest = str_skip(text, start);
    size_t end = behind_at(rest);
    bool has_colon = str_find(rest, ':') < end;

    if (!end || (!has_colon && !behind_at(authority_of(rest))))
        return (struct str){0};
    return str_first(rest, end - 1);
}

const char *login_hide(struct arena *arena, const char *written)
{
    struct str text = on_one_line(arena, str_of(written));
    struct str login = login_find(text);

    if (!login.ptr)
        return written;
    size_t before = (size_t)(login.ptr - text.ptr);
    struct str hidden = join(arena, str_first(text, before), STR("..."));
    return join(arena, hidden, str_skip(text, before + login.len)).ptr;
}

/* ---- URLs that are written wrong ---------------------------------------- */

static bool has(struct str text, char c)
{
    return str_find(text, c) < text.len;
}

/* Without an address a mail can still have a subject and a text: the reader
 * adds the address, to share a page by mail. */
static bool is_mail_to_nobody(struct str rest)
{
    struct str_pair parts = str_cut(rest, '?');

    for (size_t i = 0; i + 3 <= rest.len; i++)
        if (str_eq_nocase(str_first(str_skip(rest, i), 3), STR("%40")))
            return false;
    return !has(rest, '@') && !parts.tail.len;
}

/* "htp", "htpps", "ttp", ...: the letters of https, with a t and a p. "ssh" is
 * a scheme. */
static bool is_mistyped_http(struct str scheme)
{
    for (size_t i = 0; i < scheme.len; i++)
        if (!has(STR("https"), ascii_lower(scheme.ptr[i])))
            return false;
    return scheme.len < 8 && !str_eq_nocase(scheme, STR("http")) &&
           !str_eq_nocase(scheme, STR("https")) &&
           (has(scheme, 't') || has(scheme, 'T')) &&
           (has(scheme, 'p') || has(scheme, 'P'));
}

const char *url_mistake(struct str href)
{
    struct str_pair parts = str_cut(url_trim(href), ':');

    if (!parts.tail.ptr)
        return NULL;
    if (str_eq_nocase(parts.head, STR("mailto")))
        return is_mail_to_nobody(parts.tail) ? "no mail address" : NULL;
    if (str_eq_nocase(parts.head, STR("file")))
        return "a file of one computer";
    if (is_mistyped_http(parts.head) &&
        str_starts_nocase(parts.tail, STR("//")))
        return "http is mistyped";
    return NULL;
}
