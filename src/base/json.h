/* Writing JSON: the one thing that needs care is a string. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

/* Append `s`, UTF-8, quoted and escaped; what is not UTF-8 becomes U+FFFD. */
void json_put_str(struct buf *buf, struct str s);

#endif
