#include "cli/plan.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/words.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"

void state_take_back(const struct plan *plan)
{
    if (plan->made_dir)
        rmdir(plan->made_dir);
}

/* What to do about a directory that is not there. */
static const char *missing_advice(const char *path)
{
    struct stat link;

    return lstat(path, &link) ? "; --create makes it"
                              : "; it is a link that leads nowhere";
}

int state_open_directory(struct plan *plan, const char *path)
{
    if (plan->options->create && !mkdir(path, 0777))
        plan->made_dir = path;
    else if (plan->options->create && errno != EEXIST)
        return complain("pageDirectory '%s' cannot be made: %s",
                        login_hide(&plan->arena, path), strerror(errno));
    if (!pagedir_open(&plan->dir, path)) {
        int why = errno;
        return complain("pageDirectory '%s' must be an existing directory "
                        "that can be written: %s%s",
                        login_hide(&plan->arena, path), strerror(why),
                        why == ENOENT ? missing_advice(path) : "");
    }
    if (!pagedir_lock(&plan->dir))
        return complain_failure("another crawl is at work in '%s'", path);
    plan->crawl.dir_path = path;
    plan->crawl.dir_fd = plan->dir.fd;
    return 0;
}

/* Is it the directory of that name in ours? */
static bool is_same_directory(const struct plan *plan, const char *path,
                              const char *name)
{
    struct stat there, here;

    return !stat(path, &there) && !fstatat(plan->dir.fd, name, &here, 0) &&
           here.st_dev == there.st_dev && here.st_ino == there.st_ino;
}

bool state_is_own_directory(const struct plan *plan, const char *path)
{
    return is_same_directory(plan, path, ".") ||
           is_same_directory(plan, path, ARCHIVE_DIR);
}

bool state_owns_file(struct plan *plan, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *directory =
        slash ? arena_copy(&plan->arena, str_between(path, name)).ptr : ".";

    return (pagedir_owns_name(name) &&
            is_same_directory(plan, directory, ".")) ||
           is_same_directory(plan, directory, ARCHIVE_DIR);
}

/* --- is it the same crawl? ---------------------------------------------- */

/* Only seeds that the user named count; a search is not made again. */
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

/* A difference from the recorded crawl, for people; NULL: there is none. */
const char *state_difference(struct plan *plan)
{
    const struct crawl_record *record = &plan->record;
    const struct list *now = &plan->options->given;
    const char *with = crawl_record_missing_option(&record->given, now);
    const char *without = crawl_record_missing_option(now, &record->given);
    uint64_t depth = record->facts.number[FACT_DEPTH];
    char *text = arena_new(&plan->arena, 400);

    if (with)
        snprintf(text, 400, "it was begun with --%.300s", with);
    else if (without)
        snprintf(text, 400, "it was begun without --%.300s", without);
    else if (!crawl_record_same_order(&record->given, now))
        return "it was begun with --include and --exclude in another order";
    else if (!has_same_seeds(plan, record))
        return "it was begun from other seeds";
    else if (depth != plan->crawl.max_depth)
        snprintf(text, 400, "it was begun with maxDepth %llu%s",
                 (unsigned long long)depth,
                 depth < plan->crawl.max_depth
                     ? ", and --resume --max-depth goes deeper"
                     : "");
    else
        return NULL;
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

/* Refuse numbered files: no recorded crawl can have written them. */
static int check_no_files(const struct plan *plan)
{
    uint32_t unknown = pagedir_unknown_file(&plan->dir, 0, false);

    if (!unknown)
        return 0;
    return complain(
        "pageDirectory '%s' has numbered files (%u) but no crawl is "
        "recorded that made them; use an empty directory",
        plan->crawl.dir_path, (unsigned)unknown);
}

/* Files that are going to be replaced must be pages: one of the user's own
 * would be lost. */
static int check_are_pages(const struct plan *plan, uint32_t first,
                           uint32_t last)
{
    uint32_t own = pagedir_not_page(&plan->dir, first, last);

    if (!own)
        return 0;
    return complain("file %u in '%s' is no page: it does not begin with a URL "
                    "and a depth; move it away first, or it would be replaced",
                    (unsigned)own, plan->crawl.dir_path);
}

static int cannot_read(struct plan *plan)
{
    return complain_failure("cannot read the state in '%s': %s", label(plan),
                            plan->record.error.text);
}

/* There is no record, or none that can be read. */
static int decide_without_record(struct plan *plan)
{
    const struct store_error *error = &plan->record.error;
    bool course = is_course_form(plan->options);

    plan->action = ACTION_START;
    if (plan->options->remembered)
        return cannot_read(plan); /* it could be read a moment ago */
    if (plan->record.facts.is_machine)
        return crawl_record_refuse_machine(
            &plan->record, plan->crawl.dir_path,
            "use another directory; " CRAWL_RECORD_GO_ON);
    switch (error->status) {
    /* Another program of the course marks its directory with an empty file, or
     * not at all: its pages are removed with the first page of this crawl. */
    case STORE_NONE:
    case STORE_EMPTY:
        if (!course)
            return check_no_files(plan);
        return check_are_pages(plan, 1, pagedir_last_in_row(&plan->dir));
    /* The same for one that marks it with a few words. */
    case STORE_NOTE:
        if (course)
            return check_are_pages(plan, 1, pagedir_last_in_row(&plan->dir));
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

/* The last page of the crawl, or of the one that it was replacing. */
static uint32_t last_known(const struct crawl_record *record)
{
    uint32_t old = (uint32_t)record->facts.number[FACT_OLD_PAGES];

    return old > crawl_record_pages(record) ? old : crawl_record_pages(record);
}

/* The pages of another crawl that this one is going to replace, or was
 * replacing when it stopped. */
static int check_old_pages(const struct plan *plan)
{
    uint32_t kept =
        plan->action == ACTION_RESUME ? crawl_record_pages(&plan->record) : 0;

    return check_are_pages(plan, kept + 1, last_known(&plan->record));
}

/* A file of somebody else must neither count as a page nor be replaced. */
static int check_files(const struct plan *plan)
{
    uint32_t unknown =
        pagedir_unknown_file(&plan->dir, last_known(&plan->record),
                             facts_is_unclean(&plan->record.facts));

    if (!unknown)
        return check_old_pages(plan);
    return complain("file %u in '%s' is not of the crawl that is recorded "
                    "there; move it away first",
                    (unsigned)unknown, plan->crawl.dir_path);
}

/* The crawl ended without a page: there is nothing to lose. */
static bool ended_without_page(const struct crawl_record *record)
{
    return facts_is_over(&record->facts) && !last_known(record);
}

/* A user who types the course form may not know of a crawl that was begun with
 * options, so it does not replace that one. */
static int refuse_to_replace(const struct plan *plan)
{
    const struct facts *facts = &plan->record.facts;
    const char *path = plan->crawl.dir_path;
    struct words pages = words_count(crawl_record_pages(&plan->record), "page");
    struct str seed = facts->seeds ? facts->seed[0].url : STR("a sitemap");

    if (facts_is_over(facts))
        return complain("'%s' holds another crawl, finished: %s from "
                        "%.*s; use another directory, or --restart to "
                        "replace it",
                        path, pages.text, STR_ARGS(seed));
    return complain("'%s' holds another crawl: %s so far from %.*s; "
                    "'crawler --resume %s' goes on with it, --restart "
                    "replaces it",
                    path, pages.text, STR_ARGS(seed), path);
}

/* The same command again goes on, or starts over if the crawl is finished. A
 * different one replaces a crawl that was begun in this form too. */
static int decide_course_form(struct plan *plan, const char *difference)
{
    const struct facts *facts = &plan->record.facts;
    /* Options that a --resume brought in are no part of the command. */
    bool own = facts->number[FACT_COURSE_FORM];

    if (!own && !ended_without_page(&plan->record))
        return refuse_to_replace(plan);
    plan->action = difference || facts_is_over(facts) || !own ? ACTION_START
                                                              : ACTION_RESUME;
    return check_old_pages(plan);
}

int state_check_proxy(const struct plan *plan)
{
    if (!plan->record.facts.number[FACT_ENV_PROXY] ||
        !fetching_lacks_env_proxy(plan))
        return 0;
    return complain("the crawl was begun with --proxy env and a proxy, but the "
                    "environment names none now: set http_proxy, https_proxy "
                    "or all_proxy, or go on without one by --proxy ''");
}

static int decide_with_record(struct plan *plan)
{
    const struct options *options = plan->options;
    const char *path = plan->crawl.dir_path;
    bool over = crawl_record_is_over(&plan->record, options);
    const char *why = options->remembered ? NULL : state_difference(plan);

    if (is_course_form(options))
        return decide_course_form(plan, why);
    plan->action = ACTION_START;
    if (options->restart)
        return check_files(plan);
    if (ended_without_page(&plan->record) && !options->remembered)
        return check_no_files(plan);
    if (why)
        return complain("the crawl in '%s' is another: %s; use another "
                        "directory, or --restart to start over",
                        path, why);
    if (options->state)
        return complain("the crawl in '%s' is recorded; --state none needs "
                        "--restart or another directory",
                        path);
    plan->action = over ? ACTION_NONE : ACTION_RESUME;
    if (over)
        return 0;
    int status = crawl_record_check_secrets(&plan->record, &options->given);
    if (!status)
        status = state_check_proxy(plan);
    return status ? status : check_files(plan);
}

int state_decide(struct plan *plan)
{
    plan->store_name = store_name_in(plan->crawl.dir_path, &plan->arena);
    crawl_record_read(&plan->record, plan->crawl.dir_path);
    if (plan->record.error.status != STORE_OK)
        return decide_without_record(plan);
    return decide_with_record(plan);
}

int state_open_finished(struct plan *plan, const char *path)
{
    int status = state_open_directory(plan, path);

    if (!status)
        status = state_decide(plan);
    if (!status && plan->action != ACTION_NONE)
        status = complain_failure("the crawl in '%s' was just started over",
                                  plan->crawl.dir_path);
    return status;
}

/* --- doing it ----------------------------------------------------------- */

void state_put_first_rows(struct plan *plan, struct store_batch *first)
{
    crawl_record_put_options(first, &plan->options->given, 0);
    crawl_record_put_logins(first, &plan->origins);
    facts_put_number(first, FACT_DEPTH, plan->crawl.max_depth);
    facts_put_number(first, FACT_ID, plan->id);
    facts_put_number(first, FACT_STARTED_MS, clock_wall_ms());
    facts_put_state(first, STATE_RUNNING);
    facts_put_text(first, FACT_PROGRAM, STR("crawler " CRAWLER_VERSION));
    facts_put_number(first, FACT_PER_HOST, plan->crawl.frontier.per_host);
    if (fetching_has_env_proxy(plan))
        facts_put_number(first, FACT_ENV_PROXY, 1);
    if (is_course_form(plan->options))
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

static struct store *create(struct plan *plan, enum store_start start,
                            struct store_error *error)
{
    struct store_batch first;

    store_batch_init(&first);
    state_put_first_rows(plan, &first);
    struct store *store =
        store_create(plan->store_name, crawler_codes(), &first, start, error);
    store_batch_release(&first);
    return store;
}

/* Options of what a run shows (-q, -v, --log) stay as they were when the crawl
 * was begun; all others are kept as they are now. */
static struct list options_to_keep(struct plan *plan)
{
    const struct list *now = &plan->options->given;
    const struct list *before = &plan->record.given;
    struct list kept = {
        .item = arena_new(&plan->arena, (now->count + before->count + 1) *
                                            sizeof(*kept.item)),
    };

    for (size_t i = 0; i < now->count; i++)
        if (!option_is_for_display(now->item[i]))
            kept.item[kept.count++] = now->item[i];
    for (size_t i = 0; i < before->count; i++)
        if (option_is_for_display(before->item[i]))
            kept.item[kept.count++] = before->item[i];
    return kept;
}

/* Keep what is new about the crawl; it is written when its record has been
 * read. */
void state_put_new_facts(struct plan *plan)
{
    const struct list kept = options_to_keep(plan);
    struct store_batch *facts = &plan->new_facts;

    facts_put_state(facts, STATE_RUNNING);
    crawl_record_put_options(facts, &kept, plan->record.given.count);
    crawl_record_put_logins(facts, &plan->origins);
    if (plan->crawl.frontier.per_host >
        plan->record.facts.number[FACT_PER_HOST])
        facts_put_number(facts, FACT_PER_HOST, plan->crawl.frontier.per_host);
    if (fetching_has_env_proxy(plan) !=
        plan->record.facts.number[FACT_ENV_PROXY])
        facts_put_number(facts, FACT_ENV_PROXY, fetching_has_env_proxy(plan));
    if (plan->crawl.keep_depths && plan->crawl.frontier.ranking == RANKING_BFS)
        facts_put_number(facts, FACT_KEEPS_DEPTHS, 1);
    if (plan->options->max_depth)
        facts_put_number(facts, FACT_DEPTH, plan->crawl.max_depth);
    for (size_t i = plan->seeds_before;
         i < plan->seed_count && plan->options->seed.count; i++)
        store_add_seed(facts, &(struct store_seed){
                                  .url = plan->seeds[i].url.href,
                                  .named = true,
                              });
    plan->crawl.new_facts = facts;
}

/* Is there a crawl in the directory that this one replaces? Its record and its
 * pages stay until the first page of this one is saved. */
static bool replaces_another(struct plan *plan)
{
    enum store_status status = plan->record.error.status;

    if (status == STORE_OK && ended_without_page(&plan->record))
        return false;
    if (status == STORE_OK)
        pagedir_begin_over(&plan->dir, last_known(&plan->record),
                           facts_is_unclean(&plan->record.facts));
    else if (status == STORE_NOTE || pagedir_unknown_file(&plan->dir, 0, false))
        pagedir_begin_over(&plan->dir, pagedir_last_in_row(&plan->dir), false);
    return plan->dir.holds_old;
}

static bool begin_new(struct plan *plan, struct store_error *error)
{
    bool aside = replaces_another(plan);
    bool good = true;

    if (plan->options->restart)
        archiving_note_old(plan);
    plan->crawl.replaces = aside;
    if (!plan->options->state) {
        plan->store = create(plan, aside ? STORE_ASIDE : STORE_AT_ONCE, error);
        good = plan->store != NULL;
    } else if (aside) {
        plan->crawl.emptied_record = plan->store_name;
    } else {
        good = store_leave_empty(plan->store_name, error);
    }
    if (good && !aside) /* the old crawl had no page */
        archive_remove_old(plan->dir.fd, plan->crawl.old_archive);
    return good;
}

static bool go_on(struct plan *plan, struct store_error *error)
{
    const struct facts *facts = &plan->record.facts;

    plan->dir.last_id = crawl_record_pages(&plan->record);
    plan->dir.old_last = (uint32_t)facts->number[FACT_OLD_PAGES];
    plan->crawl.resume_unclean = facts_is_unclean(facts);
    state_put_new_facts(plan);
    plan->store =
        store_open(plan->store_name, STORE_WRITE, crawler_codes(), error);
    return plan->store != NULL;
}

bool state_begin(struct plan *plan)
{
    struct store_error error;

    if (plan->options->fleet)
        return fleet_begin_crawl(plan);
    plan->crawl.resume = plan->action == ACTION_RESUME;
    bool good =
        plan->crawl.resume ? go_on(plan, &error) : begin_new(plan, &error);
    plan->crawl.store = plan->store;
    plan->crawl.record_label = label(plan);
    if (!good)
        complain("cannot %s the state in '%s': %s",
                 plan->crawl.resume ? "go on with" : "create", label(plan),
                 error.text);
    return good;
}
