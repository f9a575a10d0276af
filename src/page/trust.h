/* The certificates of authorities that are trusted: those in one file, in PEM
 * form. The file is parsed once for all connections of all threads, and again
 * when it has changed.
 */
#ifndef PAGE_TRUST_H
#define PAGE_TRUST_H

#include <openssl/x509.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* The system's file, as libcurl was built; NULL if it was built without one. */
const char *trust_system_file(void);

/* Why there is no certificate to be had from this file; NULL if there is one.
 */
const char *trust_problem(const char *file);

struct trust {
    const char *file;
    pthread_mutex_t lock;
    X509_STORE *store; /* NULL until it is needed */
    struct stat seen;  /* the file that it was made of */
    unsigned generation;
    uint64_t checked_ms;
};

/* The file is read when the first connection needs it. Its name is borrowed. */
void trust_init(struct trust *trust, const char *file);
void trust_release(struct trust *trust);

/* What is trusted now; the caller frees it with X509_STORE_free. NULL if there
 * has never been a certificate in the file. `generation` is another number
 * whenever the file has changed: what was verified before does not count then.
 * The file is looked at once a second at most (`now_ms`). If it cannot be read
 * any more, what it held before still counts. */
X509_STORE *trust_store(struct trust *trust, uint64_t now_ms,
                        unsigned *generation);

#endif
