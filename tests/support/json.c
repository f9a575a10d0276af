#include "support/json.h"

#include <stdlib.h>

/* While a container is read its items are a list; then they become an array,
 * so that json_at needs no walk. */
struct node {
    struct json json;
    struct node *next;
};

static bool set_value(struct json *json, struct arena *arena,
                      const struct json_item *item, struct json_reader *reader);

/* Of the array or object that was given last. */
static bool read_items(struct json *json, struct arena *arena,
                       struct json_reader *reader)
{
    struct node *first = NULL, **last = &first;
    struct json_item item;

    while (json_next(reader, &item)) {
        struct node *node = arena_new(arena, sizeof(*node));
        *last = node;
        last = &node->next;
        json->count++;
        if (!set_value(&node->json, arena, &item, reader))
            return false;
    }

    struct json *items = arena_new(arena, json->count * sizeof(*items));
    json->items = items;
    for (struct node *node = first; node; node = node->next)
        *items++ = node->json;
    return !reader->is_broken;
}

static bool set_value(struct json *json, struct arena *arena,
                      const struct json_item *item, struct json_reader *reader)
{
    json->type = item->type;
    json->name = arena_copy(arena, item->name);
    if (item->type == JSON_ARRAY || item->type == JSON_OBJECT)
        return read_items(json, arena, reader);
    json->string = arena_copy(arena, item->text);
    json->number =
        item->type == JSON_NUMBER ? strtod(json->string.ptr, NULL) : 0;
    return true;
}

const struct json *json_parse(struct arena *arena, struct str text)
{
    struct json *root = arena_new(arena, sizeof(*root));
    struct json_reader reader;
    struct json_item item;
    struct buf scratch;

    buf_init(&scratch, SIZE_MAX);
    json_read(&reader, text, &scratch);
    reader.is_lenient = true;
    bool good = json_next(&reader, &item) &&
                set_value(root, arena, &item, &reader) &&
                json_is_whole(&reader);
    buf_release(&scratch);
    return good ? root : NULL;
}

const struct json *json_get(const struct json *object, const char *name)
{
    if (!json_is(object, JSON_OBJECT))
        return NULL;
    for (size_t i = 0; i < object->count; i++)
        if (str_eq(object->items[i].name, str_of(name)))
            return &object->items[i];
    return NULL;
}

const struct json *json_at(const struct json *container, size_t i)
{
    return i < json_count(container) ? &container->items[i] : NULL;
}

size_t json_count(const struct json *container)
{
    return container ? container->count : 0;
}

bool json_is(const struct json *json, enum json_type type)
{
    return json && json->type == type;
}

struct str json_str(const struct json *json)
{
    return json_is(json, JSON_STRING) ? json->string : STR("");
}

double json_number(const struct json *json)
{
    return json_is(json, JSON_NUMBER) ? json->number : 0;
}

bool json_bool(const struct json *json)
{
    return json_is(json, JSON_TRUE);
}
