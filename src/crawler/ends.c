#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawler_thread.h"
#include "crawler/record_codes.h"
#include "crawler/retry.h"
#include "web/partition.h"

/* Counts how URLs end (store/codes.h) while the crawl runs, tells the record,
 * and notes why there is no page yet. */

/* --- partitions of a fleet ---------------------------------------------- */

/* The part that the URLs of one partition have in the ends of the crawl. */
struct part_ends {
    uint64_t page[URL_ENDS], requisite[URL_ENDS];
};

void part_ends_init(struct crawler *crawler, uint32_t partitions)
{
    crawler->part_ends = mem_array(partitions, sizeof(*crawler->part_ends));
}

void part_ends_release(struct crawler *crawler)
{
    free(crawler->part_ends);
}

void part_ends_add(struct crawler *crawler, uint32_t part,
                   const struct stats *loaded)
{
    struct part_ends *ends = &crawler->part_ends[part];

    for (int end = 0; end < URL_ENDS; end++) {
        ends->page[end] += loaded->ends[end];
        ends->requisite[end] += loaded->requisite_ends[end];
        crawler->stats->ends[end] += loaded->ends[end];
        crawler->stats->requisite_ends[end] += loaded->requisite_ends[end];
    }
}

void part_ends_drop(struct crawler *crawler, uint32_t part)
{
    struct part_ends *ends = &crawler->part_ends[part];

    for (int end = 0; end < URL_ENDS; end++) {
        crawler->stats->ends[end] -= ends->page[end];
        crawler->stats->requisite_ends[end] -= ends->requisite[end];
    }
    *ends = (struct part_ends){0};
}

/* --- counting ------------------------------------------------------------ */

/* The URL with this number ends so, or (-1) does not any more. */
static void count(struct crawler *crawler, enum target_kind kind,
                  uint64_t number, enum url_end end, int change)
{
    bool is_page = kind == TARGET_PAGE;
    uint64_t step = (uint64_t)(int64_t)change;

    if (!is_page && kind != TARGET_REQUISITE)
        return;
    if (is_page)
        crawler->stats->ends[end] += step;
    else
        crawler->stats->requisite_ends[end] += step;
    if (!crawler->part_ends)
        return;
    struct part_ends *part = &crawler->part_ends[partition_of_number(number)];
    if (is_page)
        part->page[end] += step;
    else
        part->requisite[end] += step;
}

/* Counts a failure if it may pass. None of a crawl that takes its pages out of
 * an archive does: an archive always gives the same answer. */
static void count_failure(struct crawler *crawler, enum outcome outcome)
{
    crawler->stats->may_recover += !crawler->options->frontier.has_no_pauses &&
                                   retry_is_worthwhile(outcome);
}

static void count_end(struct crawler *crawler, enum target_kind kind,
                      uint64_t number, enum url_end from, enum url_end to)
{
    count(crawler, kind, number, from, -1);
    count(crawler, kind, number, to, 1);
}

/* Only for seeds and URLs that sitemaps list. A link or a requisite of a page
 * needs no reason: the page that has it was fetched and has its own. */
static void note_reason(struct crawler *crawler, const struct judged *judged,
                        enum outcome cause)
{
    const struct offer *offer = judged->offer;

    if (judged->verdict != ACCEPT && judged->verdict != DUPLICATE &&
        !offer->found && !offer->via && offer->kind != TARGET_REQUISITE)
        reasons_add_verdict(reasons_of(crawler), offer->url->href,
                            judged->verdict, cause, judged->line);
}

/* A URL of a host that was given up fails with the outcome that the host was
 * given up for. */
static void note_judged(void *user, const struct judged *judged)
{
    struct crawler *crawler = user;
    enum url_end end = verdict_end(judged->verdict);
    enum outcome cause = FETCHED;

    if (end == URL_FAILED) {
        cause = (enum outcome)frontier_last_outcome(crawler->validator.frontier,
                                                    judged->offer->url);
        count_failure(crawler, cause);
    }
    note_reason(crawler, judged, cause);
    count(crawler, judged->offer->kind, judged->number, end, 1);
    if (judged->offer->kind == TARGET_PAGE && end == URL_FAILED)
        crawler->stats->outcome[cause]++;
    record_judged(crawler->record, judged);
}

static void withdraw(struct crawler *crawler, enum target_kind kind,
                     enum url_end end, uint64_t number)
{
    count_end(crawler, kind, number, end, URL_NONE);
    record_withdrawal(crawler->record, number, crawler->now_ms);
}

static void note_withdrawn(void *user, enum target_kind kind, uint64_t number)
{
    withdraw(user, kind, URL_REFUSED, number);
}

void note_failure_withdrawn(struct crawler *crawler, enum target_kind kind,
                            uint64_t number, enum outcome outcome)
{
    crawler->stats->may_recover--;
    if (kind == TARGET_PAGE && outcome != FETCHED &&
        crawler->stats->outcome[outcome]) {
        crawler->stats->outcome[outcome]--;
        crawler->stats->has_withdrawn = true;
    }
    withdraw(crawler, kind, URL_FAILED, number);
}

void note_read_withdrawn(struct crawler *crawler, uint64_t number,
                         enum outcome outcome)
{
    if (crawler->stats->outcome[outcome])
        crawler->stats->outcome[outcome]--;
    crawler->stats->has_withdrawn = true;
    withdraw(crawler, TARGET_PAGE, outcome_end(outcome), number);
}

void listen_to_validator(struct crawler *crawler)
{
    crawler->validator.listener = (struct validator_listener){
        .user = crawler,
        .judged = note_judged,
        .withdrawn = note_withdrawn,
        .outside = true,
    };
}

void note_refused(struct crawler *crawler, const struct target *target)
{
    enum verdict verdict = (enum verdict)target->verdict;
    enum url_end end = verdict_end(verdict);

    if (target->kind != TARGET_REQUISITE)
        reasons_add_verdict(reasons_of(crawler), target_url(target), verdict,
                            (enum outcome)target->last_outcome,
                            target->robots_line);
    if (end == URL_FAILED)
        count_failure(crawler, (enum outcome)target->last_outcome);
    count_end(crawler, (enum target_kind)target->kind, target->number,
              URL_QUEUED, end);
    if (target->kind == TARGET_PAGE) {
        if (end == URL_FAILED)
            crawler->stats->outcome[target->last_outcome]++;
        else
            crawler->stats->late.verdict[verdict]++;
    }
    record_refusal(crawler->record, target, crawler->now_ms);
    if (target->kind == TARGET_PAGE)
        canonical_ended(crawler, target, false, false);
}

void note_fetched(struct crawler *crawler, const struct job *job,
                  uint32_t page_id, uint64_t pause_ms)
{
    count_failure(crawler, job->page.outcome);
    note_settled(crawler, job);
    count_end(crawler, (enum target_kind)job->target->kind, job->target->number,
              URL_QUEUED, outcome_end(job->page.outcome));
    record_fetch(crawler->record, job, page_id, 0, pause_ms);
}
