/* JSON of test data as a tree in an arena, by base/json.h.
 *
 *     const struct json *rows = json_parse(&arena, text);
 *     for (size_t i = 0; i < json_count(rows); i++) {
 *         const struct json *row = json_at(rows, i);
 *         use(json_str(json_get(row, "input")));
 *     }
 *
 * The public suites hold lone surrogates ("\ud800"); these become U+FFFD, one
 * each, as a browser does when it turns a string into Unicode.
 *
 * All accessors take NULL and a value of another type: they answer NULL, 0,
 * false or the empty slice, so that a chain of them needs no checks.
 */
#ifndef TESTS_SUPPORT_JSON_H
#define TESTS_SUPPORT_JSON_H

#include "base/json.h"
#include "base/mem.h"

struct json {
    enum json_type type;
    double number;
    struct str string; /* UTF-8, NUL-terminated, may hold NULs */
    struct str name;   /* of this member, where the parent is an object */
    const struct json *items; /* elements or members, in order */
    size_t count;
};

/* The value in `text`, or NULL if it is not JSON (or nested too deep). Nothing
 * of `text` is kept. */
const struct json *json_parse(struct arena *arena, struct str text);

/* The first member of that name, or NULL. */
const struct json *json_get(const struct json *object, const char *name);

/* Element or member `i`, or NULL beyond the end. */
const struct json *json_at(const struct json *container, size_t i);
size_t json_count(const struct json *container);

bool json_is(const struct json *json, enum json_type type);
struct str json_str(const struct json *json);
double json_number(const struct json *json);
bool json_bool(const struct json *json);

#endif
