#include "store/facts.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "store/store_type.h"

static const char *const fact_names[] = {
    [FACT_STATE] = "state",
    [FACT_PROGRAM] = "program",
    [FACT_DEPTH] = "depth",
    [FACT_STARTED_MS] = "started_ms",
    [FACT_COMMITTED_MS] = "committed_ms",
    [FACT_ENDED_MS] = "ended_ms",
    [FACT_COURSE_FORM] = "bare",
    [FACT_OLD_PAGES] = "old_pages",
    [FACT_PER_HOST] = "per_host",
    [FACT_ENV_PROXY] = "env_proxy",
    [FACT_SAVED] = "count.saved",
    [FACT_SAVED_BYTES] = "count.bytes",
    [FACT_REQUISITE_BYTES] = "count.requisite_bytes",
    [FACT_MAY_RECOVER] = "may_recover",
    [FACT_ID] = "id",
    [FACT_KEEPS_DEPTHS] = "keeps_depths",
    [FACT_DEEPEN_FROM] = "deepen_from",
    [FACT_DEEPEN_LAST] = "deepen_last",
};
static_assert(ARRAY_LEN(fact_names) == FACTS, "every fact has a name");

static const char *const state_names[] = {
    [STATE_RUNNING] = "running",     [STATE_FINISHED] = "finished",
    [STATE_NOTHING] = "nothing",     [STATE_INTERRUPTED] = "interrupted",
    [STATE_MAX_PAGES] = "max-pages", [STATE_MAX_TIME] = "max-time",
    [STATE_FAILED] = "failed",       [STATE_MAX_BYTES] = "max-bytes",
};
static_assert(ARRAY_LEN(state_names) == STATES, "every state has a name");

const char *crawl_state_name(enum crawl_state state)
{
    return state_names[state];
}

#define OPTION "option."
#define LOGIN  "login."
#define MOVED  "moved."

/* --- reading ------------------------------------------------------------ */

/* Names are "option.000001" and so on, and come sorted. */
static void add_text(struct facts_list *list, struct arena *arena,
                     struct str text)
{
    if (!text.len)
        return; /* taken back */
    list->item =
        mem_grow(list->item, list->count, &list->room, sizeof(*list->item));
    list->item[list->count++] = arena_copy(arena, text).ptr;
}

static void read_state(struct facts *facts, struct str value)
{
    for (int state = 0; state < STATES; state++)
        if (str_eq(value, str_of(state_names[state])))
            facts->state = (enum crawl_state)state;
}

bool facts_add_setting(struct facts *facts, const struct store_setting *row)
{
    if (str_eq(row->name, STR(FLEET_SETTING_DIRECTORY)))
        facts->is_machine = true;
    if (str_eq(row->name, STR(FLEET_SETTING_ENGINE)))
        facts->engine = arena_copy(&facts->arena, row->value);
    if (str_starts(row->name, STR(OPTION)))
        add_text(&facts->options, &facts->arena, row->value);
    if (str_starts(row->name, STR(LOGIN)))
        add_text(&facts->logins, &facts->arena, row->value);
    if (str_starts(row->name, STR(MOVED)))
        add_text(&facts->moved, &facts->arena, row->value);
    for (int fact = 0; fact < FACTS; fact++) {
        if (!str_eq(row->name, str_of(fact_names[fact])))
            continue;
        if (fact == FACT_STATE)
            read_state(facts, row->value);
        else if (fact != FACT_PROGRAM)
            return str_to_u64(row->value, &facts->number[fact]);
    }
    return true;
}

static bool read_setting(void *user, const struct store_setting *row)
{
    return facts_add_setting(user, row);
}

static bool read_seed(void *user, const struct store_seed *row)
{
    struct facts *facts = user;

    facts->seed = mem_grow(facts->seed, facts->seeds, &facts->seed_room,
                           sizeof(*facts->seed));
    facts->seed[facts->seeds++] = (struct facts_seed){
        .url = arena_copy(&facts->arena, row->url),
        .named = row->named,
    };
    return true;
}

void facts_init(struct facts *facts)
{
    *facts = (struct facts){0};
    arena_init(&facts->arena);
}

bool facts_read(struct facts *facts, struct store *store,
                struct store_error *error)
{
    const struct store_reader reader = {
        .user = facts,
        .setting = read_setting,
        .seed = read_seed,
    };

    facts_init(facts);
    if (!store_load(store, 0, &reader, error))
        return false;
    return facts->number[FACT_SAVED] <= UINT32_MAX ||
           store_fail(error, STORE_DAMAGED, "more pages than there can be");
}

void facts_release(struct facts *facts)
{
    arena_release(&facts->arena);
    free(facts->options.item);
    free(facts->logins.item);
    free(facts->moved.item);
    free(facts->seed);
    *facts = (struct facts){0};
}

bool facts_is_over(const struct facts *facts)
{
    return facts->state == STATE_FINISHED || facts->state == STATE_NOTHING;
}

bool facts_is_unclean(const struct facts *facts)
{
    return facts->state == STATE_RUNNING;
}

/* --- writing ------------------------------------------------------------ */

static void put(struct store_batch *batch, struct str name, struct str value)
{
    store_add_setting(batch, &(struct store_setting){name, value});
}

void facts_put_state(struct store_batch *batch, enum crawl_state state)
{
    put(batch, str_of(fact_names[FACT_STATE]), str_of(state_names[state]));
}

void facts_put_text(struct store_batch *batch, enum fact fact, struct str value)
{
    put(batch, str_of(fact_names[fact]), value);
}

void facts_put_number(struct store_batch *batch, enum fact fact, uint64_t value)
{
    facts_put_counter(batch, str_of(fact_names[fact]), value);
}

void facts_put_counter(struct store_batch *batch, struct str name,
                       uint64_t value)
{
    char text[24];
    int len = snprintf(text, sizeof(text), "%llu", (unsigned long long)value);

    put(batch, name, (struct str){text, (size_t)len});
}

static void put_in_list(struct store_batch *batch, const char *prefix,
                        size_t number, struct str text)
{
    char name[32];
    int len = snprintf(name, sizeof(name), "%s%06zu", prefix, number);

    put(batch, (struct str){name, (size_t)len}, text);
}

void facts_put_option(struct store_batch *batch, size_t number, struct str text)
{
    put_in_list(batch, OPTION, number, text);
}

void facts_put_login(struct store_batch *batch, size_t number,
                     struct str origin)
{
    put_in_list(batch, LOGIN, number, origin);
}

void facts_put_moved(struct store_batch *batch, size_t number, struct str url)
{
    put_in_list(batch, MOVED, number, url);
}
