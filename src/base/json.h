/* JSON, written into a buffer and read piece by piece. No tree is made.
 *
 * --- writing ---
 *
 *     json_open(out, NULL);
 *     json_add_number(out, "pages", 7);
 *     json_open_array(out, "urls");
 *     json_add_str(out, NULL, url);
 *     json_close_array(out);
 *     json_close(out);
 *
 * A member of an object has a name; an element of an array, and the outermost
 * value, has the name NULL. Commas come by themselves: where the buffer ends
 * with a value. So what stands before the outermost value ends otherwise, with
 * a blank or a line feed. Strings are UTF-8; what is not becomes U+FFFD, and
 * what a terminal would obey is escaped.
 *
 * --- reading ---
 *
 *     json_read(&reader, text, &scratch);
 *     if (json_next(&reader, &item) && item.type == JSON_OBJECT)
 *         while (json_next(&reader, &item))
 *             use(item.name, item.type, item.text);
 *     good = json_is_whole(&reader);
 *
 * json_next gives what stands in the array or object that was given last, and
 * false at the end of that; after it the reader is where the array or object
 * ended. False, too, where the text is broken: then nothing more comes. What is
 * in an item that is of no interest is passed over by json_skip.
 *
 * Texts are parts of `text`, or of `scratch` where they have escapes; both must
 * stay as they are as long as the texts are used. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buf.h"

/* --- writing -------------------------------------------------------------- */

void json_open(struct buf *buf, const char *name); /* an object */
void json_close(struct buf *buf);
void json_open_array(struct buf *buf, const char *name);
void json_close_array(struct buf *buf);

void json_add_str(struct buf *buf, const char *name, struct str value);
void json_add_number(struct buf *buf, const char *name, uint64_t value);
void json_add_decimal(struct buf *buf, const char *name, double value); /* .3 */
void json_add_bool(struct buf *buf, const char *name, bool value);
void json_add_null(struct buf *buf, const char *name);

/* null instead of NULL and of 0. */
void json_add_cstr_or_null(struct buf *buf, const char *name, const char *cstr);
void json_add_number_or_null(struct buf *buf, const char *name, uint64_t value);

/* A string alone, quoted and escaped, without a comma. */
void json_put_str(struct buf *buf, struct str s);

/* --- reading -------------------------------------------------------------- */

enum json_type {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json_item {
    enum json_type type;
    struct str name; /* of a member of an object */
    struct str text; /* of a string; a number as it is written */
};

enum { JSON_DEPTH_MAX = 32 };

struct json_reader {
    struct str rest;
    struct buf *scratch;

    /* May be set after json_read. Strings may have control characters, and half
     * a surrogate pair becomes U+FFFD; else both are broken. */
    bool is_lenient;

    bool is_broken;
    bool has_value; /* one stands before `rest` in its array or object */
    unsigned depth;
    char close[JSON_DEPTH_MAX]; /* the brackets that are missing */
};

/* Begin. `scratch` is cleared; a text that is longer than its cap is broken. */
void json_read(struct json_reader *reader, struct str text,
               struct buf *scratch);

bool json_next(struct json_reader *reader, struct json_item *item);

/* Pass over what is in `item`, which json_next has just given. False where that
 * is broken. */
bool json_skip(struct json_reader *reader, const struct json_item *item);

/* Was the text one value, and is it read to its end? */
bool json_is_whole(const struct json_reader *reader);

#endif
