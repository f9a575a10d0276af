/* Reading JSON: one object whose values are strings, numbers from 0 on, true,
 * false or null. All of an order and of its answer is that; whatever else JSON
 * has is refused.
 *
 * Member by member, without allocation:
 *
 *     struct flat_json json = {text};
 *     while (flat_json_next(&json, &member))
 *         use(member.name, member.value);
 *     if (json.broken) ...
 */
#ifndef VIEW_FLAT_JSON_H
#define VIEW_FLAT_JSON_H

#include "base/str.h"

enum { FLAT_JSON_TEXT_MAX = 4096 };

enum flat_json_type {
    FLAT_JSON_STRING,
    FLAT_JSON_NUMBER,
    FLAT_JSON_TRUE,
    FLAT_JSON_FALSE,
    FLAT_JSON_NULL,
};

struct flat_json {
    struct str rest;
    bool began, ended, broken;
};

struct flat_json_member {
    struct str name, text; /* of this struct */
    enum flat_json_type type;
    uint64_t number;
    char name_bytes[64], text_bytes[FLAT_JSON_TEXT_MAX];
};

/* False at the end, and where it is broken. */
bool flat_json_next(struct flat_json *json, struct flat_json_member *member);

#endif
