#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "crawler/crawler_thread.h"

/* A crawl that nobody runs: enough of it to look for signals. */
struct fixture {
    struct crawl_options options;
    struct crawler crawler;
    struct domains *domains;
    unsigned asked;
};

static void count_asked(void *user, const struct crawl_progress *progress)
{
    struct fixture *fixture = user;

    assert_int_equal(progress->now_ms, fixture->crawler.now_ms);
    fixture->asked++;
}

/* Those that a crawl reads from signal_fd. */
static sigset_t crawl_signals(void)
{
    sigset_t signals;

    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGUSR1);
    return signals;
}

static void set_up(struct fixture *fixture, uint64_t now_ms)
{
    static struct stats stats;
    sigset_t signals = crawl_signals();

    *fixture = (struct fixture){.domains = domains_new()};
    fixture->options = (struct crawl_options){
        .signal_fd = signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC),
        .on_status_signal = count_asked,
        .user = fixture,
        .max_bytes = UINT64_MAX,
        .max_time_ms = UINT64_MAX,
        .frontier = {.per_host = 1, .domains = fixture->domains},
    };
    assert_true(fixture->options.signal_fd >= 0);
    fixture->crawler = (struct crawler){
        .options = &fixture->options,
        .stats = &stats,
        .start_ms = now_ms,
        .now_ms = now_ms,
        .signals_checked_ms = now_ms,
    };
    validator_init(&fixture->crawler.validator, NULL, 1,
                   &fixture->options.frontier);
}

static void tear_down(struct fixture *fixture)
{
    validator_release(&fixture->crawler.validator);
    domains_free(fixture->domains);
    close(fixture->options.signal_fd);
}

/* Pieces of work of so many ms each: a signal that came with the first one is
 * seen when 5 ms are over, or at the end of the piece that took longer. */
static void a_signal_is_seen_within_5_ms_of_short_pieces_of_work(void **state)
{
    static const struct {
        uint64_t piece_ms, seen_ms;
    } cases[] = {{1, 5}, {2, 6}, {3, 6}, {4, 8}, {5, 5}, {7, 7}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const uint64_t start_ms = 1000, piece_ms = cases[i].piece_ms;
        struct fixture fixture;
        uint64_t passed_ms = 0;

        set_up(&fixture, start_ms);
        raise(SIGTERM);
        while (!fixture.crawler.signals && passed_ms < 100) {
            passed_ms += piece_ms;
            check_time_and_signals(&fixture.crawler, start_ms + passed_ms);
            assert_int_equal(fixture.crawler.now_ms, start_ms + passed_ms);
        }
        assert_int_equal(passed_ms, cases[i].seen_ms);
        tear_down(&fixture);
    }
}

static void figures_are_told_in_the_middle_of_work(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, 1000);
    for (uint64_t now_ms = 1000; now_ms < 1050; now_ms++) {
        if (now_ms % 25 == 0)
            raise(SIGUSR1);
        check_time_and_signals(&fixture.crawler, now_ms);
    }
    assert_int_equal(fixture.asked, 2);
    assert_int_equal(fixture.crawler.signals, 0);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signal_is_seen_within_5_ms_of_short_pieces_of_work),
        cmocka_unit_test(figures_are_told_in_the_middle_of_work),
    };
    sigset_t signals = crawl_signals();

    /* Before any test: one that fails goes back to the mask of its beginning,
     * and its signal must not end the program. */
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
