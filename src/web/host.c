#include "web/host.h"

#include <assert.h>
#include <idn2.h>
#include <stdio.h>

#include "base/str.h"

/* ---- IP addresses ------------------------------------------------------- */

/* A part of an IPv4 address larger than this is too large in any place. */
static const uint64_t part_max = UINT32_MAX;

/* Decimal, octal with a leading "0", hexadecimal with "0x"; "0x" alone is 0.
 * A larger one than part_max becomes part_max + 1. */
static bool read_part(struct str text, uint64_t *value)
{
    int base = 10;

    *value = 0;
    if (!text.len)
        return false;
    if (str_starts_nocase(text, STR("0x"))) {
        base = 16;
        text = str_skip(text, 2);
    } else if (text.len > 1 && text.ptr[0] == '0') {
        base = 8;
        text = str_skip(text, 1);
    }
    for (size_t i = 0; i < text.len; i++) {
        int digit = hex_value(text.ptr[i]);
        if (digit < 0 || digit >= base)
            return false;
        *value = *value * (uint64_t)base + (uint64_t)digit;
        if (*value > part_max)
            *value = part_max + 1;
    }
    return true;
}

static struct str without_final_dot(struct str host)
{
    if (host.len > 1 && host.ptr[host.len - 1] == '.')
        host.len--;
    return host;
}

bool ipv4_is_meant(struct str host)
{
    size_t digits = 0;
    uint64_t value;

    host = without_final_dot(host);
    size_t start = host.len;
    while (start && host.ptr[start - 1] != '.')
        start--;
    struct str last = str_skip(host, start);
    while (digits < last.len && ascii_is_digit(last.ptr[digits]))
        digits++;
    return (digits && digits == last.len) || read_part(last, &value);
}

bool ipv4_parse(struct str host, uint32_t *address)
{
    struct str rest = without_final_dot(host);
    uint64_t sum = 0, part = 0;

    for (unsigned shift = 24;; shift -= 8) {
        size_t dot = str_find(rest, '.');
        if (!read_part(str_first(rest, dot), &part))
            return false;
        if (dot == rest.len) {
            /* The last part fills all the bytes that are left. */
            if (part >> (shift + 8))
                return false;
            *address = (uint32_t)(sum | part);
            return true;
        }
        if (part > 255 || !shift)
            return false;
        sum |= part << shift;
        rest = str_skip(rest, dot + 1);
    }
}

size_t ipv4_write(char to[static IPV4_TEXT_MAX], uint32_t address)
{
    return (size_t)snprintf(to, IPV4_TEXT_MAX, "%u.%u.%u.%u", address >> 24,
                            address >> 16 & 255, address >> 8 & 255,
                            address & 255);
}

bool ipv6_parse(struct str text, struct in6_addr *address)
{
    char copy[INET6_ADDRSTRLEN];

    if (text.len >= sizeof(copy) || memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return inet_pton(AF_INET6, copy, address) == 1;
}

size_t ipv6_write(char to[static IPV6_TEXT_MAX], const struct in6_addr *address)
{
    const uint8_t *tail = address->s6_addr + 12;

    inet_ntop(AF_INET6, address, to, IPV6_TEXT_MAX);
    /* The standard wants "::ffff:102:304" for "::ffff:1.2.3.4". */
    if (strchr(to, '.'))
        snprintf(strrchr(to, ':') + 1, sizeof("ffff:ffff"), "%x:%x",
                 (unsigned)(tail[0] << 8 | tail[1]),
                 (unsigned)(tail[2] << 8 | tail[3]));
    return strlen(to);
}

/* ---- Punycode ----------------------------------------------------------- */

/* The parameters of RFC 3492, section 5. */
enum {
    BASE = 36,
    T_MIN = 1,
    T_MAX = 26,
    SKEW = 38,
    DAMP = 700,
    FIRST_BIAS = 72,
    FIRST_CHAR = 0x80,
};

static uint32_t adapt(uint32_t delta, size_t count, bool first)
{
    uint32_t k = 0;

    delta = first ? delta / DAMP : delta / 2;
    delta += delta / (uint32_t)count;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

static uint32_t threshold(uint32_t k, uint32_t bias)
{
    if (k <= bias)
        return T_MIN;
    return k - bias < T_MAX ? k - bias : T_MAX;
}

static uint32_t digit_value(char c)
{
    if (ascii_is_digit(c))
        return (uint32_t)(c - '0') + 26;
    return ascii_is_alpha(c) ? (uint32_t)(ascii_lower(c) - 'a') : BASE;
}

/* One generalised variable-length integer, added to `*sum`. */
static bool read_delta(struct str *in, uint32_t bias, uint32_t *sum)
{
    uint32_t weight = 1;

    for (uint32_t k = BASE;; k += BASE) {
        uint32_t digit = in->len ? digit_value(in->ptr[0]) : BASE;
        if (digit == BASE || digit > (UINT32_MAX - *sum) / weight)
            return false;
        *in = str_skip(*in, 1);
        *sum += digit * weight;
        uint32_t t = threshold(k, bias);
        if (digit < t)
            return true;
        if (weight > UINT32_MAX / (BASE - t))
            return false;
        weight *= BASE - t;
    }
}

bool punycode_decode(struct str ascii, uint32_t *to, size_t max, size_t *len)
{
    if (!ascii.len)
        return false;

    const char *dash = memrchr(ascii.ptr, '-', ascii.len);
    size_t count = dash ? (size_t)(dash - ascii.ptr) : 0;
    uint32_t c = FIRST_CHAR, bias = FIRST_BIAS, at = 0;

    if (count > max || dash == ascii.ptr)
        return false;
    for (size_t i = 0; i < count; i++)
        to[i] = (unsigned char)ascii.ptr[i];
    struct str in = str_skip(ascii, dash ? count + 1 : 0);

    while (in.len) {
        uint32_t before = at;
        if (count == max || !read_delta(&in, bias, &at))
            return false;
        count++;
        bias = adapt(at - before, count, before == 0);
        c += at / (uint32_t)count;
        at %= (uint32_t)count;
        if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
            return false;
        memmove(to + at + 1, to + at, (count - 1 - at) * sizeof(*to));
        to[at++] = c;
    }
    *len = count;
    return true;
}

static char *put_delta(char *to, uint32_t delta, uint32_t bias)
{
    static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";

    for (uint32_t k = BASE;; k += BASE) {
        uint32_t t = threshold(k, bias);
        assert(t <= T_MAX);
        if (delta < t) {
            *to++ = digits[delta];
            return to;
        }
        *to++ = digits[t + (delta - t) % (BASE - t)];
        delta = (delta - t) / (BASE - t);
    }
}

size_t punycode_encode(const uint32_t *from, size_t count, char *to)
{
    char *start = to;
    uint32_t c = FIRST_CHAR, bias = FIRST_BIAS, delta = 0;

    for (size_t i = 0; i < count; i++)
        if (from[i] < FIRST_CHAR)
            *to++ = (char)from[i];
    size_t basic = (size_t)(to - start), done = basic;
    if (basic)
        *to++ = '-';

    while (done < count) {
        uint32_t next = UINT32_MAX; /* the smallest character from `c` on */
        for (size_t i = 0; i < count; i++)
            if (from[i] >= c && from[i] < next)
                next = from[i];
        delta += (next - c) * (uint32_t)(done + 1);
        c = next;
        for (size_t i = 0; i < count; i++) {
            if (from[i] < c)
                delta++;
            if (from[i] != c)
                continue;
            to = put_delta(to, delta, bias);
            bias = adapt(delta, done + 1, done == basic);
            delta = 0;
            done++;
        }
        delta++;
        c++;
    }
    return (size_t)(to - start);
}

/* ---- a label of an international name ----------------------------------- */

/* A label in the making, as characters. More of them than LABEL_MAX never
 * have an ASCII form of 63 bytes, but for characters that are ignored. */
enum { LABEL_MAX = 256 };

/* More labels no name in the DNS has; each costs microseconds here, and a
 * hostile page has many links of many labels. */
enum { UNUSUAL_MAX = 127 };

struct label {
    uint32_t chars[LABEL_MAX];
    size_t len;
};

enum {
    SHARP_S = 0xDF,
    FINAL_SIGMA = 0x3C2,
    NON_JOINER = 0x200C,
    JOINER = 0x200D,
};

/* Characters that stand for those that libidn2 must not see. They have the same
 * directionality, compose with nothing, and nothing that a host may have is
 * mapped to them. No host may have a '^' of its own (web/url.c). */
enum {
    STAND_IN_HYPHEN = '^',
    STAND_IN_SHARP_S = 0x138,     /* kra */
    STAND_IN_FINAL_SIGMA = 0x18D, /* turned delta */
};

/* Ranges that Unicode 16 maps (to `to` and the characters after it) or ignores
 * (0), but libidn2's Unicode 15 refuses or maps otherwise. */
static const struct {
    uint32_t first, last, to;
} newer_maps[] = {
    {0x4C0, 0x4C0, 0x4CF},     /* Cyrillic palochka */
    {0x10A0, 0x10C5, 0x2D00},  /* Georgian capitals */
    {0x115F, 0x1160, 0},       /* Hangul fillers */
    {0x17B4, 0x17B5, 0},       /* Khmer inherent vowels */
    {0x180E, 0x180E, 0},       /* Mongolian vowel separator */
    {0x1E9E, 0x1E9E, SHARP_S}, /* capital sharp s */
    {0x206A, 0x206F, 0},       /* deprecated format characters */
    {0x2132, 0x2132, 0x214E},  /* turned F */
    {0x2183, 0x2183, 0x2184},  /* Roman numeral reversed C */
    {0x3164, 0x3164, 0},       /* Hangul filler */
    {0xFE63, 0xFE63, '-'},     /* here because of the hyphen's stand-in */
    {0xFF0D, 0xFF0D, '-'},
    {0xFFA0, 0xFFA0, 0},        /* half-width Hangul filler */
    {0x1D173, 0x1D17A, 0},      /* musical format characters */
    {0x2F868, 0x2F868, 0x36FC}, /* CJK compatibility ideographs */
    {0x2F874, 0x2F874, 0x5F53},
    {0x2F91F, 0x2F91F, 0x243AB},
    {0x2F95F, 0x2F95F, 0x7AEE},
    {0x2F9BF, 0x2F9BF, 0x45D7},
};

struct range {
    uint32_t first, last;
};

/* The blocks that Unicode keeps for scripts from right to left. */
static const struct range right_to_left[] = {
    {0x590, 0x8FF},   {0x200F, 0x200F},   {0xFB1D, 0xFDFF},
    {0xFE70, 0xFEFE}, {0x10800, 0x10FFF}, {0x1E800, 0x1EFFF},
};

/* The combining characters, digits and signs in these blocks that go with
 * either direction (Unicode 15.1). */
static const struct range either_way[] = {
    {0x591, 0x5BD},     {0x5BF, 0x5BF},     {0x5C1, 0x5C2},
    {0x5C4, 0x5C5},     {0x5C7, 0x5C7},     {0x606, 0x607},
    {0x609, 0x60A},     {0x60C, 0x60C},     {0x60E, 0x61A},
    {0x64B, 0x65F},     {0x66A, 0x66A},     {0x670, 0x670},
    {0x6D6, 0x6DC},     {0x6DE, 0x6E4},     {0x6E7, 0x6ED},
    {0x6F0, 0x6F9},     {0x711, 0x711},     {0x730, 0x74A},
    {0x7A6, 0x7B0},     {0x7EB, 0x7F3},     {0x7F6, 0x7F9},
    {0x7FD, 0x7FD},     {0x816, 0x819},     {0x81B, 0x823},
    {0x825, 0x827},     {0x829, 0x82D},     {0x859, 0x85B},
    {0x898, 0x89F},     {0x8CA, 0x8E1},     {0x8E3, 0x8FF},
    {0xFB1E, 0xFB1E},   {0xFB29, 0xFB29},   {0xFD3E, 0xFD4F},
    {0xFDCF, 0xFDCF},   {0xFDFD, 0xFDFF},   {0x1091F, 0x1091F},
    {0x10A01, 0x10A03}, {0x10A05, 0x10A06}, {0x10A0C, 0x10A0F},
    {0x10A38, 0x10A3A}, {0x10A3F, 0x10A3F}, {0x10AE5, 0x10AE6},
    {0x10B39, 0x10B3F}, {0x10D24, 0x10D27}, {0x10EAB, 0x10EAC},
    {0x10EFD, 0x10EFF}, {0x10F46, 0x10F50}, {0x10F82, 0x10F85},
    {0x1E8D0, 0x1E8D6}, {0x1E944, 0x1E94A}, {0x1EEF0, 0x1EEF1},
};

static bool is_ascii(const struct label *label)
{
    for (size_t i = 0; i < label->len; i++)
        if (label->chars[i] >= 0x80)
            return false;
    return true;
}

static bool has_ace_prefix(const struct label *label)
{
    const uint32_t *c = label->chars;

    return label->len >= 4 && (c[0] | 0x20) == 'x' && (c[1] | 0x20) == 'n' &&
           c[2] == '-' && c[3] == '-';
}

static size_t count_of(const struct label *label, uint32_t c)
{
    size_t count = 0;

    for (size_t i = 0; i < label->len; i++)
        count += label->chars[i] == c;
    return count;
}

static void replace(struct label *label, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < label->len; i++)
        if (label->chars[i] == from)
            label->chars[i] = to;
}

static bool is_in(const struct range *range, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count; i++)
        if (c >= range[i].first && c <= range[i].last)
            return true;
    return false;
}

/* The heart of the Bidi rule: Latin letters and a script from right to left
 * do not go together in a label. */
static bool mixes_directions(const struct label *label)
{
    bool right = false, left = false;

    for (size_t i = 0; i < label->len; i++) {
        uint32_t c = label->chars[i];
        right = right || (is_in(right_to_left, ARRAY_LEN(right_to_left), c) &&
                          !is_in(either_way, ARRAY_LEN(either_way), c));
        left = left || (c < 0x80 && ascii_is_alpha((char)c));
    }
    return right && left;
}

/* In place: all that newer_maps knows. */
static void map_newer_chars(struct label *label)
{
    size_t len = 0;

    for (size_t i = 0; i < label->len; i++) {
        uint32_t c = label->chars[i];
        size_t k = 0;
        while (k < ARRAY_LEN(newer_maps) &&
               (c < newer_maps[k].first || c > newer_maps[k].last))
            k++;
        if (k == ARRAY_LEN(newer_maps))
            label->chars[len++] = c;
        else if (newer_maps[k].to)
            label->chars[len++] = newer_maps[k].to + (c - newer_maps[k].first);
    }
    label->len = len;
}

/* The characters of what libidn2 answered, one label or the empty one. */
static bool read_answer(struct str ascii, struct label *label)
{
    if (str_starts(ascii, STR("xn--")))
        return punycode_decode(str_skip(ascii, 4), label->chars, LABEL_MAX,
                               &label->len);
    if (ascii.len > LABEL_MAX || str_find(ascii, '.') < ascii.len)
        return false;
    label->len = ascii.len;
    for (size_t i = 0; i < ascii.len; i++)
        label->chars[i] = (unsigned char)ascii.ptr[i];
    return true;
}

/* Map and check `label` by libidn2, in place. IDN2_OK or its error. */
static int ask_libidn2(struct label *label, int flags)
{
    char text[LABEL_MAX * UTF8_LEN_MAX + 1];
    size_t len = 0;
    uint8_t *answer = NULL;

    for (size_t i = 0; i < label->len; i++)
        len += utf8_put(text + len, label->chars[i]);
    text[len] = '\0';
    /* The round trip that libidn2 would add refuses all ASCII but letters,
     * digits and hyphens. */
    int rc = idn2_lookup_u8((const uint8_t *)text, &answer,
                            flags | IDN2_NO_ALABEL_ROUNDTRIP);
    if (rc == IDN2_OK && !read_answer(str_of((char *)answer), label))
        rc = IDN2_INVALID_ALABEL;
    idn2_free(answer);
    return rc;
}

/* UTS 46 lets symbols be ("valid, NV8"), IDNA 2008 does not, and libidn2
 * tests for both, but not in transitional mode; there it maps two letters
 * that have to stay, which are hidden from it. Two rules are not tested
 * there: for joiners, with which the refusal stands, and for directions. */
static int ask_for_symbols(struct label *label)
{
    if (count_of(label, STAND_IN_SHARP_S) ||
        count_of(label, STAND_IN_FINAL_SIGMA) || count_of(label, NON_JOINER) ||
        count_of(label, JOINER))
        return IDN2_DISALLOWED;

    replace(label, SHARP_S, STAND_IN_SHARP_S);
    replace(label, FINAL_SIGMA, STAND_IN_FINAL_SIGMA);
    int rc = ask_libidn2(label, IDN2_TRANSITIONAL);
    replace(label, STAND_IN_SHARP_S, SHARP_S);
    replace(label, STAND_IN_FINAL_SIGMA, FINAL_SIGMA);
    /* Only now: what is Latin may have become so by the mapping. */
    return rc == IDN2_OK && mixes_directions(label) ? IDN2_BIDI : rc;
}

/* The mapped form of a label, in place; false if it is not valid. libidn2
 * refuses hyphens at the ends and in the third and fourth place, so it sees
 * none. */
static bool map_label(struct label *label)
{
    if (count_of(label, STAND_IN_HYPHEN) || count_of(label, 0))
        return false;
    map_newer_chars(label);
    size_t hyphens = count_of(label, '-');
    replace(label, '-', STAND_IN_HYPHEN);

    struct label original = *label;
    int rc = ask_libidn2(label, IDN2_NONTRANSITIONAL);
    if (rc == IDN2_DISALLOWED || rc == IDN2_UNASSIGNED) {
        *label = original;
        rc = ask_for_symbols(label);
    }
    if (rc != IDN2_OK || count_of(label, STAND_IN_HYPHEN) != hyphens)
        return false;
    replace(label, STAND_IN_HYPHEN, '-');
    return true;
}

/* Put what an "xn--" label stands for in its place. It must be something
 * that could have been written like that: valid, and mapped to itself. */
static bool open_ace(struct label *label)
{
    struct label opened;
    char ascii[LABEL_MAX];

    assert(has_ace_prefix(label));
    for (size_t i = 0; i < label->len; i++)
        ascii[i] = (char)label->chars[i];
    if (!punycode_decode((struct str){ascii + 4, label->len - 4}, opened.chars,
                         LABEL_MAX, &opened.len) ||
        is_ascii(&opened))
        return false;

    *label = opened;
    return map_label(label) && label->len == opened.len &&
           !memcmp(label->chars, opened.chars,
                   opened.len * sizeof(opened.chars[0]));
}

static bool write_label(const struct label *label, char *to, size_t room,
                        size_t *len)
{
    char ascii[PUNYCODE_GROWTH_MAX * LABEL_MAX];
    size_t ace_len = 0; /* of "xn--" */

    if (is_ascii(label)) {
        *len = label->len;
        for (size_t i = 0; i < label->len; i++)
            ascii[i] = (char)label->chars[i];
    } else {
        ace_len = 4;
        *len = punycode_encode(label->chars, label->len, ascii);
        if (has_ace_prefix(label) || ace_len + *len > IDN2_LABEL_MAX_LENGTH)
            return false;
    }
    if (ace_len + *len > room)
        return false;
    memcpy(to, "xn--", ace_len);
    memcpy(to + ace_len, ascii, *len);
    *len += ace_len;
    return true;
}

static bool put_unusual_label(struct str text, char *to, size_t room,
                              size_t *len)
{
    struct label label = {.len = 0};
    const char *at = text.ptr, *end = text.ptr + text.len;

    while (at < end) {
        if (label.len == LABEL_MAX)
            return false;
        at += utf8_read(at, end, &label.chars[label.len++]);
    }

    if (!is_ascii(&label) && !map_label(&label))
        return false;
    if (is_ascii(&label) && has_ace_prefix(&label)) {
        for (size_t i = 0; i < label.len; i++)
            label.chars[i] = (uint32_t)ascii_lower((char)label.chars[i]);
        if (!open_ace(&label))
            return false;
    }
    return write_label(&label, to, room, len);
}

/* ---- the whole name ----------------------------------------------------- */

static bool is_unusual(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] >= 0x80)
            return true;
    return str_starts_nocase(text, STR("xn--"));
}

/* The label at the start of `*domain`, taken off with the dot after it. */
static struct str take_label(struct str *domain, bool *dot)
{
    const char *start = domain->ptr, *end = start + domain->len;
    const char *at = start;

    while (at < end) {
        uint32_t c;
        size_t len = utf8_read(at, end, &c);
        if (c == '.' || c == 0x3002 || c == 0xFF0E || c == 0xFF61) {
            *dot = true;
            *domain = str_between(at + len, end);
            return str_between(start, at);
        }
        at += len;
    }
    *dot = false;
    *domain = str_between(end, end);
    return str_between(start, end);
}

bool idna_to_ascii(struct str domain, char *to, size_t room, size_t *len)
{
    unsigned unusual = 0;
    bool dot;

    *len = 0;
    do {
        struct str label = take_label(&domain, &dot);
        size_t label_len = label.len;
        if (is_unusual(label)) {
            if (++unusual > UNUSUAL_MAX ||
                !put_unusual_label(label, to + *len, room - *len, &label_len))
                return false;
        } else {
            if (label.len > room - *len)
                return false;
            for (size_t i = 0; i < label.len; i++)
                to[*len + i] = ascii_lower(label.ptr[i]);
        }
        *len += label_len;
        if (dot && *len == room)
            return false;
        if (dot)
            to[(*len)++] = '.';
    } while (dot);
    return true;
}
