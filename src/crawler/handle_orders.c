#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "crawler/crawler_thread.h"
#include "crawler/fleet.h"
#include "crawler/relax.h"
#include "frontier/by_hand.h"
#include "page/pagescanner.h"
#include "web/filter.h"
#include "web/url.h"

/* Orders of the user, while the crawl runs. */

struct carried_out {
    bool ok;
    struct str text; /* the host, pattern or URL as it is recorded */
    char says[VIEW_SAYS_MAX];
};

__attribute__((format(printf, 3, 4))) static void
say(struct carried_out *done, bool ok, const char *format, ...)
{
    va_list args;

    done->ok = ok;
    va_start(args, format);
    vsnprintf(done->says, sizeof(done->says), format, args);
    va_end(args);
}

/* --- the whole crawl --------------------------------------------------------
 */

/* Do what this many signals do: after 1 the fetches in flight are finished,
 * after 2 they are abandoned. */
static void stop_crawl(struct crawler *crawler, unsigned signals)
{
    if (crawler->signals < signals)
        crawler->signals = signals;
    if (crawler->signals > 1)
        workers_abandon(crawler->workers);
}

static void order_crawl(struct crawler *crawler, const struct view_order *order,
                        struct carried_out *done)
{
    switch (order->kind) {
    case ORDER_PAUSE:
        crawler->paused = true;
        say(done, true, "paused: no fetch starts until resume");
        break;
    case ORDER_RESUME:
        crawler->paused = false;
        say(done, true,
            fleet_is_paused(crawler->options->fleet)
                ? "the crawl goes on when the whole fleet does"
                : "the crawl goes on");
        break;
    case ORDER_STOP:
        stop_crawl(crawler, 1);
        say(done, true, "stopping: what is in flight is finished first");
        break;
    default:
        stop_crawl(crawler, 2);
        say(done, true, "stopping at once");
    }
}

/* --- hosts ------------------------------------------------------------------
 */

/* "example.org:8080" as a URL; false where it is something else. */
static bool parse_host(struct arena *arena, struct str text, struct url *url)
{
    char whole[ORDER_TEXT_MAX + 16];

    for (size_t i = 0; i < text.len; i++)
        if (strchr("/\\?#@ ", text.ptr[i]))
            return false;
    int len = snprintf(whole, sizeof(whole), "http://%.*s/", STR_ARGS(text));
    return !url_parse(url, arena, (struct str){whole, (size_t)len}, NULL, NULL);
}

static void set_delay(struct crawler *crawler, const struct url *url,
                      uint64_t delay_ms, struct carried_out *done)
{
    bool usual = delay_ms == ORDER_NO_DELAY;

    if (!frontier_set_delay(crawler->validator.frontier, url,
                            usual ? BY_HAND_NO_DELAY : delay_ms,
                            crawler->now_ms))
        say(done, false, "there are too many orders for hosts");
    else if (usual)
        say(done, true, "%.100s has its usual pause again", done->text.ptr);
    else
        say(done, true, "%.100s rests %.3g s after each fetch", done->text.ptr,
            (double)delay_ms / 1000);
}

static void set_dropped(struct crawler *crawler, const struct url *url,
                        bool dropped, struct carried_out *done)
{
    struct frontier *frontier = crawler->validator.frontier;

    if (!frontier_set_dropped(frontier, url, dropped, crawler->now_ms)) {
        say(done, false, "there are too many orders for hosts");
    } else if (dropped) {
        say(done, true, "%.100s is dropped: its URLs are refused",
            done->text.ptr);
    } else {
        frontier_forget_trouble(frontier, url, crawler->now_ms);
        say(done, true, "%.100s is asked again", done->text.ptr);
    }
}

static void order_host(struct crawler *crawler, const struct view_order *order,
                       struct arena *arena, struct carried_out *done)
{
    struct url url;

    if (!parse_host(arena, view_order_text(order), &url)) {
        say(done, false, "this is not the name of a host");
        return;
    }
    done->text = arena_copy(arena, url_host_port(&url));
    if (order->kind == ORDER_DELAY)
        set_delay(crawler, &url, order->delay_ms, done);
    else
        set_dropped(crawler, &url, order->kind == ORDER_DROP, done);
}

/* --- patterns and seeds -----------------------------------------------------
 */

static void order_pattern(struct crawler *crawler,
                          const struct view_order *order,
                          struct carried_out *done)
{
    bool allows = order->kind == ORDER_ALLOW;
    size_t at;
    const char *fault = filter_glob_fault(done->text, &at);

    if (fault)
        say(done, false, "the pattern is wrong: %s, at character %zu", fault,
            at + 1);
    else if (!frontier_add_pattern(crawler->validator.frontier, done->text,
                                   allows))
        say(done, false, "there are too many patterns");
    else
        say(done, true, "URLs that match are %s",
            allows ? "let through" : "refused");
}

static void order_seed(struct crawler *crawler, const struct view_order *order,
                       struct arena *arena, struct carried_out *done)
{
    struct page_link seed;
    struct login login;
    struct str rest;

    if (login_cut(arena, view_order_text(order), &rest, &login)) {
        say(done, false,
            "leave the name and password out of the URL: an order is recorded "
            "as it is");
        return;
    }
    if (pagescanner_link(&seed, arena, view_order_text(order), NULL, NULL,
                         &crawler->options->worker.scan)) {
        say(done, false, "this is not a URL of http or https");
        return;
    }
    const struct offer offer = {
        .url = &seed.url,
        .fingerprint = seed.fingerprint,
        .is_named = true,
    };
    done->text = seed.url.href;
    relax_learn_depths(crawler);
    uint64_t lowered = validator_lowered(&crawler->validator);
    enum verdict verdict =
        validator_offer(&crawler->validator, &offer, crawler->now_ms);
    if (verdict == ACCEPT)
        say(done, true, "the URL is queued");
    else if (verdict == ELSEWHERE)
        say(done, true, "the URL is %s", verdict_text(verdict));
    else if (validator_lowered(&crawler->validator) != lowered)
        say(done, true,
            "the URL was fetched before: what it links is followed from there");
    else
        say(done, false, "the URL is not queued: %s", verdict_text(verdict));
}

/* --- all of them ------------------------------------------------------------
 */

static void carry_out(struct crawler *crawler, const struct view_order *order,
                      struct arena *arena, struct carried_out *done)
{
    done->text = view_order_text(order);
    switch (order->kind) {
    case ORDER_DELAY:
    case ORDER_DROP:
    case ORDER_RETRY:
        order_host(crawler, order, arena, done);
        break;
    case ORDER_EXCLUDE:
    case ORDER_ALLOW:
        order_pattern(crawler, order, done);
        break;
    case ORDER_SEED:
        order_seed(crawler, order, arena, done);
        break;
    default:
        order_crawl(crawler, order, done);
    }
}

/* Each machine of a fleet has its own orders: tell the user that the others go
 * on as before. A seed goes to the machine that has its domain.
 */
static void say_reach(const struct crawler *crawler, enum view_order_kind kind,
                      struct carried_out *done)
{
    static const char *const command[ORDER_KINDS] = {
        [ORDER_PAUSE] = "pause",
        [ORDER_RESUME] = "continue",
        [ORDER_STOP] = "stop",
        [ORDER_STOP_NOW] = "stop",
    };
    const char *fleet = view_facts(crawler->options->view)->fleet;
    size_t len = strlen(done->says);

    if (!fleet || !done->ok || kind == ORDER_SEED)
        return;
    if (command[kind])
        snprintf(done->says + len, sizeof(done->says) - len,
                 " (this machine only; for the whole fleet: crawler %s %s)",
                 command[kind], fleet);
    else
        snprintf(done->says + len, sizeof(done->says) - len,
                 " (this machine only)");
}

static uint64_t keep(struct crawler *crawler, const struct view_order *order,
                     struct str text)
{
    bool usual =
        order->kind == ORDER_DELAY && order->delay_ms == ORDER_NO_DELAY;
    const struct store_hand_order row = {
        .number = crawler->rules.last_number + 1,
        .kind = (uint8_t)order->kind,
        .at_ms = clock_wall_at(crawler->now_ms),
        .text = text,
        .delay_ms = usual ? 0 : order->delay_ms,
        .usual = usual,
    };

    hand_rules_add(&crawler->rules, &row);
    record_order(crawler->record, &row);
    return row.number;
}

void end_old_pause(struct crawler *crawler)
{
    if (crawler->rules.is_paused)
        keep(crawler, &(struct view_order){.kind = ORDER_RESUME}, STR(""));
}

size_t take_orders(struct crawler *crawler,
                   struct order_answer answer[VIEW_ORDERS_MAX])
{
    struct view_order order;
    struct arena arena;
    size_t slot, count = 0;

    arena_init(&arena);
    while (count < VIEW_ORDERS_MAX &&
           view_take_order(crawler->options->view, &slot, &order)) {
        struct carried_out done = {.ok = false};
        struct order_answer *next = &answer[count++];
        carry_out(crawler, &order, &arena, &done);
        say_reach(crawler, order.kind, &done);
        next->slot = slot;
        next->ok = done.ok;
        next->number = done.ok ? keep(crawler, &order, done.text) : 0;
        memcpy(next->says, done.says, sizeof(next->says));
        arena_clear(&arena);
    }
    arena_release(&arena);
    return count;
}

void answer_orders(const struct crawler *crawler,
                   const struct order_answer answer[], size_t count)
{
    for (size_t i = 0; i < count; i++)
        view_answer(crawler->options->view, answer[i].slot, answer[i].ok,
                    answer[i].number, answer[i].says);
}
