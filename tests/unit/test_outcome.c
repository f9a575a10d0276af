#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/outcome.h"

#include "support/code_words.h"

static void table_is_whole(void **state)
{
    (void)state;
    for (int i = 0; i < OUTCOMES; i++) {
        const char *word = outcome_word((enum outcome)i);
        const char *name = outcome_name((enum outcome)i);
        const char *text = outcome_text((enum outcome)i);

        if (!is_word(word) || !is_name(name) || !text || !text[0])
            fail_msg("outcome %d: word %s, name %s, text %s", i,
                     word ? word : "NULL", name ? name : "NULL",
                     text ? text : "NULL");
        for (int j = 0; j < i; j++)
            if (!strcmp(name, outcome_name((enum outcome)j)) ||
                !strcmp(text, outcome_text((enum outcome)j)))
                fail_msg("outcomes %d and %d are both %s: %s", j, i, name,
                         text);
    }
}

/* Whoever counts pages with grep counts these lines: no other outcome may
 * have the word of a page that was fetched. */
static void only_pages_are_fetched(void **state)
{
    (void)state;
    assert_string_equal(outcome_word(FETCHED), "Fetched");
    for (int i = 0; i < OUTCOMES; i++)
        if (i != FETCHED)
            assert_string_not_equal(outcome_word((enum outcome)i), "Fetched");
}

/* A status is told with its standard phrase, the rest with what belongs to it;
 * what a server wrote cannot do harm to a terminal. */
static void details_are_told(void **state)
{
    static const struct {
        enum outcome outcome;
        struct outcome_details details;
        const char *text;
    } rows[] = {
        {HTTP_CLIENT_ERROR, {.status = 404}, "404 Not Found"},
        {HTTP_CLIENT_ERROR, {.status = 499}, "status 499"},
        {HTTP_CLIENT_ERROR, {.status = 0}, "refused by the server (4xx)"},
        {HTTP_TOO_MANY, {.status = 429}, "429 Too Many Requests"},
        {HTTP_SERVER_ERROR, {.status = 503}, "503 Service Unavailable"},
        {HTTP_SERVER_ERROR, {0}, "failed in the server (5xx)"},
        {HTTP_OTHER, {.status = 204}, "204 No Content"},
        {HTTP_OTHER, {.status = 999}, "status 999"},
        {BAD_REDIRECT,
         {.status = 302},
         "a redirect that leads nowhere (302 Found)"},
        {NOT_HTML,
         {.status = 200, .mime = STR_INIT("image/png")},
         "not an HTML page but image/png"},
        {NOT_HTML, {.status = 200}, "not an HTML page"},
        {NOT_HTML,
         {.mime = STR_INIT("a\x1b[31m/\xffz")},
         "not an HTML page but a?[31m/?z"},
        {TLS_NAME,
         {.certificate_for = STR_INIT("a.example")},
         "the certificate is for another host: a.example"},
        {CONNECTION_REFUSED,
         {.proxy_at_fault = STR_INIT("http://h:1")},
         "the proxy http://h:1: connection refused"},
        {TLS_NAME, {0}, "the certificate is for another host"},
        {TLS_EXPIRED,
         {.certificate_for = STR_INIT("a.example")},
         "the certificate has expired"},
        {FETCHED, {.status = 200, .mime = STR_INIT("text/html")}, "fetched"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf text;

        buf_init(&text, 1000);
        outcome_put(&text, rows[i].outcome, &rows[i].details);
        assert_string_equal(buf_cstr(&text), rows[i].text);
        buf_release(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_is_whole),
        cmocka_unit_test(only_pages_are_fetched),
        cmocka_unit_test(details_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
