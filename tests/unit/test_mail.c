#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "fleet/mail.h"
#include "frontier/target.h"

static void entries_come_back_as_they_were(void **state)
{
    static const struct mail_entry cases[] = {
        {.url = STR_INIT("http://a.example/")},
        {
            .url = STR_INIT("https://b.example/?q"),
            .depth = 127,
            .found = 128,
            .node = FLEET_MACHINES_MAX,
            .page = UINT32_MAX,
            .via = UINT64_MAX,
            .redirects = 255,
            .kind = TARGET_REQUISITE,
            .nesting = NESTING_LAST,
            .is_named = true,
        },
        {.url = STR_INIT(""), .found = UINT32_MAX, .kind = TARGET_SITEMAP},
        {
            .url = STR_INIT("http://c.example/robots.txt"),
            .kind = MAIL_ROBOTS_ASKED,
            .asker = STR_INIT("https://d.example:8080/robots.txt"),
        },
        {
            .url = STR_INIT("http://c.example/robots.txt"),
            .kind = MAIL_ROBOTS_TOLD,
            .asker = STR_INIT("https://d.example/robots.txt"),
            .outcome = 255,
            .status = 200,
            .retry_after_ms = UINT32_MAX,
            .text = STR_INIT("User-agent: *\n\0"),
        },
        /* There is no text, or it is empty. */
        {.url = STR_INIT("http://e.example/"), .kind = MAIL_ROBOTS_TOLD},
        {
            .url = STR_INIT("http://e.example/"),
            .kind = MAIL_ROBOTS_TOLD,
            .text = STR_INIT(""),
        },
    };
    struct mail_entry entry;
    struct buf payload;
    size_t at = 0;

    (void)state;
    buf_init(&payload, 1000);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        mail_write(&payload, &cases[i]);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        assert_true(mail_read(buf_str(&payload), &at, &entry));
        assert_true(str_eq(entry.url, cases[i].url));
        assert_int_equal(entry.depth, cases[i].depth);
        assert_int_equal(entry.found, cases[i].found);
        assert_int_equal(entry.node, cases[i].node);
        assert_int_equal(entry.page, cases[i].page);
        assert_int_equal(entry.via, cases[i].via);
        assert_int_equal(entry.redirects, cases[i].redirects);
        assert_int_equal(entry.kind, cases[i].kind);
        assert_int_equal(entry.nesting, cases[i].nesting);
        assert_int_equal(entry.is_named, cases[i].is_named);
        assert_true(str_eq(entry.asker, cases[i].asker));
        assert_int_equal(entry.outcome, cases[i].outcome);
        assert_int_equal(entry.status, cases[i].status);
        assert_int_equal(entry.retry_after_ms, cases[i].retry_after_ms);
        assert_true(str_eq(entry.text, cases[i].text));
        assert_int_equal(!entry.text.ptr, !cases[i].text.ptr);
    }
    assert_false(mail_read(buf_str(&payload), &at, &entry));
    assert_int_equal(at, payload.len);
    /* No beginning of it is read beyond its end. */
    for (size_t len = 0; len < payload.len; len++) {
        at = 0;
        while (mail_read((struct str){payload.ptr, len}, &at, &entry))
            assert_true(at <= len);
    }
    buf_release(&payload);
}

static void bytes_that_are_no_entry_are_refused(void **state)
{
    static const struct str cases[] = {
        STR_INIT("\3\0\0\0\0\0\0\0"), /* no such kind */
        STR_INIT("\6\0\0\0\0\0\0\0"),
        STR_INIT("\4\0\0\0\0\0\0\0"), /* nobody asks */
        STR_INIT("\4\0\0\0\0\0\0\0\1"),
        STR_INIT("\5\0\0\0\0\0\0\0\0"),            /* it does not say what */
        STR_INIT("\5\0\0\0\0\0\0\0\0\0\0\0\2\0"),  /* a text, or none? */
        STR_INIT("\5\0\0\0\0\0\0\0\0\0\0\0\0\1x"), /* a text that is none */
        STR_INIT("\5\0\0\0\0\0\0\0\0\0\0\0\1\x81\x80\x20"), /* too long */
        STR_INIT("\0"),
        STR_INIT("\0\0\0\0\0\0\0\5http"), /* the text is cut */
        STR_INIT("\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"),
        STR_INIT("\0\0\0\xff\7\0\0\0\0"),     /* too many redirects */
        STR_INIT("\0\0\0\0\x80\x80\4\1\0\0"), /* no such machine */
        STR_INIT("\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
    };
    struct mail_entry entry;

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t at = 0;
        assert_false(mail_read(cases[i], &at, &entry));
        assert_int_equal(at, 0);
    }
}

struct fixture {
    struct outbox *outbox;
    struct arena arena;
};

/* Each page is of a machine of its own. */
static void put(struct fixture *fixture, uint32_t part, const char *url,
                uint32_t depth, uint32_t page)
{
    const struct mail_entry entry = {
        .url = str_of(url),
        .depth = depth,
        .found = 1,
        .node = page + 100,
        .page = page,
    };

    outbox_put(fixture->outbox, part, &entry);
}

static size_t seal(struct fixture *fixture, struct fleet_mail **mail)
{
    size_t count;

    *mail = outbox_seal(fixture->outbox, &fixture->arena, &count);
    return count;
}

static void begin(struct fixture *fixture, bool by_level)
{
    fixture->outbox = outbox_new(4, by_level, 1);
    arena_init(&fixture->arena);
}

static void end(struct fixture *fixture)
{
    outbox_free(fixture->outbox);
    arena_release(&fixture->arena);
}

static void links_to_one_url_are_one_entry(void **state)
{
    struct fixture fixture;
    struct mail_entry entry;
    struct fleet_mail *mail;
    size_t at = 0;

    (void)state;
    begin(&fixture, false);
    put(&fixture, 2, "http://a.example/", 5, 10);
    put(&fixture, 2, "http://a.example/", 3, 11);
    put(&fixture, 2, "http://a.example/", 4, 12);
    put(&fixture, 1, "http://b.example/", 4, 12);
    assert_int_equal(outbox_count(fixture.outbox), 2);
    assert_int_equal(seal(&fixture, &mail), 2);
    assert_int_equal(mail[0].key.part, 1);
    assert_int_equal(mail[1].key.part, 2);
    assert_true(mail_read(mail[1].payload, &at, &entry));
    assert_int_equal(entry.depth, 3);
    assert_int_equal(entry.node, 111);
    assert_int_equal(entry.page, 11);
    assert_int_equal(entry.found, 3);
    assert_int_equal(at, mail[1].payload.len);
    assert_int_equal(outbox_count(fixture.outbox), 0);
    assert_int_equal(seal(&fixture, &mail), 0);
    end(&fixture);
}

/* By priority every mention counts; by depth only a shorter path does. */
static void a_url_is_sent_again_where_that_matters(void **state)
{
    struct fixture fixture;
    struct fleet_mail *mail;

    (void)state;
    for (int by_level = 0; by_level < 2; by_level++) {
        begin(&fixture, by_level);
        put(&fixture, 0, "http://a.example/", 3, 1);
        assert_int_equal(seal(&fixture, &mail), 1);
        put(&fixture, 0, "http://a.example/", 3, 2);
        assert_int_equal(seal(&fixture, &mail), !by_level);
        put(&fixture, 0, "http://a.example/", 2, 2);
        assert_int_equal(seal(&fixture, &mail), 1);
        put(&fixture, 0, "http://a.example/", 3, 2);
        assert_int_equal(seal(&fixture, &mail), !by_level);
        end(&fixture);
    }
}

static void much_is_cut_into_mails_and_says_so(void **state)
{
    struct fixture fixture;
    struct fleet_mail *mail;
    struct mail_entry entry;
    size_t urls = 0, entries = 0;

    (void)state;
    begin(&fixture, true);
    while (!outbox_is_full(fixture.outbox)) {
        char url[64];
        snprintf(url, sizeof(url), "http://a.example/%zu", urls++);
        put(&fixture, 3, url, 1, 1);
    }
    size_t count = seal(&fixture, &mail);
    assert_true(count > 1);
    assert_false(outbox_is_full(fixture.outbox));
    for (size_t i = 0; i < count; i++) {
        assert_true(mail[i].payload.len < MAIL_BYTES_MAX + 200);
        for (size_t at = 0; mail_read(mail[i].payload, &at, &entry);)
            entries++;
    }
    assert_int_equal(entries, urls);
    end(&fixture);
}

/* Whoever asks again has not had an answer. */
static void questions_are_not_put_together(void **state)
{
    const struct mail_entry question = {
        .url = STR("http://a.example/robots.txt"),
        .asker = STR("http://b.example/robots.txt"),
        .kind = MAIL_ROBOTS_ASKED,
    };
    struct fixture fixture;
    struct mail_entry entry;
    struct fleet_mail *mail;
    size_t at = 0;

    (void)state;
    begin(&fixture, true);
    put(&fixture, 2, "http://a.example/robots.txt", 0, 1);
    assert_false(outbox_is_urgent(fixture.outbox));
    for (int round = 0; round < 2; round++) {
        outbox_put_robots(fixture.outbox, 2, &question);
        outbox_put_robots(fixture.outbox, 2, &question);
        assert_true(outbox_is_urgent(fixture.outbox));
        assert_int_equal(outbox_count(fixture.outbox), round ? 2 : 3);
        assert_int_equal(seal(&fixture, &mail), 1);
        assert_false(outbox_is_urgent(fixture.outbox));
        assert_int_equal(outbox_count(fixture.outbox), 0);
    }
    for (int n = 0; n < 2; n++) {
        assert_true(mail_read(mail[0].payload, &at, &entry));
        assert_int_equal(entry.kind, MAIL_ROBOTS_ASKED);
        assert_true(str_eq(entry.asker, question.asker));
    }
    assert_int_equal(at, mail[0].payload.len);
    end(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_come_back_as_they_were),
        cmocka_unit_test(bytes_that_are_no_entry_are_refused),
        cmocka_unit_test(links_to_one_url_are_one_entry),
        cmocka_unit_test(a_url_is_sent_again_where_that_matters),
        cmocka_unit_test(much_is_cut_into_mails_and_says_so),
        cmocka_unit_test(questions_are_not_put_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
