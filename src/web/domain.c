#include "web/domain.h"

#include <assert.h>
#include <libpsl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "web/host.h"

/* Answers are remembered, because libpsl takes longer than all else that is
 * done with a link. An answer is the hash of the host, with how many bytes of
 * the host come before its domain in the low byte: one word, so that threads
 * may read and write it without a lock. The place in the table stands for the
 * bits that the low byte covers. */
enum {
    NAME_MAX_LEN = 253, /* of what the domain name system can hold */
    ANSWERS = 16384,
    SKIP_MASK = 0xff,
};
static_assert(NAME_MAX_LEN <= SKIP_MASK && ANSWERS > SKIP_MASK,
              "a word tells host and domain");

struct domains {
    psl_ctx_t *latest; /* NULL: only the built-in list is there */
    const psl_ctx_t *psl;
    uint64_t seed; /* nobody outside can prepare two hosts with one hash */
    _Atomic uint64_t *answer;
};

struct domains *domains_new(void)
{
    struct domains *domains = NEW(struct domains);

    domains->latest = psl_latest(NULL);
    domains->psl = domains->latest ? domains->latest : psl_builtin();
    domains->answer = mem_array(ANSWERS, sizeof(*domains->answer));
    if (getrandom(&domains->seed, sizeof(domains->seed), 0) < 0)
        domains->seed = (uintptr_t)domains;
    return domains;
}

void domains_free(struct domains *domains)
{
    if (!domains)
        return;
    psl_free(domains->latest);
    free(domains->answer);
    free(domains);
}

/* The digest of the file, or of the list that is built into libpsl. */
void domains_digest(const struct domains *domains,
                    char digest[DOMAINS_DIGEST_LEN + 1])
{
    const char *path = psl_dist_filename();
    FILE *file = domains->latest && path ? fopen(path, "rbe") : NULL;
    uint64_t hash = 0;
    char bytes[8192];
    size_t len;

    while (file && (len = fread(bytes, 1, sizeof(bytes), file)))
        hash = hash64((struct str){bytes, len}, hash);
    if (file)
        fclose(file);
    if (hash)
        snprintf(digest, DOMAINS_DIGEST_LEN + 1, "file %016llx",
                 (unsigned long long)hash);
    else
        snprintf(digest, DOMAINS_DIGEST_LEN + 1, "built-in %.20s",
                 psl_builtin_sha1sum());
}

struct str domain_trim_dot(struct str host)
{
    if (host.len > 1 && host.ptr[host.len - 1] == '.' &&
        host.ptr[host.len - 2] != '.')
        host.len--;
    return host;
}

static bool is_address(struct str host)
{
    return !host.len || host.ptr[0] == '[' || ipv4_is_meant(host);
}

struct str domain_of_host(const struct domains *domains, struct str host)
{
    host = domain_trim_dot(host);
    if (!domains->psl || host.len > NAME_MAX_LEN || is_address(host))
        return host;

    uint64_t hash = hash64(host, domains->seed);
    _Atomic uint64_t *answer = &domains->answer[hash % ANSWERS];
    uint64_t known = atomic_load_explicit(answer, memory_order_relaxed);
    if ((known ^ hash) > SKIP_MASK) {
        char name[NAME_MAX_LEN + 1];
        memcpy(name, host.ptr, host.len);
        name[host.len] = '\0';
        const char *domain = psl_registrable_domain(domains->psl, name);
        known = (hash & ~(uint64_t)SKIP_MASK) |
                (domain ? (uint64_t)(domain - name) : 0);
        atomic_store_explicit(answer, known, memory_order_relaxed);
    }
    return str_skip(host, known & SKIP_MASK);
}

bool domain_is_public_suffix(const struct domains *domains, struct str name)
{
    char text[NAME_MAX_LEN + 1];

    if (is_address(name) || name.len > NAME_MAX_LEN)
        return false;
    if (!domains->psl)
        return str_find(name, '.') == name.len;
    memcpy(text, name.ptr, name.len);
    text[name.len] = '\0';
    return psl_is_public_suffix(domains->psl, text);
}
