/* The resolver, with the playground's name server in this program. */
#include <arpa/inet.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "crawler/resolver.h"
#include "names/dns.h"
#include "support/tempdir.h"
#include "testserver/dns.h"

enum { WAIT_MS = 60 * 1000 };

struct fixture {
    struct tempdir dir;
    struct dns_server *server;
    struct trusted_origins origins;
    struct mailbox results;
    struct resolver *resolver;
    char servers[32], hosts[100];
    size_t dropped;
};

static void set_up(struct fixture *fixture, const char *names)
{
    char path[100], record[100], problem[DNS_PROBLEM] = "";
    struct dns_options options = {
        .names = path,
        .record = record,
        .listen = "127.0.0.1:80",
    };

    *fixture = (struct fixture){0};
    tempdir_make(&fixture->dir);
    tempdir_write(&fixture->dir, "names", str_of(names));
    tempdir_write(&fixture->dir, "hosts", STR("192.0.2.7 in.hosts\n"));
    snprintf(path, sizeof(path), "%s/names", fixture->dir.path);
    snprintf(record, sizeof(record), "%s/record", fixture->dir.path);
    snprintf(fixture->hosts, sizeof(fixture->hosts), "%s/hosts",
             fixture->dir.path);
    fixture->server = dns_server_start(&options, problem);
    if (!fixture->server)
        fail_msg("%s", problem);
    snprintf(fixture->servers, sizeof(fixture->servers), "127.0.0.1:%u",
             dns_server_port(fixture->server));
    origins_init(&fixture->origins);
    assert_true(mailbox_init(&fixture->results));
    fixture->resolver = resolver_start(
        &(struct resolver_options){
            .origins = &fixture->origins,
            .dns_servers = fixture->servers,
            .hosts_file = fixture->hosts,
            .hash_seed = 7,
        },
        &fixture->results);
}

static void drop(void *user, struct target *target)
{
    struct fixture *fixture = user;

    fixture->dropped++;
    free(target);
}

static void tear_down(struct fixture *fixture)
{
    resolver_free(fixture->resolver, drop, fixture);
    dns_server_stop(fixture->server);
    mailbox_release(&fixture->results);
    origins_release(&fixture->origins);
    tempdir_remove(&fixture->dir);
}

static void ask(struct fixture *fixture, const char *host, unsigned turn,
                bool tried_before)
{
    char url[400];
    int len = snprintf(url, sizeof(url), "http://%s/", host);
    struct target *target = mem_new(sizeof(*target) + (size_t)len + 1);
    struct job *job = NEW(struct job);

    target->url_len = (uint16_t)len;
    memcpy(target->url, url, (size_t)len);
    webpage_init(&job->page);
    job->target = target;
    job->address_turn = turn;
    job->tried_before = tried_before;
    resolver_ask(fixture->resolver, job);
}

/* The next answer as text: an address, "unknown" or "failed". */
static const char *take(struct fixture *fixture, struct message **rest)
{
    static char text[INET6_ADDRSTRLEN];
    struct pollfd poll_fd = {fixture->results.fd, POLLIN, 0};

    while (!*rest) {
        if (poll(&poll_fd, 1, WAIT_MS) != 1)
            fail_msg("no answer");
        *rest = mailbox_take(&fixture->results);
    }

    struct job *job = container_of(*rest, struct job, message);
    *rest = (*rest)->next;
    snprintf(text, sizeof(text), "%s",
             job->name_servers_failed ? "failed" : "unknown");
    if (job->address_found)
        inet_ntop(AF_INET6, job->ip.byte, text, sizeof(text));
    webpage_release(&job->page);
    free(job->target);
    free(job);
    return text;
}

static unsigned queries(const struct fixture *fixture, const char *name,
                        const char *type)
{
    struct buf record;
    unsigned count = 0;
    char row[100];

    buf_init(&record, 1 << 20);
    assert_true(tempdir_read(&fixture->dir, "record", &record));
    snprintf(row, sizeof(row), "\t%s\t%s\t", name, type);
    for (const char *at = buf_cstr(&record); (at = strstr(at, row)); at++)
        count++;
    buf_release(&record);
    return count;
}

static const char names[] = "two.example\n"
                            "    address 192.0.2.1\n"
                            "    address 192.0.2.2\n"
                            "alias.example\n"
                            "    cname two.example\n"
                            "gone.example\n"
                            "    error nxdomain\n"
                            "broken.example\n"
                            "    error servfail\n"
                            "comes.example\n"
                            "    error nxdomain\n"
                            "    times 1\n"
                            "comes.example\n"
                            "    address 192.0.2.3\n"
                            "busy.example\n"
                            "    error refused\n"
                            "    times 3\n"
                            "busy.example\n"
                            "    address 192.0.2.4\n"
                            "half.example\n"
                            "    error servfail\n"
                            "    type A\n"
                            "half.example\n"
                            "    address 192.0.2.5\n"
                            "silent.example\n"
                            "    drop\n";

static void names_of_all_kinds(void **state)
{
    static const struct {
        const char *host;
        unsigned turn;
        bool tried_before;
        const char *answer;
    } rows[] = {
        {"192.0.2.9", 0, false, "::ffff:192.0.2.9"},
        {"[2001:db8::9]", 3, false, "2001:db8::9"},
        {"localhost", 0, false, "::ffff:127.0.0.1"},
        {"localhost", 1, false, "::1"},
        {"a.localhost", 2, false, "::ffff:127.0.0.1"},
        {"in.hosts", 0, false, "::ffff:192.0.2.7"},
        {"two.example", 0, false, "::ffff:192.0.2.1"},
        {"two.example", 1, false, "::ffff:192.0.2.2"},
        {"TWO.example.", 2, true, "::ffff:192.0.2.1"},
        {"alias.example", 1, false, "::ffff:192.0.2.2"},
        {"other.example", 0, false, "::ffff:127.0.0.1"},
        {"gone.example", 0, false, "unknown"},
        {"broken.example", 0, false, "failed"},
        {"busy.example", 0, false, "::ffff:192.0.2.4"},
        /* It has no IPv6 address, and nobody knows its others. */
        {"half.example", 0, false, "failed"},
        {"comes.example", 0, false, "unknown"},
        {"comes.example", 0, false, "unknown"}, /* it is remembered */
        {"comes.example", 0, true, "::ffff:192.0.2.3"},
        {"comes.example", 0, false, "::ffff:192.0.2.3"},
        {"a..example", 0, false, "unknown"},
    };
    struct fixture fixture;

    (void)state;
    set_up(&fixture, names);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct message *rest = NULL;

        ask(&fixture, rows[i].host, rows[i].turn, rows[i].tried_before);
        const char *got = take(&fixture, &rest);
        if (strcmp(got, rows[i].answer) != 0)
            fail_msg("%s, turn %u: %s", rows[i].host, rows[i].turn, got);
        assert_null(rest);
    }
    assert_int_equal(queries(&fixture, "two.example", "A"), 1);
    assert_int_equal(queries(&fixture, "comes.example", "A"), 2);
    assert_int_equal(queries(&fixture, "busy.example", "A"), 4);
    assert_int_equal(queries(&fixture, "in.hosts", "A"), 0);
    assert_int_equal(queries(&fixture, "localhost", "A"), 0);
    tear_down(&fixture);
    assert_int_equal(fixture.dropped, 0);
}

static void a_name_asked_for_many_times_is_one_query(void **state)
{
    enum { COUNT = 100 };
    struct fixture fixture;
    struct message *rest = NULL;
    unsigned ends[2] = {0};

    (void)state;
    set_up(&fixture, "slow.example\n"
                     "    address 192.0.2.1\n"
                     "    address 192.0.2.2\n"
                     "    delay 200ms\n");
    for (unsigned i = 0; i < COUNT; i++)
        ask(&fixture, "slow.example", i, false);
    for (unsigned i = 0; i < COUNT; i++) {
        const char *got = take(&fixture, &rest);
        ends[strcmp(got, "::ffff:192.0.2.1") == 0]++;
    }
    assert_int_equal(ends[0], COUNT / 2);
    assert_int_equal(ends[1], COUNT / 2);
    assert_int_equal(queries(&fixture, "slow.example", "A"), 1);
    tear_down(&fixture);
}

/* A thousand names at once, more than a channel takes. */
static void many_names_at_once(void **state)
{
    enum { COUNT = 1000 };
    struct fixture fixture;
    struct message *rest = NULL;
    char host[32];

    (void)state;
    set_up(&fixture, "*.big\n"
                     "    address 192.0.2.1\n"
                     "    delay 50ms\n");
    for (unsigned i = 0; i < COUNT; i++) {
        snprintf(host, sizeof(host), "h%u.big", i);
        ask(&fixture, host, 0, false);
    }
    for (unsigned i = 0; i < COUNT; i++)
        assert_string_equal(take(&fixture, &rest), "::ffff:192.0.2.1");
    tear_down(&fixture);
    assert_int_equal(fixture.dropped, 0);
}

/* There are name servers that answer nothing to a question for IPv6. */
static void a_kind_of_address_that_is_never_answered(void **state)
{
    struct fixture fixture;
    struct message *rest = NULL;

    (void)state;
    if (!dns_has_ipv6()) {
        print_message("skipped: no route for IPv6\n");
        skip();
    }
    set_up(&fixture, "half.example\n"
                     "    drop\n"
                     "    type AAAA\n"
                     "half.example\n"
                     "    address 192.0.2.1\n");
    /* So it is known what an answer takes, and when the other is late. */
    ask(&fixture, "usual.example", 0, false);
    assert_string_equal(take(&fixture, &rest), "::ffff:127.0.0.1");
    ask(&fixture, "half.example", 0, false);
    assert_string_equal(take(&fixture, &rest), "::ffff:192.0.2.1");
    /* It was not waited for until it had failed for good. */
    assert_in_range(queries(&fixture, "half.example", "AAAA"), 1, 2);
    tear_down(&fixture);
}

static void an_end_with_questions_open(void **state)
{
    struct fixture fixture;

    (void)state;
    set_up(&fixture, names);
    for (unsigned i = 0; i < 10; i++)
        ask(&fixture, "silent.example", i, false);
    for (unsigned i = 0; i < 300; i++) {
        ask(&fixture, i % 2 ? "silent.example" : "gone.example.silent.example",
            0, false);
    }
    resolver_free(fixture.resolver, drop, &fixture);
    fixture.resolver = NULL;
    /* Some have been answered before the end. */
    size_t answered = 0;
    for (struct message *rest = mailbox_take(&fixture.results); rest;
         answered++)
        take(&fixture, &rest);
    assert_int_equal(fixture.dropped + answered, 310);
    assert_in_range(fixture.dropped, 160, 310);
    tear_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_all_kinds),
        cmocka_unit_test(a_name_asked_for_many_times_is_one_query),
        cmocka_unit_test(many_names_at_once),
        cmocka_unit_test(a_kind_of_address_that_is_never_answered),
        cmocka_unit_test(an_end_with_questions_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
