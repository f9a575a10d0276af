/* A certificate for a TLS server in a test. */
#ifndef TESTS_SUPPORT_TLS_CERTIFICATE_H
#define TESTS_SUPPORT_TLS_CERTIFICATE_H

#include <openssl/ssl.h>

/* Let the server use a new one that it has signed itself. */
void tls_certificate_use(SSL_CTX *server);

#endif
