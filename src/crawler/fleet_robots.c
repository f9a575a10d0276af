#include "crawler/fleet_robots.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crawler/crawler_thread.h"

static_assert(0 + ROBOTS_SIZE_MAX <= MAIL_TEXT_MAX, "every robots.txt fits");

#define EPOCH_UNKNOWN UINT32_MAX

struct question {
    struct question *next;
    uint32_t part;       /* of the URL */
    uint32_t epoch;      /* of that, when it was asked last */
    uint32_t asker_part; /* of the host whose rules they will be */
    uint8_t redirects;
    size_t asker_len;
    char text[]; /* the asker's robots.txt, then the URL, each with a NUL */
};

struct fleet_robots {
    struct outbox *outbox;
    struct question *asked;  /* by us */
    struct question *guests; /* of us */
};

static const char *url_of(const struct question *question)
{
    return question->text + question->asker_len + 1;
}

static struct question *add(struct question **list, uint32_t part,
                            uint32_t asker_part, struct str asker,
                            struct str url)
{
    struct question *question =
        mem_checked(malloc(sizeof(*question) + asker.len + url.len + 2));

    *question = (struct question){
        .next = *list,
        .part = part,
        .epoch = EPOCH_UNKNOWN,
        .asker_part = asker_part,
        .asker_len = asker.len,
    };
    memcpy(question->text, asker.ptr, asker.len);
    question->text[asker.len] = '\0';
    memcpy(question->text + asker.len + 1, url.ptr, url.len);
    question->text[asker.len + 1 + url.len] = '\0';
    return *list = question;
}

/* Where the question on behalf of this asker is linked, or NULL. */
static struct question **find(struct question **list, struct str asker)
{
    while (*list && !str_eq(str_of((*list)->text), asker))
        list = &(*list)->next;
    return *list ? list : NULL;
}

static void take_out(struct question **at)
{
    struct question *question = *at;

    *at = question->next;
    free(question);
}

struct fleet_robots *fleet_robots_new(struct outbox *outbox)
{
    struct fleet_robots *robots = NEW(struct fleet_robots);

    robots->outbox = outbox;
    return robots;
}

void fleet_robots_free(struct fleet_robots *robots)
{
    while (robots->asked)
        take_out(&robots->asked);
    while (robots->guests)
        take_out(&robots->guests);
    free(robots);
}

static uint32_t part_of(const struct crawler *crawler, const struct url *url)
{
    return frontier_part_of(crawler->validator.frontier, url, (struct str){0});
}

/* "https://example.org/robots.txt" of the host whose rules a step brings. */
static struct str asker_of(const struct target *step, struct arena *arena)
{
    struct buf text;

    buf_init(&text, URL_LEN_MAX + 32);
    buf_printf(&text, "%s://%.*s/robots.txt",
               frontier_robots_is_https(step) ? "https" : "http",
               STR_ARGS(frontier_robots_host(step)));
    struct str asker = arena_copy(arena, buf_str(&text));
    buf_release(&text);
    return asker;
}

/* --- the machine that asks ------------------------------------------------ */

static void ask(struct fleet_robots *robots, const struct question *question)
{
    const struct mail_entry entry = {
        .kind = MAIL_ROBOTS_ASKED,
        .asker = str_of(question->text),
        .url = str_of(url_of(question)),
    };

    outbox_put_robots(robots->outbox, question->part, &entry);
}

bool fleet_robots_follow(struct fleet_robots *robots, struct crawler *crawler,
                         struct target *from, const struct url *url,
                         uint64_t ended_ms)
{
    struct frontier *frontier = crawler->validator.frontier;
    struct arena arena;

    if (from->redirects >= ROBOTS_REDIRECTS_MAX)
        return false;
    arena_init(&arena);
    struct question *question = add(&robots->asked, part_of(crawler, url),
                                    frontier_robots_part(frontier, from),
                                    asker_of(from, &arena), url->href);
    question->redirects = (uint8_t)(from->redirects + 1);
    ask(robots, question);
    frontier_robots_elsewhere(frontier, from, ended_ms);
    arena_release(&arena);
    return true;
}

/* The page as it would be if it had been fetched here, just now. */
static void fill_page(struct crawler *crawler, struct job *job,
                      const struct mail_entry *entry, struct page_link *moved)
{
    struct webpage *page = &job->page;
    const struct url url = target_url_parts(job->target);

    webpage_ask_parsed(page, &url, 0, false);
    page->kind = WEBPAGE_ROBOTS;
    page->outcome = (enum outcome)entry->outcome;
    page->exchange.status = (int)entry->status;
    page->exchange.retry_after_ms = entry->retry_after_ms;
    page->exchange.end_ms = crawler->now_ms;
    if (page->outcome == FETCHED && entry->text.ptr) {
        page->robots_text = entry->text;
        job->robots =
            robots_new(entry->text, crawler->options->worker.robots_agent);
    } else if (page->outcome == REDIRECTED &&
               !url_parse(&moved->url, &page->arena, entry->text, NULL, NULL)) {
        page->links = (struct page_links){.link = moved, .count = 1};
    }
}

static void take_answer(struct fleet_robots *robots, struct crawler *crawler,
                        const struct mail_entry *entry)
{
    struct question **at = find(&robots->asked, entry->asker);
    struct frontier *frontier = crawler->validator.frontier;
    struct job job = {.is_told = true};
    struct page_link moved = {0};
    struct url asker, url;

    if (!at || !str_eq(str_of(url_of(*at)), entry->url) ||
        entry->outcome >= OUTCOMES)
        return;
    webpage_init(&job.page);
    if (!url_parse(&asker, &job.page.arena, entry->asker, NULL, NULL) &&
        !url_parse(&url, &job.page.arena, entry->url, NULL, NULL))
        job.target =
            frontier_robots_told(frontier, &asker, &url, (*at)->redirects);
    take_out(at);
    if (job.target) {
        fill_page(crawler, &job, entry, &moved);
        judge_robots(crawler, &job);
    }
    webpage_release(&job.page);
}

/* --- the machine that is asked ---------------------------------------------
 */

static void tell(struct fleet_robots *robots, struct question **at,
                 const struct mail_entry *answer)
{
    struct mail_entry entry = *answer;

    entry.kind = MAIL_ROBOTS_TOLD;
    entry.asker = str_of((*at)->text);
    entry.url = str_of(url_of(*at));
    outbox_put_robots(robots->outbox, (*at)->asker_part, &entry);
    take_out(at);
}

/* Was it us who asked? The URL is ours by now. */
static bool answer_oneself(struct fleet_robots *robots, struct crawler *crawler,
                           const struct url *asker, const struct url *url)
{
    struct frontier *frontier = crawler->validator.frontier;
    struct question **at = find(&robots->asked, asker->href);

    if (!at || !str_eq(str_of(url_of(*at)), url->href))
        return false;
    struct target *target = frontier_robots_told(
        frontier, asker, url, (uint8_t)((*at)->redirects - 1));
    if (target)
        frontier_robots_moved(frontier, target, url, crawler->now_ms);
    take_out(at);
    return true;
}

/* Begin, if nothing is under way for that guest. False if it was answered, and
 * taken out. */
static bool begin(struct fleet_robots *robots, struct crawler *crawler,
                  struct question **at)
{
    struct mail_entry answer = {0};
    struct url asker, url;
    struct arena arena;
    bool waits = false;

    arena_init(&arena);
    if (url_parse(&asker, &arena, str_of((*at)->text), NULL, NULL) ||
        url_parse(&url, &arena, str_of(url_of(*at)), NULL, NULL) ||
        answer_oneself(robots, crawler, &asker, &url))
        take_out(at);
    else if (frontier_robots_asked(crawler->validator.frontier, &asker, &url,
                                   &answer.outcome) == ROBOTS_ASKED_IN_VAIN)
        tell(robots, at, &answer);
    else
        waits = true;
    arena_release(&arena);
    return waits;
}

static void take_question(struct fleet_robots *robots, struct crawler *crawler,
                          uint32_t part, const struct mail_entry *entry)
{
    struct arena arena;
    struct url asker;

    if (find(&robots->guests, entry->asker))
        return;
    arena_init(&arena);
    if (!url_parse(&asker, &arena, entry->asker, NULL, NULL)) {
        add(&robots->guests, part, part_of(crawler, &asker), entry->asker,
            entry->url);
        begin(robots, crawler, &robots->guests);
    }
    arena_release(&arena);
}

void fleet_robots_answer(struct fleet_robots *robots, const struct job *job)
{
    const struct webpage *page = &job->page;
    struct mail_entry answer = {
        .outcome = (uint8_t)page->outcome,
        .status = (uint32_t)page->exchange.status,
        .retry_after_ms = page->exchange.retry_after_ms < UINT32_MAX
                              ? page->exchange.retry_after_ms
                              : UINT32_MAX,
    };
    struct arena arena;

    arena_init(&arena);
    struct question **at = find(&robots->guests, asker_of(job->target, &arena));
    if (job->robots)
        answer.text = str_first(page->robots_text, ROBOTS_SIZE_MAX);
    else if (page->outcome == REDIRECTED && page->links.count)
        answer.text = page->links.link[0].url.href;
    if (at)
        tell(robots, at, &answer);
    arena_release(&arena);
}

/* --- both ------------------------------------------------------------------
 */

void fleet_robots_take(struct fleet_robots *robots, struct crawler *crawler,
                       uint32_t part, const struct mail_entry *entry)
{
    if (entry->kind == MAIL_ROBOTS_ASKED)
        take_question(robots, crawler, part, entry);
    else
        take_answer(robots, crawler, entry);
}

void fleet_robots_look(struct fleet_robots *robots, struct crawler *crawler,
                       const struct fleet_part *part)
{
    for (struct question *at = robots->asked; at; at = at->next) {
        uint32_t epoch = part[at->part].epoch;
        if (at->epoch != EPOCH_UNKNOWN && at->epoch != epoch)
            ask(robots, at);
        at->epoch = epoch;
    }
    for (struct question **at = &robots->guests; *at;)
        if (begin(robots, crawler, at))
            at = &(*at)->next;
}

static void drop(struct question **list, uint32_t part, bool by_asker)
{
    while (*list)
        if ((by_asker ? (*list)->asker_part : (*list)->part) == part)
            take_out(list);
        else
            list = &(*list)->next;
}

void fleet_robots_drop(struct fleet_robots *robots, uint32_t part)
{
    drop(&robots->asked, part, true);
    drop(&robots->guests, part, false);
}
