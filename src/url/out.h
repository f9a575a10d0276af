/* The serialisation in the making, and the percent-encode sets of the URL
 * standard. Private to url/.
 *
 * Room is counted once: whoever makes a `struct out` gives it more room than
 * the input has bytes, so that what is copied byte for byte needs no check.
 * Only what grows (an escape is three bytes for one) looks at the room that
 * would be left; when that is short the URL is longer than URL_LEN_MAX anyway
 * and `full` is set.
 */
#ifndef URL_OUT_H
#define URL_OUT_H

#include "base/arena.h"

struct out {
    char *at;
    char *end;
    bool full;
};

/* Bytes that may stand as they are. All others are percent-encoded, or have a
 * meaning: '/', '\', '?' and '#'. */
enum {
    URL_PLAIN_PATH = 1,     /* inside a segment */
    URL_PLAIN_QUERY = 2,    /* the special-query set's complement, less '#' */
    URL_PLAIN_USERINFO = 4, /* user name and password */
    URL_PLAIN_HOST = 8,     /* ASCII that no domain forbids */
};

extern const uint8_t url_plain[256];

static inline bool url_is_plain(char c, unsigned set)
{
    return url_plain[(unsigned char)c] & set;
}

/* In http and https '\' is a slash like the other. */
static inline bool url_is_slash(char c)
{
    return c == '/' || c == '\\';
}

static inline bool url_ends_authority(char c)
{
    return url_is_slash(c) || c == '?' || c == '#';
}

/* The authority that `text` starts with: "host" of "host/path". */
static inline struct str url_authority(struct str text)
{
    size_t len = 0;

    while (len < text.len && !url_ends_authority(text.ptr[len]))
        len++;
    return str_first(text, len);
}

/* Copy with "%41" read as "A"; but a zero byte stays "%00". Returns the
 * length, at most that of `from`. */
size_t url_unescape(char *to, struct str from);

/* Copy without tabs and newlines, which the standard's parser ignores. Returns
 * the length. */
size_t url_drop_newlines(char *to, struct str from);

/* One after the other, NUL-terminated. */
struct str url_join(struct arena *arena, struct str one, struct str other);

/* Escape one byte. */
void out_escape_byte(struct out *out, char c);

/* Escape the character at `at`, an ASCII byte or a sequence of UTF-8, and
 * return where the next one is. `end - at` bytes of input are yet to come. */
const char *out_escape(struct out *out, const char *at, const char *end);

static inline void out_char(struct out *out, char c)
{
    *out->at++ = c;
}

static inline void out_str(struct out *out, struct str s)
{
    memcpy(out->at, s.ptr, s.len);
    out->at += s.len;
}

/* Whether `grown` bytes fit and then `coming` more; if not, `out` is full. */
static inline bool out_has_room(struct out *out, size_t grown, size_t coming)
{
    if ((size_t)(out->end - out->at) < grown + coming)
        out->full = true;
    return !out->full;
}

#endif
