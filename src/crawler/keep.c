#include <errno.h>

#include "base/clock.h"
#include "crawler/crawler_thread.h"
#include "page/pagerecorder.h"

/* The archive: every exchange that came back with a head is kept. */

enum { FLUSH_EVERY_MS = 1000 };

static void fail_to_keep(struct crawler *crawler)
{
    if (!crawler->failed)
        fail_crawl(crawler,
                   "cannot write the archive in %s/" ARCHIVE_DIR ": %s",
                   crawler->options->dir_path, archivist_strerror(errno));
}

void fail_to_write(struct crawler *crawler, const struct store_error *error)
{
    int why = archivist_error(crawler->archivist);

    if (why) {
        errno = why;
        fail_to_keep(crawler);
    } else {
        fail_crawl(crawler, "cannot write the state in %s: %s",
                   crawler->options->record_label, error->text);
    }
}

/* A fetch that was abandoned will be made again. */
static void keep(struct crawler *crawler, const struct webpage *page)
{
    struct kept_rows rows;
    bool is_large = page->pair->spooled;

    if (crawler->failed || page->outcome == ABANDONED)
        return;
    if (!archivist_keep(crawler->archivist, page,
                        clock_wall_at(crawler->now_ms), &rows)) {
        fail_to_keep(crawler);
        return;
    }
    crawler->stats->captures++;
    crawler->stats->revisits += rows.capture.kind == CAPTURE_REVISIT;
    crawler->stats->captures_cut += page->pair->cut == WARC_CUT_BY_LENGTH;
    record_capture(crawler->record, &rows);
    if (is_large)
        record_at_once(crawler->record); /* so that its bytes are written */
}

void keep_exchange(struct crawler *crawler, struct webpage *page)
{
    crawler->stats->noarchive += page->noarchive;
    crawler->stats->noindex +=
        crawler->archivist && !page->noarchive && pagerecorder_is_noindex(page);
    if (page->pair)
        keep(crawler, page);
    webpage_drop_pair(page);
}

uint64_t archive_due_ms(const struct crawler *crawler)
{
    if (!crawler->archivist || crawler->record)
        return UINT64_MAX;
    return crawler->flushed_ms + FLUSH_EVERY_MS;
}

void flush_archive_if_due(struct crawler *crawler)
{
    if (crawler->failed || crawler->now_ms < archive_due_ms(crawler))
        return;
    crawler->flushed_ms = crawler->now_ms;
    if (!archivist_flush(crawler->archivist))
        fail_to_keep(crawler);
}

/* A crawl that was to replace another one, and saved no page, leaves nothing
 * behind. The last commit of a machine is the one with which it leaves its
 * fleet, and comes before this: a machine that is killed in between puts the
 * names right at its next start. */
void end_archive(struct crawler *crawler)
{
    struct store_error error;

    if (!crawler->archivist)
        return;
    if (crawler->options->fleet) {
        archivist_end(crawler->archivist, true);
        return;
    }
    if (crawler->options->replaces && !crawler->stats->saved) {
        archivist_discard(crawler->archivist);
        return;
    }
    if (!record_commit(crawler->record, crawler->stats, crawler->now_ms,
                       &error) &&
        !crawler->failed)
        fail_to_write(crawler, &error);
    archivist_end(crawler->archivist, crawler->record != NULL);
}
