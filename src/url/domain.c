#include "url/domain.h"

#include <libpsl.h>
#include <stdlib.h>

#include "base/mem.h"
#include "url/ip.h"

/* The longest name that the domain name system can hold. */
enum { NAME_MAX_LEN = 253 };

struct domains {
    psl_ctx_t *latest; /* NULL: only the built-in list is there */
    const psl_ctx_t *psl;
};

struct domains *domains_new(void)
{
    struct domains *domains = NEW(struct domains);

    domains->latest = psl_latest(NULL);
    domains->psl = domains->latest ? domains->latest : psl_builtin();
    return domains;
}

void domains_free(struct domains *domains)
{
    if (!domains)
        return;
    psl_free(domains->latest);
    free(domains);
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
    char name[NAME_MAX_LEN + 1];

    host = domain_trim_dot(host);
    if (!domains->psl || host.len > NAME_MAX_LEN || is_address(host))
        return host;
    memcpy(name, host.ptr, host.len);
    name[host.len] = '\0';
    const char *domain = psl_registrable_domain(domains->psl, name);
    return domain ? str_skip(host, (size_t)(domain - name)) : host;
}
