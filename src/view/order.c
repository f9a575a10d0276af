#include "view/order.h"

#include <assert.h>

#include "base/json.h"

static const struct order_row {
    const char *name;
    const char *member; /* of JSON, that says what it is about; NULL: none */
    const char *words;  /* what `crawler ctl` wants after it */
} rows[] = {
    [ORDER_NONE] = {"none", NULL,
                    "an order is one of pause, resume, stop, stop-now, delay "
                    "HOST SECONDS, drop HOST, retry HOST, exclude PATTERN, "
                    "allow PATTERN, seed URL"},
    [ORDER_PAUSE] = {"pause", NULL, "pause takes nothing after it"},
    [ORDER_RESUME] = {"resume", NULL, "resume takes nothing after it"},
    [ORDER_STOP] = {"stop", NULL, "stop takes nothing after it"},
    [ORDER_STOP_NOW] = {"stop-now", NULL, "stop-now takes nothing after it"},
    [ORDER_DELAY] = {"delay", "host", "delay takes a HOST and SECONDS"},
    [ORDER_DROP] = {"drop", "host", "drop takes one HOST"},
    [ORDER_RETRY] = {"retry", "host", "retry takes one HOST"},
    [ORDER_EXCLUDE] = {"exclude", "pattern", "exclude takes one PATTERN"},
    [ORDER_ALLOW] = {"allow", "pattern", "allow takes one PATTERN"},
    [ORDER_SEED] = {"seed", "url", "seed takes one URL"},
};
static_assert(ARRAY_LEN(rows) == ORDER_KINDS, "every order has a name");

const char *view_order_name(enum view_order_kind kind)
{
    return rows[kind].name;
}

static enum view_order_kind kind_named(struct str name)
{
    for (int kind = ORDER_NONE + 1; kind < ORDER_KINDS; kind++)
        if (str_eq(name, str_of(rows[kind].name)))
            return (enum view_order_kind)kind;
    return ORDER_NONE;
}

static bool set_text(struct view_order *order, struct str text)
{
    if (!text.len || text.len > ORDER_TEXT_MAX ||
        memchr(text.ptr, '\0', text.len))
        return false;
    memcpy(order->text, text.ptr, text.len);
    order->text_len = text.len;
    order->text[text.len] = '\0';
    return true;
}

/* The members that the object had. */
struct members {
    bool has_order, has_delay;
    const char *text_member; /* "host", "pattern" or "url" */
};

static const char *known_member(struct str name)
{
    static const char *const known[] = {"host", "pattern", "url"};

    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_eq(name, str_of(known[i])))
            return known[i];
    return NULL;
}

static bool take_member(struct view_order *order, struct members *members,
                        const struct json_item *member, const char **problem)
{
    const char *known = known_member(member->name);
    bool is_text = member->type == JSON_STRING;

    if (str_eq(member->name, STR("order")) && is_text && !members->has_order) {
        members->has_order = true;
        order->kind = kind_named(member->text);
        *problem = "there is no such order";
        return order->kind != ORDER_NONE;
    }
    if (str_eq(member->name, STR("delay_ms")) && !members->has_delay &&
        (member->type == JSON_NUMBER || member->type == JSON_NULL)) {
        members->has_delay = true;
        order->delay_ms = ORDER_NO_DELAY;
        *problem = "a delay is a whole number of ms, at most a day";
        return member->type == JSON_NULL ||
               (str_to_u64(member->text, &order->delay_ms) &&
                order->delay_ms <= ORDER_DELAY_MAX_MS);
    }
    *problem = "the object has a member that no order has, or has it twice";
    if (!known || members->text_member || !is_text)
        return false;
    members->text_member = known;
    *problem = "the host, pattern or URL is empty or too long";
    return set_text(order, member->text);
}

/* Has it the members that its order needs, and no other? */
static bool is_complete(const struct view_order *order,
                        const struct members *members, const char **problem)
{
    const char *wanted = rows[order->kind].member;

    *problem = "the object has no \"order\"";
    if (!members->has_order)
        return false;
    *problem = "the order lacks what it is about, or has something else";
    if (!wanted != !members->text_member ||
        (wanted && strcmp(wanted, members->text_member) != 0))
        return false;
    *problem = "a delay has \"delay_ms\", and nothing else has";
    return members->has_delay == (order->kind == ORDER_DELAY);
}

bool view_order_parse(struct str text, struct view_order *order,
                      const char **problem)
{
    struct members members = {0};
    struct json_reader reader;
    struct json_item item;
    struct buf scratch;
    bool good = true;

    *order = (struct view_order){0};
    buf_init(&scratch, text.len);
    json_read(&reader, text, &scratch);
    bool is_object = json_next(&reader, &item) && item.type == JSON_OBJECT;
    while (is_object && good && json_next(&reader, &item))
        good = take_member(order, &members, &item, problem);
    if (good && (!is_object || !json_is_whole(&reader))) {
        *problem = "the body is no JSON object of strings and numbers";
        good = false;
    }
    buf_release(&scratch);
    return good && is_complete(order, &members, problem);
}

void view_order_put(struct buf *out, const struct view_order *order)
{
    json_open(out, NULL);
    json_add_str(out, "order", str_of(rows[order->kind].name));
    if (rows[order->kind].member)
        json_add_str(out, rows[order->kind].member, view_order_text(order));
    if (order->kind == ORDER_DELAY && order->delay_ms == ORDER_NO_DELAY)
        json_add_null(out, "delay_ms");
    else if (order->kind == ORDER_DELAY)
        json_add_number(out, "delay_ms", order->delay_ms);
    json_close(out);
}

/* "5", "0.5", "-": seconds. */
static bool parse_delay(struct str text, uint64_t *ms)
{
    struct str_pair parts = str_cut(text, '.');
    uint64_t s, thousandths = 0, unit = 1000;

    *ms = ORDER_NO_DELAY;
    if (str_eq(text, STR("-")))
        return true;
    if (!str_to_u64(parts.head, &s) || s > ORDER_DELAY_MAX_MS / 1000 ||
        parts.tail.len > 3)
        return false;
    for (size_t i = 0; i < parts.tail.len; i++)
        unit /= 10;
    if (parts.tail.len && !str_to_u64(parts.tail, &thousandths))
        return false;
    *ms = s * 1000 + thousandths * unit;
    return *ms <= ORDER_DELAY_MAX_MS;
}

bool view_order_of_words(const char *const *word, size_t count,
                         struct view_order *order, const char **problem)
{
    *order = (struct view_order){0};
    *problem = rows[ORDER_NONE].words;
    if (!count)
        return false;
    order->kind = kind_named(str_of(word[0]));
    size_t wanted = rows[order->kind].member ? 2 : 1;

    if (order->kind == ORDER_DELAY)
        wanted++;
    *problem = rows[order->kind].words;
    if (order->kind == ORDER_NONE || count != wanted)
        return false;
    *problem = "the host, pattern or URL is empty or too long";
    if (wanted > 1 && !set_text(order, str_of(word[1])))
        return false;
    *problem = "a delay is a number of seconds, at most a day, or - for the "
               "usual one";
    return order->kind != ORDER_DELAY ||
           parse_delay(str_of(word[2]), &order->delay_ms);
}
