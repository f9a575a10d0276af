#include "report/verify.h"

#include <stdio.h>
#include <stdlib.h>

#include "report/verify_internal.h"

enum { PER_HOST_MAX = 1000 };
static const size_t file_max = (size_t)1 << 33;

static void verify_init(struct verify *verify, struct store *store,
                        const struct pagedir *dir, uint64_t seed)
{
    *verify = (struct verify){.store = store, .dir = dir, .seed = seed};
    facts_init(&verify->facts);
    verify->facts.number[FACT_PER_HOST] = 1;
    pauses_init(&verify->pauses, seed);
    seen_init(&verify->page_urls);
    buf_init(&verify->file, file_max);
}

static void verify_release(struct verify *verify)
{
    free(verify->url);
    free(verify->page);
    facts_release(&verify->facts);
    pauses_release(&verify->pauses);
    seen_release(&verify->page_urls);
    buf_release(&verify->file);
}

static void add_record_finding(void *user, const char *text)
{
    struct verify *verify = user;

    findings_add(&verify->findings, FINDING_RECORD, "%s", text);
}

static bool check_all(struct verify *verify, struct store_error *error)
{
    if (!store_check(verify->store, add_record_finding, verify, error) ||
        !verify_rows(verify, error))
        return false;
    uint64_t per_host = verify->facts.number[FACT_PER_HOST];
    verify_unknown_files(verify);
    verify_depths(verify);
    if (per_host && per_host <= PER_HOST_MAX)
        pauses_check(&verify->pauses, (uint32_t)per_host, &verify->findings);
    return true;
}

bool verify_print(struct store *store, const struct pagedir *dir, uint64_t seed,
                  bool *clean, struct store_error *error)
{
    struct verify verify;

    verify_init(&verify, store, dir, seed);
    bool good = check_all(&verify, error);
    *clean = findings_end(&verify.findings) && good;
    if (*clean)
        printf("verified: %llu pages, %llu bytes, %llu URLs, %zu hosts, all as "
               "recorded\n",
               (unsigned long long)verify.pages,
               (unsigned long long)verify.bytes,
               (unsigned long long)verify.urls, verify.pauses.hosts.count);
    verify_release(&verify);
    return good;
}
