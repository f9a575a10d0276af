#include "report/report.h"

#include "base/hash.h"
#include "report/words.h"

bool report_load(struct report *report)
{
    return report->loaded || report->load(report);
}

void *report_entry(struct hashtable *table, struct arena *arena,
                   struct str name, uint64_t seed, size_t size)
{
    uint64_t key = hash64(name, seed);
    void *entry = hashtable_get(table, key);

    if (!entry) {
        entry = arena_new(arena, size);
        *(struct str *)entry = arena_copy(arena, name);
        hashtable_put(table, key, entry);
    }
    return entry;
}

void report_put_resume(const struct report *report, struct buf *line)
{
    buf_put(line, STR("crawler --resume"));
    /* --max-pages counts the whole crawl: with the old limit it would stop at
     * once. */
    if (report->facts->state == STATE_MAX_PAGES)
        buf_put(line, STR(" --max-pages ..."));
    buf_printf(line, "%s ", report->secret_options);
    words_put_path(line, str_of(report->dir_path));
}

bool report_can_go_on(const struct report *report)
{
    return !facts_is_over(report->facts) &&
           (report->facts->state != STATE_RUNNING || !report->locked);
}
