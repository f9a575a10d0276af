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
    if (record->facts.is_machine)
        store_fail(&record->error, STORE_FOREIGN, "of a machine of a fleet");
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

int crawl_record_refuse_machine(const struct crawl_record *record,
                                const char *dir_path, const char *to_do)
{
    struct str engine = record->facts.engine;

    return complain("'%s' is of a machine of a fleet; %s %.*s", dir_path, to_do,
                    STR_ARGS(engine.len ? engine : STR("postgres://...")));
}

void crawl_record_release(struct crawl_record *record)
{
    facts_release(&record->facts);
    *record = (struct crawl_record){0};
}

const char *crawl_record_dedup(const struct crawl_record *record)
{
    const struct list *given = &record->given;
    const char *path = NULL;

    for (size_t i = 0; i < given->count; i++)
        if (option_is_named(given->item[i], "warc-dedup"))
            path = strchr(given->item[i], '=');
    return path ? path + 1 : NULL;
}

/* --- writing options ---------------------------------------------------- */

static bool is_proxy_with_login(const char *option)
{
    return option_is_named(option, "proxy") && strchr(option, '@');
}

/* Put the option, without its value if that is secret. */
static void put_option(struct store_batch *batch, size_t number,
                       const char *option)
{
    struct str value = str_cut(str_of(option), '=').tail;
    struct str header = option_is_named(option, "header") ? secret_header(value)
                                                          : (struct str){0};
    struct buf kept;

    buf_init(&kept, strlen(option) + sizeof(NOT_KEPT) + 2);
    if (header.len)
        buf_printf(&kept, "header=%.*s: " NOT_KEPT, STR_ARGS(header));
    else
        buf_put(&kept, str_of(is_proxy_with_login(option) ? "proxy=" NOT_KEPT
                                                          : option));
    facts_put_option(batch, number, buf_str(&kept));
    buf_release(&kept);
}

bool crawl_record_is_secret(const char *given)
{
    return str_ends(str_of(given), STR(NOT_KEPT)) ||
           is_proxy_with_login(given) ||
           (option_is_named(given, "header") &&
            secret_header(str_cut(str_of(given), '=').tail).len);
}

const char *crawl_record_secrets(const struct list *given, bool has_logins,
                                 struct arena *arena)
{
    struct buf text;

    buf_init(&text, 4096);
    for (size_t i = 0; i < given->count; i++)
        if (crawl_record_is_secret(given->item[i])) {
            struct str name = str_cut(str_of(given->item[i]), '=').head;
            buf_printf(&text, " --%.*s ...", STR_ARGS(name));
        }
    if (has_logins && !option_is_given(given, "netrc"))
        buf_put(&text, STR(" --user ..."));
    const char *copy = arena_copy(arena, buf_str(&text)).ptr;
    buf_release(&text);
    return copy;
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

static const char *next_ordered(const struct list *list, size_t *at)
{
    while (*at < list->count) {
        const char *option = list->item[(*at)++];
        if (option_is_ordered(option))
            return option;
    }
    return NULL;
}

bool crawl_record_same_order(const struct list *one, const struct list *other)
{
    size_t i = 0, j = 0;
    const char *a, *b;

    do {
        a = next_ordered(one, &i);
        b = next_ordered(other, &j);
    } while (a && b && !strcmp(a, b));
    return !a && !b;
}

/* Does an option given now replace one of the record? A header replaces only
 * one of the same name, and a fixed option only the same again. */
static bool replaces(const char *now, const char *before)
{
    struct str_pair one = str_cut(str_of(now), '=');
    struct str_pair other = str_cut(str_of(before), '=');

    if (option_is_ordered(before))
        return false;
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

bool crawl_record_is_replaced(const char *before, const struct list *now)
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

/* Options of the record that are not replaced, then those given now. Ordered
 * ones are fixed, so they are those of the record. */
static bool add_all(struct options *options, const struct list *begun,
                    const struct list *now, struct buf *error)
{
    bool good = true;

    for (size_t i = 0; i < begun->count && good; i++)
        if (!crawl_record_is_replaced(begun->item[i], now) &&
            !option_is_named(begun->item[i], "restart"))
            good = options_add(options, begun->item[i], error);
    for (size_t i = 0; i < now->count && good; i++)
        if (!option_is_named(now->item[i], "resume") &&
            !option_is_ordered(now->item[i]))
            good = options_add(options, now->item[i], error);
    return good;
}

static int end_options(bool good, const char *dir_path, struct buf *error)
{
    if (!good)
        complain("the options of the crawl in '%s': %s", dir_path,
                 buf_cstr(error));
    buf_release(error);
    return good ? 0 : CRAWL_FAILED;
}

int crawl_record_options(struct options *options,
                         const struct crawl_record *record,
                         const struct list *now, const char *dir_path)
{
    struct buf error;

    buf_init(&error, ERROR_MAX);
    options->remembered = true;
    set_arguments(options, dir_path, record->facts.number[FACT_DEPTH]);
    return end_options(add_all(options, &record->given, now, &error), dir_path,
                       &error);
}

/* --- a resume ----------------------------------------------------------- */

/* If the record is damaged, the user did not name the wrong directory. */
static int cannot_resume(const char *path, const struct crawl_record *record)
{
    const struct store_error *error = &record->error;
    struct arena arena;

    if (record->facts.is_machine)
        return crawl_record_refuse_machine(record, path, CRAWL_RECORD_GO_ON);
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

bool crawl_record_is_over(const struct crawl_record *record,
                          const struct options *options)
{
    return facts_is_over(&record->facts) && !options->retry_failed &&
           !options->max_depth && !options->seed.count;
}

int crawl_record_check_secrets(const struct crawl_record *record,
                               const struct list *now)
{
    const struct list *begun = &record->given;

    for (size_t i = 0; i < begun->count; i++)
        if (crawl_record_is_secret(begun->item[i]) &&
            !crawl_record_is_replaced(begun->item[i], now))
            return complain("the crawl was begun with --%s; give it again",
                            begun->item[i]);
    return 0;
}

/* The same fixed option once more is no change: its URL may bring the name and
 * password again. */
static int check_given(const struct options *options,
                       const struct crawl_record *record)
{
    const struct list *begun = &record->given;
    const char *changed = crawl_record_missing_option(&options->given, begun);
    uint64_t depth = record->facts.number[FACT_DEPTH];

    if (options->max_depth && options->max_depth <= depth)
        return complain("--max-depth %llu: the crawl has maxDepth %llu, and a "
                        "crawl that has begun can only go deeper",
                        (unsigned long long)options->max_depth,
                        (unsigned long long)depth);
    if (changed)
        return complain("--%s cannot change once the crawl has begun; "
                        "--resume takes only limits and speeds",
                        changed);
    return crawl_record_is_over(record, options)
               ? 0
               : crawl_record_check_secrets(record, &options->given);
}

void crawl_record_take_unrecorded(struct options *to,
                                  const struct options *from)
{
    to->arguments = from->arguments;
    to->user = from->user;
    to->logins = from->logins;
    to->listen = from->listen;
    to->metrics_open = from->metrics_open;
    to->retry_failed = from->retry_failed;
    to->max_depth = from->max_depth;
    to->seed = from->seed;
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
                     : cannot_resume(options->argument[0], &record);
    if (!status) {
        if (options->max_depth)
            record.facts.number[FACT_DEPTH] = options->max_depth;
        status = crawl_record_options(resumed, &record, &options->given,
                                      options->argument[0]);
        crawl_record_take_unrecorded(resumed, options);
        resumed->is_over = crawl_record_is_over(&record, options);
    }
    crawl_record_release(&record);
    return status;
}

/* --- the same command again --------------------------------------------- */

/* The crawl may still turn out to be another: its seeds are not read yet. */
static bool may_go_on(const struct crawl_record *record, const struct list *now)
{
    return record->error.status == STORE_OK && !facts_is_over(&record->facts) &&
           !crawl_record_missing_option(&record->given, now) &&
           !crawl_record_missing_option(now, &record->given);
}

static bool is_left_out(const char *begun, const struct list *now)
{
    return option_is_kept(begun) && !crawl_record_is_secret(begun) &&
           !crawl_record_is_replaced(begun, now);
}

static int add_again(struct options *again, const struct list *begun,
                     const struct list *now, const char *dir_path)
{
    struct buf error;
    bool good = true;

    buf_init(&error, ERROR_MAX);
    for (size_t i = 0; i < begun->count && good; i++)
        if (is_left_out(begun->item[i], now))
            good = options_add(again, begun->item[i], &error);
    for (size_t i = 0; i < now->count && good; i++)
        good = options_add(again, now->item[i], &error);
    return end_options(good, dir_path, &error);
}

int crawl_record_again(struct options *again, const struct options *options,
                       bool *is_whole)
{
    const struct list *now = &options->given;
    bool has_options = now->count || options->user;
    struct crawl_record record;
    size_t left_out = 0;
    int status = 0;

    options_init(again);
    *is_whole = false;
    if (!has_options || options->restart || options->state || options->fleet ||
        options->argument_count < 2)
        return 0;
    const char *dir_path = options->argument[options->argument_count - 2];
    crawl_record_read(&record, dir_path);
    for (size_t i = 0; i < record.given.count && may_go_on(&record, now); i++)
        left_out += is_left_out(record.given.item[i], now);
    if (left_out) {
        again->argument = options->argument;
        again->argument_count = options->argument_count;
        crawl_record_take_unrecorded(again, options);
        status = add_again(again, &record.given, now, dir_path);
        *is_whole = true;
    }
    crawl_record_release(&record);
    return status;
}
