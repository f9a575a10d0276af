/* What stands before a body in HTTP/1.1 and WARC: a first line, then lines of
 * "Name: value" up to an empty one.
 *
 *     while (head_next(&rest, &line) && line.text.len) {
 *         struct head_field field = head_field(line.text);
 *         if (!head_is_folded(line.text) &&
 *             str_eq_nocase(field.name, STR("Link")))
 *             use(field.value);
 *     }
 *
 * All texts are parts of the head. Lines are cut, and not judged: a server must
 * refuse what a reader of old archives has to put up with, so what a name may
 * be, and what a folded line or a lone CR means, is for the callers to say. */
#ifndef BASE_HEAD_H
#define BASE_HEAD_H

#include "base/str.h"

struct head_line {
    struct str all;  /* with its end */
    struct str text; /* without it: LF, CR LF; CR at the very end */
};

struct head_field {
    struct str name;  /* up to the first colon; the whole line without one */
    struct str value; /* behind it, without white space at both ends; .ptr is
                       * NULL without a colon */
};

/* The next line, which is taken off `rest`; the last may be without an end.
 * False at the end. */
bool head_next(struct str *rest, struct head_line *line);

/* Does the line begin with a blank? Then the line before goes on here. */
static inline bool head_is_folded(struct str line)
{
    return line.len && (line.ptr[0] == ' ' || line.ptr[0] == '\t');
}

struct head_field head_field(struct str line);

/* The value of the first line of that name, which may have white space around
 * it; empty without one. Of a folded value it is the first line. */
struct str head_find(struct str head, struct str name);

/* How long the head at the start of `bytes` is, with its empty line; 0 if that
 * is not there. */
size_t head_len(struct str bytes);

/* "HTTP/1.1 200 OK" -> 200. 0 if the first line has no three digits there. */
int head_status(struct str head);

/* Take the first item off a value that is a list, "a, b", without white space
 * at both ends; it may be empty. The list must not be. */
struct str head_take_item(struct str *list);

/* "Not Found" for 404, as registered at IANA; NULL for a code that is not. A
 * server's own phrase can be anything, so it is never shown. */
const char *http_status_phrase(int status);

#endif
