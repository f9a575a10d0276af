/* web/filter.h once more, written to be obvious and not to be fast: the model
 * that the test and the fuzzer compare it with. */
#ifndef TESTS_NAIVE_GLOB_H
#define TESTS_NAIVE_GLOB_H

#include "base/str.h"

static inline bool naive_glob(struct str pattern, struct str text);

/* `count` characters of the text, none of them '/' unless `any`, then the rest
 * of the pattern. */
static inline bool naive_star(struct str rest, struct str text, bool any)
{
    for (size_t count = 0; count <= text.len; count++) {
        if (naive_glob(rest, str_skip(text, count)))
            return true;
        if (count < text.len && text.ptr[count] == '/' && !any)
            return false;
    }
    return false;
}

static inline bool naive_glob(struct str pattern, struct str text)
{
    if (!pattern.len)
        return !text.len;
    if (str_starts(pattern, STR("/**/")) &&
        naive_glob(str_skip(pattern, 3), text))
        return true;
    if (str_starts(pattern, STR("**")))
        return naive_star(str_skip(pattern, 2), text, true);
    if (pattern.ptr[0] == '*')
        return naive_star(str_skip(pattern, 1), text, false);
    if (!text.len)
        return false;
    if (pattern.ptr[0] == '?')
        return text.ptr[0] != '/' &&
               naive_glob(str_skip(pattern, 1), str_skip(text, 1));
    if (pattern.ptr[0] == '\\')
        pattern = str_skip(pattern, 1);
    return pattern.ptr[0] == text.ptr[0] &&
           naive_glob(str_skip(pattern, 1), str_skip(text, 1));
}

#endif
