#include "archive/digest.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

enum { DIGEST_KINDS = DIGEST_SHA256 + 1, SPARES_MAX = 4 };

static const char hex[] = "0123456789abcdef";
static const char base32[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/* --- what libcrypto allocates -------------------------------------------- */

/* To look for an algorithm costs more than to digest a small page, so that is
 * done once. */
static EVP_MD *algorithm[DIGEST_KINDS];
static pthread_key_t spares_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Contexts of a thread that are not in use. */
struct spares {
    EVP_MD_CTX *context[SPARES_MAX];
    size_t count;
};

static void free_spares(void *user)
{
    struct spares *spares = user;

    while (spares->count)
        EVP_MD_CTX_free(spares->context[--spares->count]);
    free(spares);
}

static void set_up(void)
{
    algorithm[DIGEST_SHA1] = mem_checked(EVP_MD_fetch(NULL, "SHA1", NULL));
    algorithm[DIGEST_SHA256] = mem_checked(EVP_MD_fetch(NULL, "SHA256", NULL));
    pthread_key_create(&spares_key, free_spares);
}

static struct spares *spares_of_thread(void)
{
    struct spares *spares;

    pthread_once(&once, set_up);
    spares = pthread_getspecific(spares_key);
    if (!spares) {
        spares = NEW(struct spares);
        pthread_setspecific(spares_key, spares);
    }
    return spares;
}

/* --- digests ------------------------------------------------------------- */

void digest_begin(struct digest *digest, enum digest_kind kind)
{
    struct spares *spares = spares_of_thread();

    digest->kind = kind;
    digest->context = spares->count ? spares->context[--spares->count]
                                    : mem_checked(EVP_MD_CTX_new());
    EVP_DigestInit_ex2(digest->context, algorithm[kind], NULL);
}

void digest_add(struct digest *digest, struct str bytes)
{
    EVP_DigestUpdate(digest->context, bytes.ptr, bytes.len);
}

static char *put_hex(char *to, const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        *to++ = hex[bytes[i] >> 4];
        *to++ = hex[bytes[i] & 15];
    }
    return to;
}

/* Without padding: `len` is a multiple of five. */
static char *put_base32(char *to, const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i += 5) {
        uint64_t bits = 0;

        for (size_t j = 0; j < 5; j++)
            bits = bits << 8 | bytes[i + j];
        for (int shift = 35; shift >= 0; shift -= 5)
            *to++ = base32[bits >> shift & 31];
    }
    return to;
}

void digest_end(struct digest *digest, char text[DIGEST_TEXT_MAX + 1])
{
    struct spares *spares = spares_of_thread();
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned len = 0;

    EVP_DigestFinal_ex(digest->context, bytes, &len);
    if (spares->count < SPARES_MAX)
        spares->context[spares->count++] = digest->context;
    else
        EVP_MD_CTX_free(digest->context);
    digest->context = NULL;
    if (digest->kind == DIGEST_SHA1)
        text = put_base32(stpcpy(text, "sha1:"), bytes, len);
    else
        text = put_hex(stpcpy(text, "sha256:"), bytes, len);
    *text = '\0';
}

void digest_text(enum digest_kind kind, struct str bytes,
                 char text[DIGEST_TEXT_MAX + 1])
{
    struct digest digest;

    digest_begin(&digest, kind);
    digest_add(&digest, bytes);
    digest_end(&digest, text);
}
