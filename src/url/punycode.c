#include "url/punycode.h"

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
        if (delta < t) {
            *to++ = digits[delta];
            return to;
        }
        *to++ = digits[t + (delta - t) % (BASE - t)];
        delta = (delta - t) / (BASE - t);
    }
}

/* The smallest character from `c` on. */
static uint32_t next_char(const uint32_t *from, size_t count, uint32_t c)
{
    uint32_t next = UINT32_MAX;

    for (size_t i = 0; i < count; i++)
        if (from[i] >= c && from[i] < next)
            next = from[i];
    return next;
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
        uint32_t next = next_char(from, count, c);
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
