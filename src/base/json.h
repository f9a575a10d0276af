/* Writing JSON: objects of named values. Commas come by themselves.
 *
 *     json_open(buf, NULL);
 *     json_add_number(buf, "pages", 7);
 *     json_open(buf, "urls");
 *     ...
 *     json_close(buf);
 *     json_close(buf);
 *
 * Strings are UTF-8; what is not becomes U+FFFD. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

/* An object, which has a name unless it is the outermost. */
void json_open(struct buf *buf, const char *name);
void json_close(struct buf *buf);

void json_add_str(struct buf *buf, const char *name, struct str value);
void json_add_number(struct buf *buf, const char *name, uint64_t value);
void json_add_null(struct buf *buf, const char *name);

/* The name of a value that the caller writes, and a string, quoted and
 * escaped. */
void json_put_name(struct buf *buf, const char *name);
void json_put_str(struct buf *buf, struct str s);

#endif
