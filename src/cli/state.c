#include "cli/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/seeds.h"
#include "cli/usage.h"
#include "crawler/codes.h"

int state_open_directory(struct plan *plan, const char *path)
{
    if (!pagedir_open(&plan->dir, path))
        return complain("pageDirectory '%s' must be an existing directory "
                        "that can be written: %s",
                        login_hide(&plan->arena, path), strerror(errno));
    if (!pagedir_lock(&plan->dir)) {
        complain("another crawl is at work in '%s'", path);
        return CRAWL_FAILED;
    }
    plan->crawl.dir_path = path;
    return 0;
}

/* --- is it the same crawl? ---------------------------------------------- */

/* The first fixed option of `one` that `other` does not have, or NULL. */
static const char *missing_from(const struct list *one,
                                const struct list *other)
{
    for (size_t i = 0; i < one->count; i++) {
        bool found = !option_is_fixed(str_of(one->item[i]));
        for (size_t j = 0; j < other->count && !found; j++)
            found = !strcmp(one->item[i], other->item[j]);
        if (!found)
            return one->item[i];
    }
    return NULL;
}

/* Those that the user named; the results of a search are not asked again. */
static bool has_same_seeds(const struct plan *plan,
                           const struct crawl_record *record)
{
    size_t at = 0;

    for (size_t i = 0; i < record->facts.seeds; i++) {
        const struct facts_seed *seed = &record->facts.seed[i];
        if (!seed->named)
            continue;
        if (at == plan->seed_count ||
            !str_eq(seed->url, plan->seeds[at].url.href))
            return false;
        at++;
    }
    return at == plan->seed_count;
}

/* NULL, or what is different, for people. */
static const char *difference(struct plan *plan, const struct options *options)
{
    const struct crawl_record *record = &plan->record;
    const char *option = missing_from(&record->given, &options->given);
    char *text = arena_new(&plan->arena, 400);

    if (option) {
        snprintf(text, 400, "it was begun with --%.300s", option);
        return text;
    }
    option = missing_from(&options->given, &record->given);
    if (option) {
        snprintf(text, 400, "it was begun without --%.300s", option);
        return text;
    }
    if (!has_same_seeds(plan, record))
        return "it was begun from other seeds";
    uint64_t depth = record->facts.number[FACT_DEPTH];
    if (depth == plan->crawl.max_depth)
        return NULL;
    snprintf(text, 400, "it was begun with maxDepth %llu",
             (unsigned long long)depth);
    return text;
}

/* --- what to do --------------------------------------------------------- */

/* The three arguments and nothing else. */
static bool is_course_form(const struct options *options)
{
    return !options->given.count && !options->user && !options->remembered;
}

static const char *label(struct plan *plan)
{
    return store_label(plan->store_name, &plan->arena);
}

static int refuse_unknown_files(const struct plan *plan, uint32_t id)
{
    return complain("pageDirectory '%s' has numbered files (%u) but no "
                    "crawl is recorded that made them; use an empty "
                    "directory",
                    plan->crawl.dir_path, (unsigned)id);
}

static int cannot_read(struct plan *plan)
{
    complain("cannot read the state in '%s': %s", label(plan),
             plan->record.error.text);
    return CRAWL_FAILED;
}

/* Nobody named the wrong directory if its crawl is damaged. */
static int cannot_resume(const char *path, const struct store_error *error)
{
    struct arena arena;

    if (error->status != STORE_DAMAGED)
        return complain("there is no crawl in '%s' to go on with: %s", path,
                        error->text);
    arena_init(&arena);
    complain("cannot read the state in '%s': %s",
             store_label(store_name_in(path, &arena), &arena), error->text);
    arena_release(&arena);
    return CRAWL_FAILED;
}

/* There is no record, or none that can be read. */
static int decide_without(struct plan *plan, const struct options *options)
{
    const struct store_error *error = &plan->record.error;
    uint32_t unknown = pagedir_unknown_file(&plan->dir, 0, false);
    bool course = is_course_form(options);

    plan->action = ACTION_START;
    if (options->remembered)
        return cannot_resume(plan->crawl.dir_path, error);
    switch (error->status) {
    /* Another program of the course marks its directory with an empty file, or
     * not at all: its pages go with the first of this crawl. */
    case STORE_NONE:
    case STORE_EMPTY:
        return unknown && !course ? refuse_unknown_files(plan, unknown) : 0;
    /* So does one that marks it with a few words. */
    case STORE_NOTE:
        if (course)
            return 0;
        /* fall through */
    case STORE_FOREIGN:
        return complain("'%s' is %s; use another directory", label(plan),
                        error->text);
    case STORE_NEWER:
        return complain("the state in '%s' was %s; use another directory",
                        label(plan), error->text);
    default:
        return cannot_read(plan);
    }
}

/* The last page that is its own, or of the crawl that it was replacing. */
static uint32_t last_known(const struct crawl_record *record)
{
    uint32_t old = (uint32_t)record->facts.number[FACT_OLD_PAGES];

    return old > record_pages(record) ? old : record_pages(record);
}

/* Another's file must not be taken for a page, nor give way to one. */
static int check_unknown_files(const struct plan *plan)
{
    uint32_t unknown = pagedir_unknown_file(&plan->dir, last_known(&plan->record),
                                        facts_is_unclean(&plan->record.facts));

    if (!unknown)
        return 0;
    return complain("file %u in '%s' is not of the crawl that is recorded "
                    "there; move it away first",
                    (unsigned)unknown, plan->crawl.dir_path);
}

/* It came to its end without a page: there is nothing to lose. */
static bool had_nothing(const struct crawl_record *record)
{
    return facts_is_over(&record->facts) && !last_known(record);
}

/* The recorded crawl wrote nothing, so no file there is its. */
static int decide_anew(struct plan *plan)
{
    uint32_t unknown = pagedir_unknown_file(&plan->dir, 0, false);

    plan->action = ACTION_START;
    return unknown ? refuse_unknown_files(plan, unknown) : 0;
}

/* The course form says nothing of a crawl that was begun with options, so it
 * must not be what replaces it. */
static int refuse_to_replace(const struct plan *plan)
{
    const struct facts *facts = &plan->record.facts;
    const char *path = plan->crawl.dir_path;
    unsigned pages = (unsigned)record_pages(&plan->record);
    struct str seed = facts->seeds ? facts->seed[0].url : STR("a sitemap");

    if (facts_is_over(facts))
        return complain("'%s' holds another crawl, finished: %u pages from "
                        "%.*s; use another directory, or --restart to "
                        "replace it",
                        path, pages, (int)seed.len, seed.ptr);
    return complain("'%s' holds another crawl: %u pages so far from %.*s; "
                    "'crawler --resume %s' goes on with it, --restart "
                    "replaces it",
                    path, pages, (int)seed.len, seed.ptr, path);
}

/* The same again goes on, or starts over if it is finished; so does another
 * one in the place of one that was begun in this form too. */
static int decide_course_form(struct plan *plan, const char *difference)
{
    const struct facts *facts = &plan->record.facts;
    /* Options that a --resume brought in are no part of the command. */
    bool own = facts->number[FACT_COURSE_FORM];

    if (!own && !had_nothing(&plan->record))
        return refuse_to_replace(plan);
    plan->action = difference || facts_is_over(facts) || !own ? ACTION_START
                                                              : ACTION_RESUME;
    return 0;
}

static int decide_with(struct plan *plan, const struct options *options)
{
    const struct crawl_record *record = &plan->record;
    const char *path = plan->crawl.dir_path;
    bool over = facts_is_over(&record->facts);
    const char *why = options->remembered ? NULL : difference(plan, options);

    if (is_course_form(options))
        return decide_course_form(plan, why);
    if (options->restart) {
        plan->action = ACTION_START;
        return check_unknown_files(plan);
    }
    if (had_nothing(record) && !options->remembered)
        return decide_anew(plan);
    if (why)
        return complain("the crawl in '%s' is another: %s; use another "
                        "directory, or --restart to start over",
                        path, why);
    if (options->state)
        return complain("the crawl in '%s' is recorded; --state none needs "
                        "--restart or another directory",
                        path);
    plan->action = over ? ACTION_NONE : ACTION_RESUME;
    return over ? 0 : check_unknown_files(plan);
}

int state_decide(struct plan *plan, const struct options *options)
{
    plan->store_name = store_name_in(plan->crawl.dir_path, &plan->arena);
    record_read(&plan->record, plan->crawl.dir_path);
    if (plan->record.error.status != STORE_OK)
        return decide_without(plan, options);
    return decide_with(plan, options);
}

/* --- doing it ----------------------------------------------------------- */

static void put_first_rows(struct plan *plan, const struct options *options,
                           struct store_batch *first)
{
    record_put_options(first, &options->given, 0);
    record_put_logins(first, &plan->origins);
    facts_put_number(first, FACT_DEPTH, plan->crawl.max_depth);
    facts_put_number(first, FACT_STARTED_MS, clock_wall_ms());
    facts_put_state(first, STATE_RUNNING);
    facts_put_text(first, FACT_PROGRAM, STR("crawler " CRAWLER_VERSION));
    facts_put_number(first, FACT_PER_HOST, plan->crawl.frontier.per_host);
    if (is_course_form(options))
        facts_put_number(first, FACT_COURSE_FORM, 1);
    if (plan->dir.holds_old)
        facts_put_number(first, FACT_OLD_PAGES, plan->dir.old_last);
    for (size_t i = 0; i < plan->seed_count; i++) {
        const struct store_seed row = {
            .url = plan->seeds[i].url.href,
            .named = i < plan->named_seeds,
        };
        store_add_seed(first, &row);
    }
}

static struct store *create(struct plan *plan, const struct options *options,
                            enum store_start start, struct store_error *error)
{
    struct store_batch first;

    store_batch_init(&first);
    put_first_rows(plan, options, &first);
    struct store *store =
        store_create(plan->store_name, crawler_codes(), &first, start, error);
    store_batch_release(&first);
    return store;
}

/* What this run is told, and how it looked when it was begun: how this run
 * looks is for this run alone. */
static struct list options_to_keep(struct plan *plan,
                                   const struct options *options)
{
    const struct list *anew = &options->given, *before = &plan->record.given;
    struct list kept = {0};

    kept.item = arena_new(&plan->arena, (anew->count + before->count + 1) *
                                            sizeof(*kept.item));
    for (size_t i = 0; i < anew->count; i++)
        if (!option_is_for_looks(str_of(anew->item[i])))
            kept.item[kept.count++] = anew->item[i];
    for (size_t i = 0; i < before->count; i++)
        if (option_is_for_looks(str_of(before->item[i])))
            kept.item[kept.count++] = before->item[i];
    return kept;
}

/* What is new about it; written when its record has been read. */
static void put_new_facts(struct plan *plan, const struct options *options)
{
    const struct list kept = options_to_keep(plan, options);
    struct store_batch *facts = &plan->new_facts;

    facts_put_state(facts, STATE_RUNNING);
    record_put_options(facts, &kept, plan->record.given.count);
    record_put_logins(facts, &plan->origins);
    if (plan->crawl.frontier.per_host >
        plan->record.facts.number[FACT_PER_HOST])
        facts_put_number(facts, FACT_PER_HOST, plan->crawl.frontier.per_host);
    plan->crawl.new_facts = facts;
}

/* Is there a crawl in the directory that this one replaces? Its record and its
 * pages stay until the first page of this one is saved. */
static bool replaces_another(struct plan *plan)
{
    enum store_status status = plan->record.error.status;

    if (status == STORE_OK && had_nothing(&plan->record))
        return false;
    if (status == STORE_OK)
        pagedir_begin_over(&plan->dir, last_known(&plan->record),
                           facts_is_unclean(&plan->record.facts));
    else if (status == STORE_NOTE || pagedir_unknown_file(&plan->dir, 0, false))
        pagedir_begin_over(&plan->dir, 0, true);
    return plan->dir.holds_old;
}

static bool begin_new(struct plan *plan, const struct options *options,
                      struct store_error *error)
{
    bool aside = replaces_another(plan);

    plan->crawl.replaces = aside;
    if (!options->state) {
        plan->store =
            create(plan, options, aside ? STORE_ASIDE : STORE_AT_ONCE, error);
        return plan->store != NULL;
    }
    if (aside)
        plan->crawl.emptied_record = plan->store_name;
    return aside || store_leave_empty(plan->store_name, error);
}

static bool go_on(struct plan *plan, const struct options *options,
                  struct store_error *error)
{
    const struct facts *facts = &plan->record.facts;

    plan->dir.last_id = record_pages(&plan->record);
    plan->dir.old_last = (uint32_t)facts->number[FACT_OLD_PAGES];
    plan->crawl.resume_unclean = facts_is_unclean(facts);
    put_new_facts(plan, options);
    plan->store =
        store_open(plan->store_name, STORE_WRITE, crawler_codes(), error);
    return plan->store != NULL;
}

bool state_begin(struct plan *plan, const struct options *options)
{
    struct store_error error;

    plan->crawl.resume = plan->action == ACTION_RESUME;
    bool good = plan->crawl.resume ? go_on(plan, options, &error)
                                   : begin_new(plan, options, &error);
    plan->crawl.store = plan->store;
    plan->crawl.record_label = label(plan);
    if (!good)
        complain("cannot %s the state in '%s': %s",
                 plan->crawl.resume ? "go on with" : "create", label(plan),
                 error.text);
    return good;
}

/* --- the options of before ---------------------------------------------- */

/* Does an option given now replace one of the record? A header replaces only
 * one of the same name, and a fixed option only the same again. */
static bool is_instead_of(struct str anew, struct str before)
{
    struct str_pair one = str_cut(anew, '='), other = str_cut(before, '=');

    /* Who asks to see something does not want it quiet. */
    if (option_is_named(before, STR("quiet")))
        return option_is_for_looks(anew);
    if (!str_eq(one.head, other.head))
        return false;
    if (option_is_fixed(anew))
        return str_eq(anew, before);
    return !option_is_named(anew, STR("header")) ||
           str_eq_nocase(str_cut(one.tail, ':').head,
                         str_cut(other.tail, ':').head);
}

static bool is_given_anew(const struct options *options, const char *given)
{
    for (size_t i = 0; i < options->given.count; i++)
        if (is_instead_of(str_of(options->given.item[i]), str_of(given)))
            return true;
    return false;
}

static const char *word_of(struct arena *arena, const char *given)
{
    size_t size = strlen(given) + 3;
    char *word = arena_new(arena, size);

    snprintf(word, size, "--%s", given);
    return word;
}

static int check_anew(const struct options *options)
{
    if (options->argument_count != 1)
        return complain("--resume takes one argument, pageDirectory; the "
                        "crawl there knows the others");
    if (options->restart)
        return complain("--resume and --restart contradict each other");
    return 0;
}

/* The same once more is no change: it may have a name and password again. */
static int check_fixed(const struct options *options,
                       const struct crawl_record *record)
{
    const char *other = missing_from(&options->given, &record->given);

    if (!other)
        return 0;
    return complain(
        "--%s cannot change once the crawl has begun; --resume takes "
        "only limits and speeds",
        other);
}

static int check_secrets(const struct options *options,
                         const struct crawl_record *record)
{
    for (size_t i = 0; i < record->given.count; i++)
        if (record_is_secret(record->given.item[i]) &&
            !is_given_anew(options, record->given.item[i]))
            return complain("the crawl was begun with --%s; give it again",
                            record->given.item[i]);
    return 0;
}

static void put_words(const struct options *options,
                      const struct crawl_record *record, struct arena *arena,
                      const char ***words, int *count)
{
    const char **list =
        arena_new(arena, (record->given.count + options->given.count + 4) *
                             sizeof(*list));
    char *depth = arena_new(arena, 24);
    int n = 0;

    for (size_t i = 0; i < record->given.count; i++)
        if (!is_given_anew(options, record->given.item[i]) &&
            !option_is_named(str_of(record->given.item[i]), STR("restart")))
            list[n++] = word_of(arena, record->given.item[i]);
    for (size_t i = 0; i < options->given.count; i++)
        if (!option_is_named(str_of(options->given.item[i]), STR("resume")))
            list[n++] = word_of(arena, options->given.item[i]);
    snprintf(depth, 24, "%llu",
             (unsigned long long)record->facts.number[FACT_DEPTH]);
    list[n++] = "--";
    list[n++] = options->argument[0];
    list[n++] = depth;
    *words = list;
    *count = n;
}

int state_words(const struct options *options, struct arena *arena,
                const char ***words, int *count)
{
    struct crawl_record record;
    int status = check_anew(options);

    if (status)
        return status;
    record_read(&record, options->argument[0]);
    if (record.error.status != STORE_OK)
        status = cannot_resume(options->argument[0], &record.error);
    else if (!(status = check_fixed(options, &record)) &&
             (facts_is_over(&record.facts) ||
              !(status = check_secrets(options, &record))))
        put_words(options, &record, arena, words, count);
    record_release(&record);
    return status;
}

void state_recall(const struct crawl_record *record, const char *dir_path,
                  struct arena *arena, const char ***words, int *count)
{
    const struct options nothing = {
        .argument = &dir_path,
        .argument_count = 1,
    };

    put_words(&nothing, record, arena, words, count);
}
