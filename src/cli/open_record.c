#include "cli/open_record.h"

#include <errno.h>

#include "base/clock.h"
#include "cli/scope_text.h"
#include "cli/state.h"
#include "cli/usage.h"
#include "crawler/codes.h"

/* --- opening ------------------------------------------------------------ */

int record_fail(const struct open_record *open, const struct store_error *error)
{
    complain("cannot read the state in '%s': %s", open->label, error->text);
    return 1;
}

static int refuse_to_open(const struct open_record *open, const char *dir_path,
                          const struct store_error *error)
{
    switch (error->status) {
    case STORE_NONE:
        return complain("no crawl is recorded in '%s': %s is missing", dir_path,
                        open->label);
    case STORE_EMPTY:
        return complain("no crawl is recorded in '%s': %s is empty", dir_path,
                        open->label);
    case STORE_NOTE:
    case STORE_FOREIGN:
        return complain("no crawl is recorded in '%s': %s is %s", dir_path,
                        open->label, error->text);
    case STORE_NEWER:
        return complain("the state in '%s' was %s", open->label, error->text);
    default:
        return record_fail(open, error);
    }
}

int record_open(struct open_record *open, const char *dir_path)
{
    struct store_error error;

    *open = (struct open_record){.dir.fd = -1};
    arena_init(&open->arena);
    const char *name = store_name_in(dir_path, &open->arena);
    open->label = store_label(name, &open->arena);
    open->report.dir_path = dir_path;
    if (!pagedir_open_read(&open->dir, dir_path))
        return complain("pageDirectory '%s': %s", dir_path, strerror(errno));
    open->report.locked = pagedir_is_locked(&open->dir);
    open->store = store_open(name, STORE_READ, crawler_codes(), &error);
    return open->store ? 0 : refuse_to_open(open, dir_path, &error);
}

void record_close(struct open_record *open)
{
    report_release(&open->report);
    if (open->recalled) {
        plan_release(&open->plan);
        options_release(&open->options);
    }
    record_release(&open->record);
    store_close(open->store);
    if (open->dir.fd >= 0)
        pagedir_close(&open->dir);
    arena_release(&open->arena);
}

/* A crawl that ends says so before it gives its lock up, so the lock was looked
 * at first; one that begins takes the lock before it says anything. */
int record_read_facts(struct open_record *open)
{
    struct crawl_record *record = &open->record;

    record_read_from(record, open->store);
    if (record->error.status != STORE_OK)
        return record_fail(open, &record->error);
    if (record->facts.state == STATE_RUNNING && !open->report.locked)
        open->report.locked = pagedir_is_locked(&open->dir);
    return 0;
}

/* --- the rules of the crawl --------------------------------------------- */

static const char *secret_options(struct open_record *open)
{
    const struct list *given = &open->plan.record.given;
    struct buf text;

    buf_init(&text, 4096);
    for (size_t i = 0; i < given->count; i++)
        if (record_is_secret(given->item[i])) {
            struct str name = str_cut(str_of(given->item[i]), '=').head;
            buf_printf(&text, " --%.*s ...", (int)name.len, name.ptr);
        }
    if (open->plan.record.logins.count)
        buf_put(&text, STR(" --user ..."));
    const char *copy = arena_copy(&open->arena, buf_str(&text)).ptr;
    buf_release(&text);
    return copy;
}

static void fill_report(struct open_record *open)
{
    const struct plan *plan = &open->plan;
    struct report *report = &open->report;

    report->store = open->store;
    report->facts = &plan->record.facts;
    report->now_ms = clock_mono_ms();
    report->wall_ms = clock_wall_ms();
    report->scope = plan->scope;
    report->scope_text = scope_text(plan, &open->options, &open->arena);
    report->domains = plan->domains;
    report->max_depth = plan->crawl.max_depth;
    report->max_redirects = plan->crawl.max_redirects;
    report->frontier = plan->crawl.frontier;
    report->scan = plan->crawl.worker.scan;
    report->ask_again = secret_options(open);
}

/* The options as the record has them are parsed as if they were typed. */
int record_recall(struct open_record *open)
{
    const char *dir_path = open->report.dir_path;
    struct buf error;
    const char **words;
    int count, status = record_read_facts(open);

    if (status)
        return status;
    state_recall(&open->record, dir_path, &open->arena, &words, &count);
    buf_init(&error, 4096);
    if (!options_parse(&open->options, COMMAND_CRAWL, count,
                       (char *const *)words, &error))
        status = complain("the options of the crawl in '%s': %s", dir_path,
                          buf_cstr(&error));
    buf_release(&error);
    if (status) {
        options_release(&open->options);
        return 1;
    }
    open->options.remembered = true;
    open->recalled = true;
    status = plan_recall(&open->plan, &open->options, &open->record);
    if (!status)
        fill_report(open);
    return status ? 1 : 0;
}
