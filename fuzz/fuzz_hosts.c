/* /etc/hosts, and the value of --dns-servers. The input is the text. */
#include "fuzz.h"

#include "base/buf.h"
#include "names/dns_servers.h"
#include "names/hosts_file.h"

/* Every name that is found has addresses, and no more than are used. */
static void check_hosts(struct str text)
{
    struct hosts_file hosts;
    struct name_answer answer;
    char name[NAME_LEN_MAX + 1];
    size_t len;

    hosts_file_init(&hosts, NULL, 7);
    hosts_file_parse(&hosts, text);
    for (size_t i = 0; i < text.len; i += 7)
        if (name_normalize(str_first(str_skip(text, i), i % 40), name, &len) &&
            hosts_file_find(&hosts, (struct str){name, len}, 0, &answer))
            assert(answer.count > 0 && answer.count <= NAME_ADDRESSES_MAX);
    hosts_file_release(&hosts);
}

/* The form that is written is read as the same. */
static void check_servers(struct str text)
{
    struct buf once, twice;

    buf_init(&once, 64 * DNS_SERVERS_MAX);
    buf_init(&twice, 64 * DNS_SERVERS_MAX);
    if (dns_servers_parse(text, &once)) {
        bool again = dns_servers_parse(buf_str(&once), &twice);
        assert(again && str_eq(buf_str(&once), buf_str(&twice)));
    }
    buf_release(&once);
    buf_release(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_hosts(fuzz_input(data, size));
    check_servers(fuzz_input(data, size));
    return 0;
}
