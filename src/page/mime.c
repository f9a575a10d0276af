#include "page/mime.h"

/* ---- parsing (standard: 4.4) ------------------------------------------- */

/* The white space of HTTP, which unlike HTML's has no form feed. */
static bool is_http_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_token_char(char c)
{
    return ascii_is_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_token_char(s.ptr[i]))
            return false;
    return s.len > 0;
}

/* What a value may have in quotes: all bytes but the control characters. */
static bool is_value(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static struct str skip_space(struct str s)
{
    while (s.len && is_http_space(s.ptr[0]))
        s = str_skip(s, 1);
    return s;
}

static struct str without_space_behind(struct str s)
{
    while (s.len && is_http_space(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool mime_parse(struct mime *mime, struct str value)
{
    value = without_space_behind(skip_space(value));
    *mime = (struct mime){0};

    struct str_pair parts = str_cut(value, ';');
    struct str essence = without_space_behind(parts.head);
    struct str_pair names = str_cut(essence, '/');
    if (!is_token(names.head) || !is_token(names.tail))
        return false;

    mime->essence = essence;
    mime->type = names.head;
    mime->subtype = names.tail;
    mime->parameters = parts.tail;
    return true;
}

struct str mime_essence(struct str value)
{
    struct mime mime;

    mime_parse(&mime, value);
    return mime.essence;
}

/* Take a quoted value off the front of `s`, which starts with its quote. The
 * closing one may be missing. */
static void take_quoted(struct str *s, struct mime_parameter *parameter)
{
    const char *at = s->ptr + 1, *end = s->ptr + s->len;
    const char *start = at;

    for (; at < end && *at != '"'; at++) {
        if (*at == '\\' && at + 1 < end) {
            parameter->has_escapes = true;
            at++;
        }
    }
    parameter->raw = str_between(start, at);
    *s = str_between(at < end ? at + 1 : end, end);
}

/* Take "name=value" off the front of `s`; false if it is not valid. */
static bool take_parameter(struct str *s, struct mime_parameter *parameter)
{
    size_t name_len = 0;

    *parameter = (struct mime_parameter){0};
    *s = skip_space(*s);
    while (name_len < s->len && s->ptr[name_len] != ';' &&
           s->ptr[name_len] != '=')
        name_len++;
    parameter->name = str_first(*s, name_len);
    *s = str_skip(*s, name_len);
    if (!s->len || s->ptr[0] == ';')
        return false;
    *s = str_skip(*s, 1);

    bool is_quoted = s->len && s->ptr[0] == '"';
    if (is_quoted)
        take_quoted(s, parameter);

    /* After the closing quote: junk, which is not looked at. */
    size_t rest_len = str_find(*s, ';');
    if (!is_quoted)
        parameter->raw = without_space_behind(str_first(*s, rest_len));
    *s = str_skip(*s, rest_len);
    return (is_quoted || parameter->raw.len) && is_token(parameter->name) &&
           is_value(parameter->raw);
}

bool mime_parameters_next(struct mime_parameters *parameters,
                          struct mime_parameter *parameter)
{
    while (parameters->at < parameters->end) {
        struct str rest = str_between(parameters->at, parameters->end);
        bool is_valid = take_parameter(&rest, parameter);

        /* What is left is empty or starts with a semicolon. */
        parameters->at = rest.ptr + (rest.len > 0);
        if (is_valid)
            return true;
    }
    return false;
}

bool mime_parameter_put(const struct mime_parameter *parameter, struct buf *out)
{
    struct str raw = parameter->raw;

    if (!parameter->has_escapes)
        return buf_put(out, raw);

    size_t len = out->len;
    for (size_t i = 0; i < raw.len; i++) {
        if (raw.ptr[i] == '\\' && i + 1 < raw.len)
            i++;
        if (!buf_put_char(out, raw.ptr[i])) {
            out->len = len;
            return false;
        }
    }
    return true;
}

bool mime_put_charset(const struct mime *mime, struct buf *out)
{
    struct mime_parameters at = mime_parameters(mime);
    struct mime_parameter parameter;

    while (mime_parameters_next(&at, &parameter))
        if (str_eq_nocase(parameter.name, STR("charset")))
            return mime_parameter_put(&parameter, out);
    return false;
}

bool mime_is_xhtml(struct str essence)
{
    return str_eq_nocase(essence, STR("application/xhtml+xml"));
}

bool mime_is_html(struct str essence)
{
    return str_eq_nocase(essence, STR("text/html")) || mime_is_xhtml(essence);
}

enum mime_verdict mime_verdict(struct str essence)
{
    if (!essence.len || str_eq_nocase(essence, STR("unknown/unknown")) ||
        str_eq_nocase(essence, STR("application/unknown")) ||
        str_eq(essence, STR("*/*")))
        return MIME_SNIFF;
    return mime_is_html(essence) ? MIME_PAGE : MIME_OTHER;
}

/* ---- signatures (6, 7.1) ----------------------------------------------- */

/* What a resource starts with. */
struct signature {
    struct str bytes;
    uint64_t ignored; /* bit i: any byte matches bytes.ptr[i] */
    struct str essence;
};

/* RIFF and FORM: four bytes of length before the name. */
enum { LENGTH_FIELD = 0xf0 };

static const struct signature text[] = {
    {STR_INIT("%!PS-Adobe-"), 0, STR_INIT("application/postscript")},
    {STR_INIT("\xfe\xff\0\0"), 0xc, STR_INIT("text/plain")},
    {STR_INIT("\xff\xfe\0\0"), 0xc, STR_INIT("text/plain")},
    {STR_INIT("\xef\xbb\xbf\0"), 0x8, STR_INIT("text/plain")},
};

static const struct signature image[] = {
    {STR_INIT("\0\0\1\0"), 0, STR_INIT("image/x-icon")},
    {STR_INIT("\0\0\2\0"), 0, STR_INIT("image/x-icon")},
    {STR_INIT("BM"), 0, STR_INIT("image/bmp")},
    {STR_INIT("GIF87a"), 0, STR_INIT("image/gif")},
    {STR_INIT("GIF89a"), 0, STR_INIT("image/gif")},
    {STR_INIT("RIFF\0\0\0\0WEBPVP"), LENGTH_FIELD, STR_INIT("image/webp")},
    {STR_INIT("\x89PNG\r\n\x1a\n"), 0, STR_INIT("image/png")},
    {STR_INIT("\xff\xd8\xff"), 0, STR_INIT("image/jpeg")},
};

static const struct signature audio_video[] = {
    {STR_INIT("FORM\0\0\0\0AIFF"), LENGTH_FIELD, STR_INIT("audio/aiff")},
    {STR_INIT("ID3"), 0, STR_INIT("audio/mpeg")},
    {STR_INIT("OggS\0"), 0, STR_INIT("application/ogg")},
    {STR_INIT("MThd\0\0\0\6"), 0, STR_INIT("audio/midi")},
    {STR_INIT("RIFF\0\0\0\0AVI "), LENGTH_FIELD, STR_INIT("video/avi")},
    {STR_INIT("RIFF\0\0\0\0WAVE"), LENGTH_FIELD, STR_INIT("audio/wave")},
};

static const struct signature archive[] = {
    {STR_INIT("\x1f\x8b\x08"), 0, STR_INIT("application/x-gzip")},
    {STR_INIT("PK\3\4"), 0, STR_INIT("application/zip")},
    {STR_INIT("Rar!\x1a\7\0"), 0, STR_INIT("application/x-rar-compressed")},
};

static const struct signature font[] = {
    {STR_INIT("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
              "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0LP"),
     0x3ffffffff, STR_INIT("application/vnd.ms-fontobject")},
    {STR_INIT("\0\1\0\0"), 0, STR_INIT("font/ttf")},
    {STR_INIT("OTTO"), 0, STR_INIT("font/otf")},
    {STR_INIT("ttcf"), 0, STR_INIT("font/collection")},
    {STR_INIT("wOFF"), 0, STR_INIT("font/woff")},
    {STR_INIT("wOF2"), 0, STR_INIT("font/woff2")},
};

static const struct {
    const struct signature *row;
    size_t count;
} families[MIME_FAMILIES] = {
    [MIME_FAMILY_TEXT] = {text, ARRAY_LEN(text)},
    [MIME_FAMILY_IMAGE] = {image, ARRAY_LEN(image)},
    [MIME_FAMILY_AUDIO_VIDEO] = {audio_video, ARRAY_LEN(audio_video)},
    [MIME_FAMILY_ARCHIVE] = {archive, ARRAY_LEN(archive)},
    [MIME_FAMILY_FONT] = {font, ARRAY_LEN(font)},
};

static bool has_signature(struct str bytes, const struct signature *signature)
{
    struct str wanted = signature->bytes;

    if (bytes.len < wanted.len)
        return false;
    for (size_t i = 0; i < wanted.len; i++)
        if (!(signature->ignored >> i & 1) && bytes.ptr[i] != wanted.ptr[i])
            return false;
    return true;
}

static bool is_html_tag(struct str bytes)
{
    static const struct str tags[] = {
        STR_INIT("<!DOCTYPE HTML"),
        STR_INIT("<HTML"),
        STR_INIT("<HEAD"),
        STR_INIT("<SCRIPT"),
        STR_INIT("<IFRAME"),
        STR_INIT("<H1"),
        STR_INIT("<DIV"),
        STR_INIT("<FONT"),
        STR_INIT("<TABLE"),
        STR_INIT("<A"),
        STR_INIT("<STYLE"),
        STR_INIT("<TITLE"),
        STR_INIT("<B"),
        STR_INIT("<BODY"),
        STR_INIT("<BR"),
        STR_INIT("<P"),
    };

    if (str_starts(bytes, STR("<!--")))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(tags); i++) {
        if (!str_starts_nocase(bytes, tags[i]) || bytes.len == tags[i].len)
            continue;
        char after = bytes.ptr[tags[i].len];
        if (after == ' ' || after == '>')
            return true;
    }
    return false;
}

static struct str match_scriptable(struct str bytes)
{
    if (str_starts(bytes, STR("%PDF-")))
        return STR("application/pdf");
    while (bytes.len && ascii_is_space(bytes.ptr[0]))
        bytes = str_skip(bytes, 1);
    if (is_html_tag(bytes))
        return STR("text/html");
    if (str_starts(bytes, STR("<?xml")))
        return STR("text/xml");
    return (struct str){0};
}

/* 6.2.1: a box "ftyp" that has a brand starting with "mp4". */
static bool is_mp4(struct str bytes)
{
    if (bytes.len < 12 || memcmp(bytes.ptr + 4, "ftyp", 4) != 0)
        return false;

    const unsigned char *at = (const unsigned char *)bytes.ptr;
    size_t box_len =
        (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
    if (bytes.len < box_len || box_len % 4)
        return false;
    if (!memcmp(at + 8, "mp4", 3))
        return true;
    for (size_t i = 16; i < box_len; i += 4)
        if (!memcmp(at + i, "mp4", 3))
            return true;
    return false;
}

/* 6.2.2: an EBML head that has the document type "webm" near its begin. */
static bool is_webm(struct str bytes)
{
    enum { NEAR = 38 };

    if (!str_starts(bytes, STR("\x1a\x45\xdf\xa3")))
        return false;
    for (size_t i = 4; i < NEAR && i + 2 < bytes.len; i++) {
        if (memcmp(bytes.ptr + i, "\x42\x82", 2) != 0)
            continue;

        /* A number follows: as many bytes as its first has leading zero
         * bits, and that one. Then the name, padded with NULs. */
        size_t at = i + 2, number_len = 1;
        for (unsigned bit = 0x80; number_len < 8; bit >>= 1, number_len++)
            if ((unsigned char)bytes.ptr[at] & bit)
                break;
        at += number_len;
        while (at < bytes.len && !bytes.ptr[at])
            at++;
        if (at < bytes.len && str_starts(str_skip(bytes, at), STR("webm")))
            return true;
    }
    return false;
}

struct str mime_match(enum mime_family family, struct str bytes)
{
    bytes = str_first(bytes, MIME_SNIFF_LEN);
    if (family == MIME_FAMILY_SCRIPTABLE)
        return match_scriptable(bytes);
    for (size_t i = 0; i < families[family].count; i++)
        if (has_signature(bytes, &families[family].row[i]))
            return families[family].row[i].essence;
    if (family == MIME_FAMILY_AUDIO_VIDEO && is_mp4(bytes))
        return STR("video/mp4");
    if (family == MIME_FAMILY_AUDIO_VIDEO && is_webm(bytes))
        return STR("video/webm");
    return (struct str){0};
}

/* ---- the computed type (7) --------------------------------------------- */

/* Bytes that no text has, whatever its encoding. */
static bool is_binary(struct str bytes)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = (unsigned char)bytes.ptr[i];
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\f' && c != '\r' &&
            c != 0x1b)
            return true;
    }
    return false;
}

struct str mime_sniff(struct str bytes, bool nosniff)
{
    bytes = str_first(bytes, MIME_SNIFF_LEN);
    for (unsigned family = nosniff ? MIME_FAMILY_TEXT : 0;
         family <= MIME_FAMILY_ARCHIVE; family++) {
        struct str essence = mime_match((enum mime_family)family, bytes);
        if (essence.len)
            return essence;
    }
    return is_binary(bytes) ? STR("application/octet-stream")
                            : STR("text/plain");
}

/* What old versions of Apache send for files that they do not know. */
static bool is_servers_default(struct str value)
{
    return str_eq(value, STR("text/plain")) ||
           str_eq(value, STR("text/plain; charset=ISO-8859-1")) ||
           str_eq(value, STR("text/plain; charset=iso-8859-1")) ||
           str_eq(value, STR("text/plain; charset=UTF-8"));
}

struct str mime_of_answer(struct str value, bool nosniff, struct str bytes)
{
    struct str essence = mime_essence(value);

    if (mime_verdict(essence) == MIME_SNIFF)
        return mime_sniff(bytes, nosniff);
    if (nosniff || !is_servers_default(value))
        return essence;

    /* 7.2: a byte order mark of UTF-16 needs no more bytes here. */
    bytes = str_first(bytes, MIME_SNIFF_LEN);
    bool is_text = str_starts(bytes, STR("\xfe\xff")) ||
                   str_starts(bytes, STR("\xff\xfe")) ||
                   str_starts(bytes, STR("\xef\xbb\xbf"));
    return !is_text && is_binary(bytes) ? STR("application/octet-stream")
                                        : STR("text/plain");
}

bool mime_sniffs_as_html(struct str body)
{
    if (str_starts(body, STR("\xef\xbb\xbf")))
        body = str_skip(body, 3);
    return str_eq(mime_match(MIME_FAMILY_SCRIPTABLE, body), STR("text/html"));
}
