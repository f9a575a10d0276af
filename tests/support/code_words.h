/* The texts of a code: a word of the course's log and a name. */
#ifndef TESTS_SUPPORT_CODE_WORDS_H
#define TESTS_SUPPORT_CODE_WORDS_H

#include "base/str.h"

/* At most nine letters, so that the column of the log holds. */
static inline bool is_word(const char *word)
{
    size_t len = word ? strlen(word) : 0;

    for (size_t i = 0; i < len; i++)
        if (!ascii_is_alpha(word[i]))
            return false;
    return len > 0 && len <= 9;
}

/* A good JSON key. */
static inline bool is_name(const char *name)
{
    size_t len = name ? strlen(name) : 0;

    for (size_t i = 0; i < len; i++)
        if (!(name[i] >= 'a' && name[i] <= 'z') && name[i] != '-')
            return false;
    return len > 0;
}

#endif
