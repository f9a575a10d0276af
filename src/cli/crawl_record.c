#include "cli/crawl_record.h"

#include "cli/usage.h"
#include "crawler/crawler.h"
#include "crawler/record_codes.h"
#include "page/secret.h"

#define NOT_KEPT "(not kept)"

enum { ERROR_MAX = 4096 };

void crawl_record_read_from(struct crawl_record *record, struct store *store)
{
    if (facts_read(&record->facts, store, &record->error))
        record->error.status = STORE_OK;
    record->given =
        (struct list){record->facts.options.item, record->facts.options.count};
    record->logins =
        (struct list){record->facts.logins.item, record->facts.logins.count};
}

void crawl_record_read(struct crawl_record *record, const char *dir_path)
{
    struct store *store;
    struct arena arena;

    *record = (struct crawl_record){0};
    arena_init(&arena);
    store = store_open(store_name_in(dir_path, &arena), STORE_READ,
                       crawler_codes(), &record->error);
    if (store)
        crawl_record_read_from(record, store);
    store_close(store);
    arena_release(&arena);
}

void crawl_record_release(struct crawl_record *record)
{
    facts_release(&record->facts);
    *record = (struct crawl_record){0};
}

/* --- writing options ---------------------------------------------------- */

/* Put the option, without its value if that is secret. */
static void put_option(struct store_batch *batch, size_t number,
                       const char *option)
{
    struct str value = str_cut(str_of(option), '=').tail;
    struct str header = option_is_named(option, "header") ? secret_header(value)
                                                          : (struct str){0};
    bool has_login =
        option_is_named(option, "proxy") && str_find(value, '@') < value.len;
    struct buf kept;

    buf_init(&kept, strlen(option) + sizeof(NOT_KEPT) + 2);
    if (header.len)
        buf_printf(&kept, "header=%.*s: " NOT_KEPT, STR_ARGS(header));
    else
        buf_put(&kept, str_of(has_login ? "proxy=" NOT_KEPT : option));
    facts_put_option(batch, number, buf_str(&kept));
    buf_release(&kept);
}

bool crawl_record_is_secret(const char *given)
{
    return str_ends(str_of(given), STR(NOT_KEPT));
}

void crawl_record_put_options(struct store_batch *batch,
                              const struct list *given, size_t before)
{
    size_t count = given->count > before ? given->count : before;

    for (size_t i = 0; i < count; i++)
        put_option(batch, i, i < given->count ? given->item[i] : "");
}

void crawl_record_put_logins(struct store_batch *batch,
                             const struct trusted_origins *origins)
{
    const struct origin_login *login = origins->logins;

    for (size_t i = 0; login; i++, login = login->next)
        facts_put_login(batch, i, login->origin);
}

/* --- reading options back ----------------------------------------------- */

const char *crawl_record_missing_option(const struct list *one,
                                        const struct list *other)
{
    for (size_t i = 0; i < one->count; i++) {
        bool found = !option_is_fixed(one->item[i]);
        for (size_t j = 0; j < other->count && !found; j++)
            found = !strcmp(one->item[i], other->item[j]);
        if (!found)
            return one->item[i];
    }
    return NULL;
}

/* Does an option given now replace one of the record? A header replaces only
 * one of the same name, and a fixed option only the same again. */
static bool replaces(const char *now, const char *before)
{
    struct str_pair one = str_cut(str_of(now), '=');
    struct str_pair other = str_cut(str_of(before), '=');

    /* A user who asks to see something does not want it quiet. */
    if (option_is_named(before, "quiet"))
        return option_is_for_display(now);
    if (!str_eq(one.head, other.head))
        return false;
    if (option_is_fixed(now))
        return !strcmp(now, before);
    return !option_is_named(now, "header") ||
           str_eq_nocase(str_cut(one.tail, ':').head,
                         str_cut(other.tail, ':').head);
}

static bool is_replaced(const char *before, const struct list *now)
{
    for (size_t i = 0; i < now->count; i++)
        if (replaces(now->item[i], before))
            return true;
    return false;
}

static void set_arguments(struct options *options, const char *dir_path,
                          uint64_t depth)
{
    const char **argument =
        arena_new(&options->arena, 2 * sizeof(*options->argument));
    char *text = arena_new(&options->arena, 24);

    snprintf(text, 24, "%llu", (unsigned long long)depth);
    argument[0] = arena_copy(&options->arena, str_of(dir_path)).ptr;
    argument[1] = text;
    options->argument = argument;
    options->argument_count = 2;
}

/* Options of the record that are not replaced, then those given now. */
static bool add_all(struct options *options, const struct list *begun,
                    const struct list *now, struct buf *error)
{
    bool good = true;

    for (size_t i = 0; i < begun->count && good; i++)
        if (!is_replaced(begun->item[i], now) &&
            !option_is_named(begun->item[i], "restart"))
            good = options_add(options, begun->item[i], error);
    for (size_t i = 0; i < now->count && good; i++)
        if (!option_is_named(now->item[i], "resume"))
            good = options_add(options, now->item[i], error);
    return good;
}

int crawl_record_options(struct options *options,
                         const struct crawl_record *record,
                         const struct list *now, const char *dir_path)
{
    struct buf error;

    buf_init(&error, ERROR_MAX);
    options->remembered = true;
    set_arguments(options, dir_path, record->facts.number[FACT_DEPTH]);
    bool good = add_all(options, &record->given, now, &error);
    if (!good)
        complain("the options of the crawl in '%s': %s", dir_path,
                 buf_cstr(&error));
    buf_release(&error);
    return good ? 0 : CRAWL_FAILED;
}

/* --- a resume ----------------------------------------------------------- */

/* If the record is damaged, the user did not name the wrong directory. */
static int cannot_resume(const char *path, const struct store_error *error)
{
    struct arena arena;

    arena_init(&arena);
    int status =
        error->status == STORE_DAMAGED
            ? complain_failure("cannot read the state in '%s': %s",
                               store_label(store_name_in(path, &arena), &arena),
                               error->text)
            : complain("there is no crawl in '%s' to go on with: %s",
                       login_hide(&arena, path), error->text);
    arena_release(&arena);
    return status;
}

/* The same fixed option once more is no change: its URL may bring the name and
 * password again. Secrets are needed only if there is more to fetch. */
static int check_given(const struct options *options,
                       const struct crawl_record *record)
{
    const struct list *begun = &record->given;
    const char *changed = crawl_record_missing_option(&options->given, begun);

    if (changed)
        return complain("--%s cannot change once the crawl has begun; "
                        "--resume takes only limits and speeds",
                        changed);
    for (size_t i = 0; i < begun->count && !facts_is_over(&record->facts); i++)
        if (crawl_record_is_secret(begun->item[i]) &&
            !is_replaced(begun->item[i], &options->given))
            return complain("the crawl was begun with --%s; give it again",
                            begun->item[i]);
    return 0;
}

int crawl_record_resume(struct options *resumed, const struct options *options)
{
    struct crawl_record record;

    options_init(resumed);
    if (options->argument_count != 1)
        return complain("--resume takes one argument, pageDirectory; the "
                        "crawl there knows the others");
    if (options->restart)
        return complain("--resume and --restart contradict each other");
    crawl_record_read(&record, options->argument[0]);
    int status = record.error.status == STORE_OK
                     ? check_given(options, &record)
                     : cannot_resume(options->argument[0], &record.error);
    if (!status) {
        status = crawl_record_options(resumed, &record, &options->given,
                                      options->argument[0]);
        resumed->user = options->user;
        resumed->logins = options->logins;
    }
    crawl_record_release(&record);
    return status;
}
