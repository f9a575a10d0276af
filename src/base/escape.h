/* Text that others wrote, made harmless for the place where it is shown. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdarg.h>
#include <stdio.h>

#include "base/buf.h"

/* --- a terminal ------------------------------------------------------------
 *
 * It must not obey the text, nor may the text turn round what is printed beside
 * it. */

/* A control character of ASCII or of Latin-1 (U+009B begins an escape
 * sequence as ESC [ does), or one that changes the direction of writing. */
bool terminal_obeys(uint32_t c);

/* Append `text`, with `instead` for each character that a terminal obeys and
 * for bytes that are no character: what is added is whole UTF-8, and no longer
 * than `text`. */
void terminal_put(struct buf *out, struct str text, char instead);

/* Print one line, its end included, with '?' for what a terminal obeys. */
void terminal_line(FILE *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void terminal_vline(FILE *out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));

/* Is this a terminal that can go back in a line and clear the screen? Not so
 * one that calls itself dumb, or nothing. */
bool terminal_can_redraw(int fd);

/* --- HTML and XML --------------------------------------------------------- */

/* Between tags, or as the value of an attribute. */
void markup_put_char(struct buf *out, char c);
void markup_put(struct buf *out, struct str text);

#endif
