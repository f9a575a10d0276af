/* Globs on whole URLs:
 *
 *     *      any characters but '/', also none
 *     **     any characters, also none; "/ ** /" without the blanks is also
 *            a single '/', as in .gitignore
 *     ?      one character, not '/'
 *     \c     the character c itself
 *
 * Everything else stands for itself, letter for letter. The time for an answer
 * is at most the length of the pattern times that of the text, whatever both
 * are. Pure: any thread may ask. */
#ifndef URL_GLOB_H
#define URL_GLOB_H

#include "base/str.h"

enum { GLOB_LEN_MAX = 2000 };

/* The fault of the pattern, for people, and where it is; NULL: none. */
const char *glob_fault(struct str pattern, size_t *at);

/* Does the pattern match all of the text? It has no fault. */
bool glob_matches(struct str pattern, struct str text);

/* Does the pattern match a text that begins so? It has no fault. */
bool glob_may_begin(struct str pattern, struct str head);

#endif
