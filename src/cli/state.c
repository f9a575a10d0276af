#include "cli/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/seeds.h"

int state_open_directory(struct plan *plan, const char *path)
{
    if (!pagedir_open(&plan->dir, path))
        return usage_error("pageDirectory '%s' must be an existing directory "
                           "that can be written: %s",
                           path, strerror(errno));
    if (!pagedir_lock(&plan->dir)) {
        usage_error("another crawl is at work in '%s'", path);
        return CRAWL_FAILED;
    }
    plan->crawl.dir_path = path;
    return 0;
}

/* --- is it the same crawl? ---------------------------------------------- */

/* The option of the one that has a meaning and is not among the other's. */
static const char *missing_from(const struct list *one,
                                const struct list *other)
{
    for (size_t i = 0; i < one->count; i++) {
        bool found = !option_has_meaning(str_of(one->item[i]));
        for (size_t j = 0; j < other->count && !found; j++)
            found = !strcmp(one->item[i], other->item[j]);
        if (!found)
            return one->item[i];
    }
    return NULL;
}

/* Those that the user named; the results of a search are not asked again. */
static bool has_same_seeds(const struct plan *plan, const struct past *past)
{
    size_t at = 0;

    for (size_t i = 0; i < past->seed_count; i++) {
        if (!past->seeds[i].named)
            continue;
        if (at == plan->seed_count ||
            !str_eq(past->seeds[i].url, plan->seeds[at].url.href))
            return false;
        at++;
    }
    return at == plan->seed_count;
}

/* NULL, or what is different, for people. */
static const char *difference(struct plan *plan, const struct options *options)
{
    const struct past *past = &plan->past;
    const char *option = missing_from(&past->given, &options->given);
    char *text = arena_new(&plan->arena, 400);

    if (option) {
        snprintf(text, 400, "it was begun with --%.300s", option);
        return text;
    }
    option = missing_from(&options->given, &past->given);
    if (option) {
        snprintf(text, 400, "it was begun without --%.300s", option);
        return text;
    }
    if (!has_same_seeds(plan, past))
        return "it was begun from other seeds";
    if (past->depth == plan->crawl.max_depth)
        return NULL;
    snprintf(text, 400, "it was begun with maxDepth %llu",
             (unsigned long long)past->depth);
    return text;
}

/* --- what to do --------------------------------------------------------- */

static bool is_bare(const struct options *options)
{
    return !options->given.count && !options->remembered;
}

static int refuse_strangers(const struct plan *plan, uint32_t stranger)
{
    return usage_error("pageDirectory '%s' has numbered files (%u) but no "
                       "crawl is recorded that made them; use an empty "
                       "directory",
                       plan->crawl.dir_path, (unsigned)stranger);
}

static int cannot_read(const char *path, const struct store_error *error)
{
    usage_error("cannot read the state in '%s/%s': %s", path, PAGEDIR_MARKER,
                error->text);
    return CRAWL_FAILED;
}

/* Nobody named the wrong directory where its crawl is damaged. */
static int cannot_resume(const char *path, const struct store_error *error)
{
    if (error->status == STORE_DAMAGED)
        return cannot_read(path, error);
    return usage_error("there is no crawl in '%s' to go on with: %s", path,
                       error->text);
}

/* There is no record, or none that can be read. */
static int decide_without(struct plan *plan, const struct options *options)
{
    const struct store_error *error = &plan->past.error;
    const char *path = plan->crawl.dir_path;
    uint32_t stranger = pagedir_stranger(&plan->dir, 0, false);

    plan->action = ACTION_START;
    if (options->remembered)
        return cannot_resume(path, error);
    if (error->status == STORE_NEWER)
        return usage_error("the state in '%s/%s' was %s; use another directory",
                           path, PAGEDIR_MARKER, error->text);
    if (is_bare(options) && error->status != STORE_FAILED)
        return 0;
    if (error->status == STORE_NONE)
        return stranger ? refuse_strangers(plan, stranger) : 0;
    if (error->status == STORE_FOREIGN)
        return usage_error("'%s/%s' is %s; use another directory", path,
                           PAGEDIR_MARKER, error->text);
    return cannot_read(path, error);
}

/* Another's file must not be taken for a page, nor give way to one. */
static int check_strangers(const struct plan *plan)
{
    uint32_t stranger = pagedir_stranger(&plan->dir, (uint32_t)plan->past.pages,
                                         past_is_unclean(&plan->past));

    if (!stranger)
        return 0;
    return usage_error("file %u in '%s' is not of the crawl that is recorded "
                       "there; move it away first",
                       (unsigned)stranger, plan->crawl.dir_path);
}

/* The recorded crawl wrote nothing, so what is there is not its. */
static int decide_anew(struct plan *plan)
{
    uint32_t stranger = pagedir_stranger(&plan->dir, 0, false);

    plan->action = ACTION_START;
    return stranger ? refuse_strangers(plan, stranger) : 0;
}

static int decide_with(struct plan *plan, const struct options *options)
{
    const struct past *past = &plan->past;
    const char *path = plan->crawl.dir_path;
    bool over = past_is_finished(past) || str_eq(past->state, STR("nothing"));
    const char *why = options->remembered ? NULL : difference(plan, options);

    if (options->restart) {
        plan->action = ACTION_RESTART;
        return check_strangers(plan);
    }
    plan->action = over ? ACTION_NONE : ACTION_RESUME;
    /* Options that a --resume brought in are no part of the command. */
    if (is_bare(options) && (why || over || (past->given.count && !past->bare)))
        plan->action = ACTION_START;
    else if (over && !past->pages && !options->remembered)
        return decide_anew(plan);
    else if (why)
        return usage_error("the crawl in '%s' is another: %s; use another "
                           "directory, or --restart to start over",
                           path, why);
    else if (options->state)
        return usage_error("the crawl in '%s' is recorded; --state none needs "
                           "--restart or another directory",
                           path);
    if (plan->action == ACTION_RESUME && !is_bare(options))
        return check_strangers(plan);
    return 0;
}

int state_decide(struct plan *plan, const struct options *options)
{
    past_read(&plan->past, plan->crawl.dir_path);
    if (plan->past.error.status != STORE_OK)
        return decide_without(plan, options);
    return decide_with(plan, options);
}

/* --- doing it ----------------------------------------------------------- */

static const char *verdict_of(unsigned code)
{
    return verdict_name((enum verdict)code);
}

static const char *outcome_of(unsigned code)
{
    return outcome_name((enum outcome)code);
}

static const struct store_names names = {
    .verdict_name = verdict_of,
    .outcome_name = outcome_of,
    .verdicts = VERDICTS,
    .outcomes = OUTCOMES,
};

static bool create(struct plan *plan, const struct options *options,
                   struct store_error *error)
{
    struct store_batch first;

    store_batch_init(&first);
    past_write(&first, &options->given, plan->crawl.max_depth, clock_wall_ms());
    store_add_number(&first, STR("per_host"), plan->crawl.frontier.per_host);
    if (is_bare(options))
        store_add_number(&first, STR("bare"), 1);
    if (plan->dir.holds_old)
        store_add_number(&first, STR("old_pages"), plan->dir.old_last);
    for (size_t i = 0; i < plan->seed_count; i++) {
        const struct store_seed row = {
            .url = plan->seeds[i].url.href,
            .named = i < plan->named_seeds,
        };
        store_add_seed(&first, &row);
    }
    bool good = store_create(past_path(&plan->arena, plan->crawl.dir_path),
                             &names, &first, error);
    store_batch_release(&first);
    return good;
}

/* What this run is told, and how it looked when it was begun: how this run
 * looks is for this run alone. */
static struct list options_to_keep(struct plan *plan,
                                   const struct options *options)
{
    const struct list *anew = &options->given, *before = &plan->past.given;
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

static bool say_running(struct plan *plan, const struct options *options,
                        struct store_error *error)
{
    const struct list kept = options_to_keep(plan, options);
    struct store_batch batch;

    store_batch_init(&batch);
    store_add_setting(&batch, STR("state"), STR("running"));
    past_write_options(&batch, &kept, plan->past.given.count);
    if (plan->crawl.frontier.per_host > plan->past.per_host)
        store_add_number(&batch, STR("per_host"),
                         plan->crawl.frontier.per_host);
    bool good = store_add_names(plan->store, &names, error) &&
                store_commit(plan->store, &batch, error);
    store_batch_release(&batch);
    return good;
}

static bool begin_new(struct plan *plan, const struct options *options,
                      struct store_error *error)
{
    if (plan->action == ACTION_RESTART) {
        pagedir_remove_pages(&plan->dir, (uint32_t)plan->past.pages,
                             past_is_unclean(&plan->past));
        unlinkat(plan->dir.fd, PAGEDIR_STATS, 0);
    }
    if (plan->past.error.status == STORE_OK && plan->past.pages)
        pagedir_set_old(&plan->dir, (uint32_t)plan->past.pages,
                        past_is_unclean(&plan->past));
    if (pagedir_mark(&plan->dir) &&
        (!options->state || pagedir_empty_marker(&plan->dir)))
        return options->state || create(plan, options, error);
    error->status = STORE_FAILED;
    snprintf(error->text, sizeof(error->text), "%s", strerror(errno));
    return false;
}

bool state_begin(struct plan *plan, const struct options *options)
{
    bool resume = plan->action == ACTION_RESUME;
    struct store_error error;
    bool good = resume || begin_new(plan, options, &error);

    if (good && !options->state) {
        plan->store = store_open(past_path(&plan->arena, plan->crawl.dir_path),
                                 STORE_WRITE, &error);
        good = plan->store && (!resume || say_running(plan, options, &error));
    }
    if (resume) {
        plan->dir.last_id = (uint32_t)plan->past.pages;
        plan->dir.old_last = (uint32_t)plan->past.old_pages;
    }
    plan->crawl.store = plan->store;
    plan->crawl.resume = resume;
    plan->crawl.resume_unclean = resume && past_is_unclean(&plan->past);
    if (!good)
        usage_error("cannot %s the state in '%s/%s': %s",
                    resume ? "go on with" : "create", plan->crawl.dir_path,
                    PAGEDIR_MARKER, error.text);
    return good;
}

void state_tidy(const struct plan *plan)
{
    struct store_error error;
    struct arena arena;

    if (faccessat(plan->dir.fd, PAGEDIR_MARKER "-wal", F_OK, 0))
        return;
    arena_init(&arena);
    store_close(store_open(past_path(&arena, plan->crawl.dir_path), STORE_WRITE,
                           &error));
    arena_release(&arena);
}

/* --- the options of before ---------------------------------------------- */

/* A header stands for its name: another one does not replace it. */
static bool replaces(struct str anew, struct str before)
{
    struct str_pair one = str_cut(anew, '='), other = str_cut(before, '=');

    /* Who asks to see something does not want it quiet. */
    if (option_is_named(before, STR("quiet")))
        return option_is_for_looks(anew);
    if (!str_eq(one.head, other.head))
        return false;
    return !option_is_named(anew, STR("header")) ||
           str_eq_nocase(str_cut(one.tail, ':').head,
                         str_cut(other.tail, ':').head);
}

static bool is_given_anew(const struct options *options, const char *given)
{
    for (size_t i = 0; i < options->given.count; i++)
        if (replaces(str_of(options->given.item[i]), str_of(given)))
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
        return usage_error("--resume takes one argument, pageDirectory; the "
                           "crawl there knows the others");
    if (options->restart)
        return usage_error("--resume and --restart contradict each other");
    for (size_t i = 0; i < options->given.count; i++)
        if (option_has_meaning(str_of(options->given.item[i])))
            return usage_error("--%s changes what the crawl means; --resume "
                               "takes only limits and speeds",
                               options->given.item[i]);
    return 0;
}

static int check_secrets(const struct options *options, const struct past *past)
{
    for (size_t i = 0; i < past->given.count; i++)
        if (past_is_secret(past->given.item[i]) &&
            !is_given_anew(options, past->given.item[i]))
            return usage_error("the crawl was begun with --%s; give it again",
                               past->given.item[i]);
    return 0;
}

static void put_words(const struct options *options, const struct past *past,
                      struct arena *arena, const char ***words, int *count)
{
    const char **list = arena_new(
        arena, (past->given.count + options->given.count + 4) * sizeof(*list));
    char *depth = arena_new(arena, 24);
    int n = 0;

    for (size_t i = 0; i < past->given.count; i++)
        if (!is_given_anew(options, past->given.item[i]) &&
            !option_is_named(str_of(past->given.item[i]), STR("restart")))
            list[n++] = word_of(arena, past->given.item[i]);
    for (size_t i = 0; i < options->given.count; i++)
        if (!option_is_named(str_of(options->given.item[i]), STR("resume")))
            list[n++] = word_of(arena, options->given.item[i]);
    snprintf(depth, 24, "%llu", (unsigned long long)past->depth);
    list[n++] = "--";
    list[n++] = options->argument[0];
    list[n++] = depth;
    *words = list;
    *count = n;
}

int state_words(const struct options *options, struct arena *arena,
                const char ***words, int *count)
{
    struct past past;
    int status = check_anew(options);

    if (status)
        return status;
    past_read(&past, options->argument[0]);
    if (past.error.status != STORE_OK)
        status = cannot_resume(options->argument[0], &past.error);
    else if (past_is_finished(&past) ||
             !(status = check_secrets(options, &past)))
        put_words(options, &past, arena, words, count);
    past_release(&past);
    return status;
}

void state_recall(const struct past *past, const char *dir_path,
                  struct arena *arena, const char ***words, int *count)
{
    const struct options nothing = {
        .argument = &dir_path,
        .argument_count = 1,
    };

    put_words(&nothing, past, arena, words, count);
}
