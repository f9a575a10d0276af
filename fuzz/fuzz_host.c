/* Host names and addresses: Unicode names, Punycode, the public suffix list,
 * IP addresses. The input is the name. */
#include "fuzz.h"

#include "page/private_address.h"
#include "web/domain.h"
#include "web/host.h"
#include "web/url.h"

enum { NAME_MAX_LEN = 4096, LABEL_MAX = 256 };

/* The ASCII form of an ASCII form is that form. */
static void check_idna(struct str name)
{
    static char once[NAME_MAX_LEN], twice[NAME_MAX_LEN];
    size_t once_len, twice_len;

    if (!idna_to_ascii(name, once, sizeof(once), &once_len))
        return;
    assert(once_len <= sizeof(once));
    for (size_t i = 0; i < once_len; i++)
        assert((unsigned char)once[i] < 0x80);
    bool again = idna_to_ascii((struct str){once, once_len}, twice,
                               sizeof(twice), &twice_len);
    assert(again && str_eq((struct str){once, once_len},
                           (struct str){twice, twice_len}));
}

static void check_punycode(struct str label)
{
    uint32_t text[LABEL_MAX], back[LABEL_MAX];
    size_t count, back_count;
    char ascii[PUNYCODE_GROWTH_MAX * LABEL_MAX];

    if (!punycode_decode(label, text, LABEL_MAX, &count))
        return;
    size_t len = punycode_encode(text, count, ascii);
    bool read =
        punycode_decode((struct str){ascii, len}, back, LABEL_MAX, &back_count);
    assert(read && back_count == count);
    assert(!count || !memcmp(text, back, count * sizeof(text[0])));
}

/* The domain is the end of the host, from a label on, and its own domain; but
 * "a.." is no name, and of it only one dot is taken at a time. */
static void check_domain(struct str host)
{
    static struct domains *domains;

    if (!domains)
        domains = domains_new();
    struct str bare = domain_trim_dot(host);
    struct str domain = domain_of_host(domains, host);
    assert(str_ends(bare, domain) && (domain.len || !bare.len));
    assert(domain.len == bare.len || domain.ptr[-1] == '.');
    assert(str_ends(domain, STR(".")) ||
           str_eq(domain_of_host(domains, domain), domain));
}

static void check_ip(struct str host)
{
    char text[IPV6_TEXT_MAX];
    struct in6_addr six, six_again;
    uint32_t address, again;

    if (ipv4_parse(host, &address)) {
        struct str written = {text, ipv4_write(text, address)};
        bool read = ipv4_parse(written, &again);
        assert(read && again == address && ipv4_is_meant(written));
    }
    if (ipv6_parse(host, &six)) {
        struct str written = {text, ipv6_write(text, &six)};
        bool read = ipv6_parse(written, &six_again);
        assert(read && !memcmp(&six, &six_again, sizeof(six)));
    }
}

/* As part of a URL: a host that is a literal address is one for the check of
 * private addresses too, whatever way it was written. */
static void check_in_url(struct str name)
{
    struct sockaddr_storage address;
    struct arena arena;
    struct buf text;
    struct url url;

    arena_init(&arena);
    buf_init(&text, URL_LEN_MAX);
    if (buf_put(&text, STR("http://")) && buf_put(&text, name) &&
        !url_parse(&url, &arena, buf_str(&text), NULL, NULL)) {
        struct str host = url_host(&url);
        bool literal = host.ptr[0] == '[' || ipv4_is_meant(host);

        assert(address_of_literal(host, &address) == literal);
        if (literal)
            address_is_private((struct sockaddr *)&address);
        check_domain(host);
    }
    buf_release(&text);
    arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str name = fuzz_input(data, size);

    check_idna(name);
    check_punycode(name);
    check_ip(name);
    check_in_url(name);
    return 0;
}
