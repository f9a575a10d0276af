/* Text in HTML and XML, between tags or as the value of an attribute. */
#ifndef BASE_MARKUP_H
#define BASE_MARKUP_H

#include "base/buf.h"

void markup_put_char(struct buf *out, char c);
void markup_put(struct buf *out, struct str text);

#endif
