#include "crawler/hand_rules.h"

#include <stdlib.h>

#include "base/mem.h"

void hand_rules_release(struct hand_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        free((void *)rules->rule[i].text.ptr);
    free(rules->rule);
    *rules = (struct hand_rules){0};
}

static bool is_about_patterns(enum view_order_kind kind)
{
    return kind == ORDER_EXCLUDE || kind == ORDER_ALLOW;
}

/* Does the later order replace the earlier one, which is about the same? */
static bool replaces(enum view_order_kind later, enum view_order_kind earlier)
{
    return later == earlier ||
           (later == ORDER_RETRY && earlier == ORDER_DROP) ||
           (is_about_patterns(later) && is_about_patterns(earlier));
}

static void remove_at(struct hand_rules *rules, size_t at)
{
    free((void *)rules->rule[at].text.ptr);
    memmove(&rules->rule[at], &rules->rule[at + 1],
            (--rules->count - at) * sizeof(rules->rule[0]));
}

/* True where the order does no more than take another back. */
static bool take_back(struct hand_rules *rules, enum view_order_kind kind,
                      struct str text)
{
    for (size_t i = 0; i < rules->count; i++) {
        enum view_order_kind other = rules->rule[i].kind;
        if (!replaces(kind, other) || !str_eq(rules->rule[i].text, text))
            continue;
        remove_at(rules, i);
        return is_about_patterns(kind) && kind != other;
    }
    return false;
}

static bool stays(const struct store_hand_order *row)
{
    switch ((enum view_order_kind)row->kind) {
    case ORDER_DROP:
    case ORDER_EXCLUDE:
    case ORDER_ALLOW:
        return true;
    case ORDER_DELAY:
        return !row->usual;
    default:
        return false;
    }
}

void hand_rules_add(struct hand_rules *rules,
                    const struct store_hand_order *row)
{
    enum view_order_kind kind = (enum view_order_kind)row->kind;

    if (row->number > rules->last_number)
        rules->last_number = row->number;
    if (kind == ORDER_PAUSE || kind == ORDER_RESUME)
        rules->is_paused = kind == ORDER_PAUSE;
    if (take_back(rules, kind, row->text) || !stays(row))
        return;
    char *text = mem_new(row->text.len + 1);
    memcpy(text, row->text.ptr, row->text.len);
    rules->rule = mem_grow(rules->rule, rules->count, &rules->room,
                           sizeof(rules->rule[0]));
    rules->rule[rules->count++] = (struct hand_rule){
        .number = row->number,
        .at_ms = row->at_ms,
        .kind = kind,
        .text = {text, row->text.len},
        .delay_ms = row->delay_ms,
    };
}
