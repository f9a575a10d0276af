#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "page/connect_fault.h"

static void a_failed_connect_is_told_by_its_errno(void **state)
{
    (void)state;
    assert_int_equal(connect_fault(ECONNREFUSED), CONNECTION_REFUSED);
    assert_int_equal(connect_fault(ETIMEDOUT), CONNECT_TIMED_OUT);
    assert_int_equal(connect_fault(EHOSTUNREACH), NOT_CONNECTED);
    assert_int_equal(connect_fault(ENETUNREACH), NOT_CONNECTED);
    assert_int_equal(connect_fault(0), NOT_CONNECTED);
}

#define PEER    CURLE_PEER_FAILED_VERIFICATION
#define NO_NAME "SSL: no alternative certificate subject name matches target "

/* Of a name that does not match OpenSSL knows nothing: libcurl leaves the
 * result at 1, and 0 would be as good. */
static void a_tls_failure_is_told_by_code_result_and_message(void **state)
{
    static const struct {
        CURLcode code;
        long result;
        const char *message;
        enum outcome outcome;
    } rows[] = {
        {PEER, 1, NO_NAME "host name 'example.org'", TLS_NAME},
        {PEER, 1, NO_NAME "hostname 'example.org'", TLS_NAME},
        {PEER, 1, NO_NAME "ipv4 address '127.0.0.2'", TLS_NAME},
        {PEER, 0, NO_NAME "hostname 'example.org'", TLS_NAME},
        {PEER, 1,
         "SSL: certificate subject name 'x' does not match target host name "
         "'example.org'",
         TLS_NAME},
        {PEER, 1, "SSL: unable to obtain common name from peer certificate",
         TLS_NAME},
        {PEER, 1, "SSL: illegal cert name field", TLS_NAME},
        {PEER, 62, "", TLS_NAME},
        {PEER, 64, "", TLS_NAME},
        {PEER, 20,
         "SSL certificate problem: unable to get local issuer certificate",
         TLS_ISSUER},
        {PEER, 19,
         "SSL certificate problem: self-signed certificate in certificate "
         "chain",
         TLS_ISSUER},
        {PEER, 2, "", TLS_ISSUER},
        {PEER, 21, "", TLS_ISSUER},
        {PEER, 18, "SSL certificate problem: self-signed certificate",
         TLS_SELF_SIGNED},
        {PEER, 10, "SSL certificate problem: certificate has expired",
         TLS_EXPIRED},
        {PEER, 9, "SSL certificate problem: certificate is not yet valid",
         TLS_NOT_YET_VALID},
        /* What a server wrote does not decide. */
        {PEER, 1, "x " NO_NAME "hostname 'x'", TLS_FAILED},
        {PEER, 10, NO_NAME "hostname 'x'", TLS_EXPIRED},
        {PEER, 23, "SSL certificate problem: certificate revoked", TLS_FAILED},
        {PEER, 0, "", TLS_FAILED},
        {CURLE_SSL_CONNECT_ERROR, 1, "wrong version number", TLS_PROTOCOL},
        {CURLE_SSL_CONNECT_ERROR, 0, "", TLS_PROTOCOL},
        {CURLE_SSL_CIPHER, 10, "", TLS_FAILED},
        {CURLE_SSL_CACERT_BADFILE, 0, "", TLS_FAILED},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum outcome outcome =
            tls_fault(rows[i].code, rows[i].result, str_of(rows[i].message));
        if (outcome != rows[i].outcome)
            fail_msg("code %d, result %ld, '%s': %s", rows[i].code,
                     rows[i].result, rows[i].message, outcome_name(outcome));
    }
}

#define NAMES "X509v3 Subject Alternative Name:"

static void names_of_a_certificate(void **state)
{
    static const struct {
        const char *field, *names;
    } rows[] = {
        {NAMES "DNS:a.example", "a.example"},
        {NAMES "DNS:a.example, DNS:*.b.example", "a.example, *.b.example"},
        {NAMES "IP Address:192.0.2.1, DNS:a", "192.0.2.1, a"},
        {NAMES "IP Address:2001:DB8:0:0:0:0:0:1", "2001:DB8:0:0:0:0:0:1"},
        {NAMES "email:x@y, URI:http://z/, DNS:a", "a"},
        {NAMES "DNS:a, DNS:b, DNS:c, DNS:d, DNS:e", "a, b, c and 2 more"},
        {NAMES "DNS:\x1b[31mred\x07\xff", "??31mred??"},
        {NAMES "DNS:a\nb", "a?b"},
        {NAMES "DNS:", ""},
        {NAMES "", ""},
        {NAMES ",,,", ""},
        {"Subject:CN = a.example", ""},
        {"Issuer:" NAMES "DNS:a", ""},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct curl_slist *fields = curl_slist_append(NULL, "Version:2");
        struct buf names;

        curl_slist_append(fields, rows[i].field);
        buf_init(&names, 1000);
        certificate_put_names(&names, fields);
        assert_string_equal(buf_cstr(&names), rows[i].names);
        buf_release(&names);
        curl_slist_free_all(fields);
    }
}

/* However long it is, what is shown is short. */
static void a_long_list_of_long_names_is_cut(void **state)
{
    struct buf field, names;

    (void)state;
    buf_init(&field, 1 << 20);
    buf_put(&field, STR(NAMES));
    for (int i = 0; i < 1000; i++)
        buf_printf(&field, "DNS:%0300d, ", i);
    struct curl_slist *fields = curl_slist_append(NULL, buf_cstr(&field));
    buf_init(&names, 1000);
    certificate_put_names(&names, fields);
    assert_true(names.len < 300);
    assert_non_null(strstr(buf_cstr(&names), "0 and 997 more"));
    curl_slist_free_all(fields);
    buf_release(&names);
    buf_release(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failed_connect_is_told_by_its_errno),
        cmocka_unit_test(a_tls_failure_is_told_by_code_result_and_message),
        cmocka_unit_test(names_of_a_certificate),
        cmocka_unit_test(a_long_list_of_long_names_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
