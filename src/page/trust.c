#include "page/trust.h"

#include <curl/curl.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *trust_system_file(void)
{
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

const char *trust_problem(const char *name)
{
    FILE *file = fopen(name, "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    while (file && !found && getline(&line, &room, file) >= 0)
        found = !strncmp(line, "-----BEGIN ", 11) &&
                strstr(line, "CERTIFICATE-----");
    int why = !file || ferror(file) ? errno : 0;
    if (file)
        fclose(file);
    free(line);
    if (found)
        return NULL;
    return why ? strerror(why) : "no certificate in PEM form";
}

/* --- the store ---------------------------------------------------------- */

enum { CHECK_EVERY_MS = 1000 };

void trust_init(struct trust *trust, const char *file)
{
    *trust = (struct trust){.file = file};
    pthread_mutex_init(&trust->lock, NULL);
}

void trust_release(struct trust *trust)
{
    X509_STORE_free(trust->store);
    pthread_mutex_destroy(&trust->lock);
}

/* The certificates in the file, in all forms of PEM that OpenSSL knows. */
static X509_STORE *read_store(const char *name)
{
    X509_STORE *store = X509_STORE_new();

    if (store && !X509_STORE_load_file(store, name)) {
        X509_STORE_free(store);
        store = NULL;
    }
    ERR_clear_error();
    if (!store)
        return NULL;
    /* As libcurl does: an old root that a server sends along must not hide
     * the new one here, and an intermediate in the file is enough. */
    X509_STORE_set_flags(store,
                         X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
    return store;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void check_file(struct trust *trust)
{
    struct stat now;

    if (stat(trust->file, &now) ||
        (trust->store && is_same_file(&now, &trust->seen)))
        return;
    X509_STORE *store = read_store(trust->file);
    if (!store)
        return;
    X509_STORE_free(trust->store);
    trust->store = store;
    trust->seen = now;
    trust->generation++;
}

X509_STORE *trust_store(struct trust *trust, uint64_t now_ms,
                        unsigned *generation)
{
    pthread_mutex_lock(&trust->lock);
    if (!trust->checked_ms || now_ms - trust->checked_ms >= CHECK_EVERY_MS) {
        trust->checked_ms = now_ms;
        check_file(trust);
    }
    X509_STORE *store = trust->store;
    if (store)
        X509_STORE_up_ref(store);
    *generation = trust->generation;
    pthread_mutex_unlock(&trust->lock);
    return store;
}
