#include "cli/past.h"

#include <stdio.h>

#include "crawler/codes.h"
#include "page/secret.h"

#define NOT_KEPT "(not kept)"

void past_read(struct past *past, const char *dir_path)
{
    struct store *store;
    struct arena arena;

    *past = (struct past){0};
    arena_init(&arena);
    store = store_open(store_name_in(dir_path, &arena), STORE_READ,
                       crawler_codes(), &past->error);
    if (store && facts_read(&past->facts, store, &past->error))
        past->error.status = STORE_OK;
    past->given = (struct list){past->facts.option, past->facts.options};
    store_close(store);
    arena_release(&arena);
}

void past_release(struct past *past)
{
    facts_release(&past->facts);
    *past = (struct past){0};
}

/* --- options ------------------------------------------------------------ */

static void put_option(struct store_batch *batch, size_t number,
                       struct str text)
{
    struct str value = str_cut(text, '=').tail;
    char kept[256];
    int len = 0;

    if (option_is_named(text, STR("header")) && secret_header(value).len)
        len = snprintf(kept, sizeof(kept), "header=%.*s: " NOT_KEPT,
                       (int)secret_header(value).len, value.ptr);
    else if (option_is_named(text, STR("proxy")) &&
             str_find(value, '@') < value.len)
        len = snprintf(kept, sizeof(kept), "proxy=" NOT_KEPT);
    facts_put_option(batch, number,
                     len ? (struct str){kept, (size_t)len} : text);
}

bool past_is_secret(const char *given)
{
    struct str text = str_of(given);

    return text.len >= STR(NOT_KEPT).len &&
           str_eq(str_skip(text, text.len - STR(NOT_KEPT).len), STR(NOT_KEPT));
}

void past_put_options(struct store_batch *batch, const struct list *given,
                      size_t before)
{
    size_t count = given->count > before ? given->count : before;

    for (size_t i = 0; i < count; i++)
        put_option(batch, i,
                   i < given->count ? str_of(given->item[i]) : STR(""));
}
