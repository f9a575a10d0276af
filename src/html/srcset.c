#include "html/srcset.h"

/* The descriptors of one candidate, as far as they decide whether it is good.
 */
struct descriptors {
    bool has_width, has_density, has_height, is_bad;
};

/* A valid non-negative integer above 0. */
static bool is_positive(struct str digits)
{
    bool is_above_0 = false;

    for (size_t i = 0; i < digits.len; i++) {
        if (!ascii_is_digit(digits.ptr[i]))
            return false;
        is_above_0 |= digits.ptr[i] != '0';
    }
    return is_above_0;
}

static struct str skip_digits(struct str s)
{
    while (s.len && ascii_is_digit(s.ptr[0]))
        s = str_skip(s, 1);
    return s;
}

/* A valid floating-point number that is not below 0. */
static bool is_density(struct str number)
{
    struct str s = number;
    bool is_negative = s.len && s.ptr[0] == '-';

    if (is_negative)
        s = str_skip(s, 1);
    struct str rest = skip_digits(s);
    bool has_digits = rest.len < s.len;
    if (rest.len && rest.ptr[0] == '.') {
        s = str_skip(rest, 1);
        rest = skip_digits(s);
        if (rest.len == s.len)
            return false;
        has_digits = true;
    }
    if (has_digits && rest.len && (rest.ptr[0] | 0x20) == 'e') {
        s = str_skip(rest, 1);
        if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
            s = str_skip(s, 1);
        rest = skip_digits(s);
        has_digits = rest.len < s.len;
    }
    if (!has_digits || rest.len)
        return false;
    if (!is_negative)
        return true;
    /* "-0" is not below 0. */
    for (size_t i = 1; i < number.len && (number.ptr[i] | 0x20) != 'e'; i++)
        if (number.ptr[i] != '0' && number.ptr[i] != '.')
            return false;
    return true;
}

static void take_descriptor(struct descriptors *found, struct str text)
{
    struct str number = str_first(text, text.len ? text.len - 1 : 0);

    if (!text.len)
        return;
    switch (text.ptr[text.len - 1]) {
    case 'w':
        found->is_bad |=
            found->has_width || found->has_density || !is_positive(number);
        found->has_width = true;
        break;
    case 'x':
        found->is_bad |= found->has_width || found->has_density ||
                         found->has_height || !is_density(number);
        found->has_density = true;
        break;
    case 'h':
        found->is_bad |=
            found->has_height || found->has_density || !is_positive(number);
        found->has_height = true;
        break;
    default:
        found->is_bad = true;
        break;
    }
}

/* Up to the comma that ends the candidate. Inside of parens neither commas nor
 * white space separate. */
static bool read_descriptors(struct srcset *srcset)
{
    struct descriptors found = {0};
    const char *start = srcset->at;
    bool in_parens = false;

    for (; srcset->at < srcset->end; srcset->at++) {
        char c = *srcset->at;
        if (in_parens) {
            in_parens = c != ')';
        } else if (c == ',') {
            break;
        } else if (ascii_is_space(c)) {
            take_descriptor(&found, str_between(start, srcset->at));
            start = srcset->at + 1;
        } else if (c == '(') {
            in_parens = true;
        }
    }
    take_descriptor(&found, str_between(start, srcset->at));
    return !found.is_bad && (!found.has_height || found.has_width);
}

static bool is_separator(char c)
{
    return ascii_is_space(c) || c == ',';
}

bool srcset_next(struct srcset *srcset, struct str *url)
{
    for (;;) {
        while (srcset->at < srcset->end && is_separator(*srcset->at))
            srcset->at++;
        if (srcset->at == srcset->end)
            return false;
        const char *start = srcset->at;
        while (srcset->at < srcset->end && !ascii_is_space(*srcset->at))
            srcset->at++;
        *url = str_between(start, srcset->at);
        if (url->ptr[url->len - 1] != ',') {
            if (read_descriptors(srcset))
                return true;
            continue;
        }
        while (url->ptr[url->len - 1] == ',')
            url->len--;
        return true;
    }
}
