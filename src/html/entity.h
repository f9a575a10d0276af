/* Character references: "&amp;", "&#8212;", "&#x2014;", "&copy" (13.2.5.72).
 *
 *     struct html_reference ref = html_reference(STR("&lt;b"), false);
 *     ref.len == 4, ref.utf8 is "<", ref.utf8_len == 1
 */
#ifndef HTML_ENTITY_H
#define HTML_ENTITY_H

#include "base/str.h"

struct html_reference {
    size_t len;      /* bytes of the input that it takes, 0 if it is none */
    size_t utf8_len; /* of the characters that it stands for */
    char utf8[8];
};

/* The meaning of the '&' that `s` starts with. In an attribute value a name
 * without semicolon before '=', a letter or a digit is not a reference, so
 * that "?a=1&copy=2" stays what it is. */
struct html_reference html_reference(struct str s, bool in_attribute);

/* The meaning of the name between '&' and ';'; false if there is no such name.
 * Every name has a `number` of its own, under HTML_ENTITIES. */
enum { HTML_ENTITIES = 2125 };
bool html_entity_find(struct str name, struct html_reference *meaning,
                      unsigned *number);

#endif
