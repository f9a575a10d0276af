#include "cli/open_record.h"

#include <errno.h>

#include "base/clock.h"
#include "cli/scope_text.h"
#include "cli/state.h"
#include "cli/usage.h"
#include "crawler/codes.h"

/* --- opening ------------------------------------------------------------ */

int record_fail(const struct open_record *record,
                const struct store_error *error)
{
    complain("cannot read the state in '%s': %s", record->label, error->text);
    return 1;
}

static int refuse_to_open(const struct open_record *record,
                          const char *dir_path, const struct store_error *error)
{
    switch (error->status) {
    case STORE_NONE:
        return complain("no crawl is recorded in '%s': %s is missing", dir_path,
                        record->label);
    case STORE_EMPTY:
        return complain("no crawl is recorded in '%s': %s is empty", dir_path,
                        record->label);
    case STORE_NOTE:
    case STORE_FOREIGN:
        return complain("no crawl is recorded in '%s': %s is %s", dir_path,
                        record->label, error->text);
    case STORE_NEWER:
        return complain("the state in '%s' was %s", record->label, error->text);
    default:
        return record_fail(record, error);
    }
}

int record_open(struct open_record *record, const char *dir_path)
{
    struct store_error error;

    *record = (struct open_record){.dir.fd = -1};
    arena_init(&record->arena);
    const char *name = store_name_in(dir_path, &record->arena);
    record->label = store_label(name, &record->arena);
    record->report.dir_path = dir_path;
    if (!pagedir_open_read(&record->dir, dir_path))
        return complain("pageDirectory '%s': %s", dir_path, strerror(errno));
    record->report.locked = pagedir_is_locked(&record->dir);
    record->store = store_open(name, STORE_READ, crawler_codes(), &error);
    return record->store ? 0 : refuse_to_open(record, dir_path, &error);
}

void record_close(struct open_record *record)
{
    report_release(&record->report);
    if (record->recalled) {
        plan_release(&record->plan);
        options_release(&record->options);
    }
    past_release(&record->past);
    store_close(record->store);
    if (record->dir.fd >= 0)
        pagedir_close(&record->dir);
    arena_release(&record->arena);
}

/* A crawl that ends says so before it gives its lock up, so the lock was looked
 * at first; one that begins takes the lock before it says anything. */
int record_read_facts(struct open_record *record)
{
    struct past *past = &record->past;

    past_read_from(past, record->store);
    if (past->error.status != STORE_OK)
        return record_fail(record, &past->error);
    if (past->facts.state == STATE_RUNNING && !record->report.locked)
        record->report.locked = pagedir_is_locked(&record->dir);
    return 0;
}

/* --- the rules of the crawl --------------------------------------------- */

static const char *secret_options(struct open_record *record)
{
    const struct list *given = &record->plan.past.given;
    struct buf text;

    buf_init(&text, 4096);
    for (size_t i = 0; i < given->count; i++)
        if (past_is_secret(given->item[i])) {
            struct str name = str_cut(str_of(given->item[i]), '=').head;
            buf_printf(&text, " --%.*s ...", (int)name.len, name.ptr);
        }
    if (record->plan.past.logins.count)
        buf_put(&text, STR(" --user ..."));
    const char *copy = arena_copy(&record->arena, buf_str(&text)).ptr;
    buf_release(&text);
    return copy;
}

static void fill_report(struct open_record *record)
{
    const struct plan *plan = &record->plan;
    struct report *report = &record->report;

    report->store = record->store;
    report->facts = &plan->past.facts;
    report->now_ms = clock_mono_ms();
    report->wall_ms = clock_wall_ms();
    report->scope = plan->scope;
    report->scope_text = scope_text(plan, &record->options, &record->arena);
    report->domains = plan->domains;
    report->max_depth = plan->crawl.max_depth;
    report->max_redirects = plan->crawl.max_redirects;
    report->frontier = plan->crawl.frontier;
    report->scan = plan->crawl.hand.scan;
    report->ask_again = secret_options(record);
}

/* The options as the record has them are parsed as if they were typed. */
int record_recall(struct open_record *record)
{
    const char *dir_path = record->report.dir_path;
    struct buf error;
    const char **words;
    int count, status = record_read_facts(record);

    if (status)
        return status;
    state_recall(&record->past, dir_path, &record->arena, &words, &count);
    buf_init(&error, 4096);
    if (!options_parse(&record->options, COMMAND_CRAWL, count,
                       (char *const *)words, &error))
        status = complain("the options of the crawl in '%s': %s", dir_path,
                          buf_cstr(&error));
    buf_release(&error);
    if (status) {
        options_release(&record->options);
        return 1;
    }
    record->options.remembered = true;
    record->recalled = true;
    status = plan_recall(&record->plan, &record->options, &record->past);
    if (!status)
        fill_report(record);
    return status ? 1 : 0;
}
