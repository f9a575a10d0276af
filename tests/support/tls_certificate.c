#include "support/tls_certificate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

void tls_certificate_use(SSL_CTX *server)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();

    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
    assert_int_equal(SSL_CTX_use_certificate(server, certificate), 1);
    assert_int_equal(SSL_CTX_use_PrivateKey(server, key), 1);
    X509_free(certificate);
    EVP_PKEY_free(key);
}
