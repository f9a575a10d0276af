/* The certificates of `crawler serve` (replay/certificate_authority.h). That
 * clients take them is tested in test_replay.c. */
#include <openssl/ssl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "replay/certificate_authority.h"

/* Is the next connection to the host given the certificate of `ssl`? */
static bool is_kept(struct certificate_authority *authority, struct str host,
                    int fd, const SSL *ssl)
{
    SSL *next = certificate_authority_accept(authority, host, fd);

    assert_non_null(next);
    bool same = SSL_get_certificate(next) == SSL_get_certificate(ssl);
    SSL_free(next);
    return same;
}

/* A certificate is used again; but many names do not make it grow for ever: the
 * first is forgotten. A connection keeps its own. */
static void kept_certificates(void **state)
{
    struct certificate_authority *authority = certificate_authority_new();
    int pair[2];
    char name[32];

    (void)state;
    assert_int_equal(0, socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
    SSL *first =
        certificate_authority_accept(authority, STR("first.test"), pair[0]);
    assert_non_null(first);
    assert_true(is_kept(authority, STR("FIRST.test"), pair[0], first));
    assert_false(is_kept(authority, STR("other.test"), pair[0], first));
    for (int i = 0; i < 900; i++) {
        snprintf(name, sizeof(name), "h%d.test", i);
        SSL_free(
            certificate_authority_accept(authority, str_of(name), pair[0]));
    }
    assert_true(is_kept(authority, STR("first.test"), pair[0], first));
    for (int i = 900; i < 1200; i++) {
        snprintf(name, sizeof(name), "h%d.test", i);
        SSL_free(
            certificate_authority_accept(authority, str_of(name), pair[0]));
    }
    assert_false(is_kept(authority, STR("first.test"), pair[0], first));
    assert_non_null(SSL_get_certificate(first));
    SSL_free(first);
    close(pair[0]);
    close(pair[1]);
    certificate_authority_free(authority);
}

static void names_of_hosts(void **state)
{
    static const struct {
        const char *host;
        bool good;
    } names[] = {
        {"a", true},         {"a.b-c.test", true}, {"a_b", true},
        {"127.0.0.1", true}, {"[::1]", true},      {"[1:2::3]", true},
        {"", false},         {"a b", false},       {"a,b", false},
        {"a\nb", false},     {"[::1", false},      {"[]", false},
        {"[a]", false},      {"::1", false},       {"a:b", false},
        {"\xc3\xa9", false}, {"*.a", false},       {"[", false},
        {"[::1]x", false},
    };
    char longest[255];

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (certificate_authority_can_sign(str_of(names[i].host)) !=
            names[i].good)
            fail_msg("'%s'", names[i].host);
    memset(longest, 'a', sizeof(longest));
    assert_true(certificate_authority_can_sign((struct str){longest, 253}));
    assert_false(certificate_authority_can_sign((struct str){longest, 254}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_certificates),
        cmocka_unit_test(names_of_hosts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
