#include "cli/crawl_record.h"

#include "crawler/codes.h"
#include "page/secret.h"

#define NOT_KEPT "(not kept)"

void record_read_from(struct crawl_record *record, struct store *store)
{
    if (facts_read(&record->facts, store, &record->error))
        record->error.status = STORE_OK;
    record->given = (struct list){record->facts.option, record->facts.options};
    record->logins = (struct list){record->facts.login, record->facts.logins};
}

void record_read(struct crawl_record *record, const char *dir_path)
{
    struct store *store;
    struct arena arena;

    *record = (struct crawl_record){0};
    arena_init(&arena);
    store = store_open(store_name_in(dir_path, &arena), STORE_READ,
                       crawler_codes(), &record->error);
    if (store)
        record_read_from(record, store);
    store_close(store);
    arena_release(&arena);
}

void record_release(struct crawl_record *record)
{
    facts_release(&record->facts);
    *record = (struct crawl_record){0};
}

/* --- options ------------------------------------------------------------ */

/* Without what is secret in it. */
static void put_kept(struct buf *kept, struct str option)
{
    struct str value = str_cut(option, '=').tail;
    struct str header = option_is_named(option, STR("header"))
                            ? secret_header(value)
                            : (struct str){0};

    if (header.len) {
        buf_put(kept, STR("header="));
        buf_put(kept, header);
        buf_put(kept, STR(": " NOT_KEPT));
    } else if (option_is_named(option, STR("proxy")) &&
               str_find(value, '@') < value.len) {
        buf_put(kept, STR("proxy=" NOT_KEPT));
    } else {
        buf_put(kept, option);
    }
}

static void put_option(struct store_batch *batch, size_t number,
                       struct str option)
{
    struct buf kept;

    buf_init(&kept, option.len + sizeof(NOT_KEPT) + 2);
    put_kept(&kept, option);
    facts_put_option(batch, number, buf_str(&kept));
    buf_release(&kept);
}

bool record_is_secret(const char *given)
{
    struct str text = str_of(given);

    return text.len >= STR(NOT_KEPT).len &&
           str_eq(str_skip(text, text.len - STR(NOT_KEPT).len), STR(NOT_KEPT));
}

void record_put_options(struct store_batch *batch, const struct list *given,
                        size_t before)
{
    size_t count = given->count > before ? given->count : before;

    for (size_t i = 0; i < count; i++)
        put_option(batch, i,
                   i < given->count ? str_of(given->item[i]) : STR(""));
}

void record_put_logins(struct store_batch *batch, const struct trusted_origins *origins)
{
    const struct origin_login *login = origins->logins;

    for (size_t i = 0; login; i++, login = login->next)
        facts_put_login(batch, i, login->origin);
}
