#include "testserver/dns_names.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>

#include "base/io.h"
#include "base/words.h"

enum { FILE_MAX = 64 << 20 };

struct parser {
    struct dns_names *names;
    struct dns_entry *entry; /* NULL before the first */
    struct dns_entry **last;
};

/* --- properties --------------------------------------------------------- */

static bool set_address(struct parser *parser, struct str value)
{
    struct dns_entry *entry = parser->entry;
    const char *text = arena_copy(&parser->names->arena, value).ptr;
    struct in6_addr *address = &entry->address[entry->count];

    if (entry->count == DNS_ADDRESSES_MAX)
        return false;
    entry->count++;
    if (inet_pton(AF_INET6, text, address) == 1)
        return true;
    *address = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
    return inet_pton(AF_INET, text, address->s6_addr + 12) == 1;
}

static bool set_cname(struct parser *parser, struct str value)
{
    parser->entry->cname = arena_copy(&parser->names->arena, value).ptr;
    return value.len && value.len <= DNS_NAME_MAX;
}

static bool set_ttl(struct parser *parser, struct str value)
{
    uint64_t ttl_s = 0;
    bool good = str_to_u64(value, &ttl_s) && ttl_s <= INT32_MAX;

    parser->entry->ttl_s = (uint32_t)ttl_s;
    return good;
}

static bool set_times(struct parser *parser, struct str value)
{
    uint64_t *left = parser->entry->times_left, times = 0;
    bool good = str_to_u64(value, &times);

    for (int i = 0; i < 2; i++)
        left[i] = left[i] ? times : 0;
    return good;
}

static bool set_type(struct parser *parser, struct str value)
{
    bool is_a = str_eq(value, STR("A"));

    parser->entry->times_left[is_a] = 0;
    return is_a || str_eq(value, STR("AAAA"));
}

static bool set_delay(struct parser *parser, struct str value)
{
    bool good = value_duration_ms(value, &parser->entry->delay_us) &&
                parser->entry->delay_us <= UINT32_MAX;

    parser->entry->delay_us *= 1000;
    return good;
}

static bool set_error(struct parser *parser, struct str value)
{
    static const struct {
        const char *word;
        enum dns_rcode rcode;
    } rcodes[] = {
        {"formerr", DNS_FORMERR},   {"servfail", DNS_SERVFAIL},
        {"nxdomain", DNS_NXDOMAIN}, {"notimp", DNS_NOTIMP},
        {"refused", DNS_REFUSED},
    };

    for (size_t i = 0; i < ARRAY_LEN(rcodes); i++)
        if (str_eq(str_of(rcodes[i].word), value)) {
            parser->entry->rcode = rcodes[i].rcode;
            return true;
        }
    return false;
}

static bool set_drop(struct parser *parser, struct str value)
{
    parser->entry->drop = true;
    return !value.len;
}

static bool set_truncated(struct parser *parser, struct str value)
{
    parser->entry->truncated = true;
    return !value.len;
}

static bool set_garbage(struct parser *parser, struct str value)
{
    parser->entry->garbage = true;
    return !value.len;
}

static bool set_wrong_id(struct parser *parser, struct str value)
{
    parser->entry->wrong_id = true;
    return !value.len;
}

static bool set_property(struct parser *parser, struct str word,
                         struct str value)
{
    static const struct {
        const char *word;
        bool (*set)(struct parser *parser, struct str value);
    } properties[] = {
        {"address", set_address},
        {"cname", set_cname},
        {"ttl", set_ttl},
        {"times", set_times},
        {"type", set_type},
        {"delay", set_delay},
        {"error", set_error},
        {"drop", set_drop},
        {"truncated", set_truncated},
        {"garbage", set_garbage},
        {"wrong-id", set_wrong_id},
    };

    for (size_t i = 0; i < ARRAY_LEN(properties); i++)
        if (str_eq(str_of(properties[i].word), word))
            return properties[i].set(parser, value);
    return false;
}

/* --- the table ---------------------------------------------------------- */

static void begin_entry(struct parser *parser, struct str name)
{
    struct dns_entry *entry = arena_new(&parser->names->arena, sizeof(*entry));

    entry->ttl_s = DNS_TTL_S;
    entry->times_left[0] = entry->times_left[1] = UINT64_MAX;
    entry->is_suffix = str_starts(name, STR("*"));
    entry->name = arena_copy(&parser->names->arena,
                             str_skip(name, entry->is_suffix ? 1 : 0));
    *parser->last = parser->entry = entry;
    parser->last = &entry->next;
}

static bool parse_line(struct parser *parser, struct str line)
{
    struct str text = str_trim(line);

    if (!text.len || text.ptr[0] == '#')
        return true;
    if (!ascii_is_space(line.ptr[0])) {
        begin_entry(parser, text);
        return text.len <= DNS_NAME_MAX && str_find(text, ' ') == text.len;
    }

    struct str_pair parts = str_cut(text, ' ');
    return parser->entry &&
           set_property(parser, parts.head, str_trim(parts.tail));
}

bool dns_names_parse(struct dns_names *names, struct str text,
                     char problem[DNS_NAMES_PROBLEM])
{
    struct parser parser = {.names = names, .last = &names->first};

    *names = (struct dns_names){0};
    arena_init(&names->arena);
    for (unsigned number = 1; text.len; number++) {
        size_t len = str_find(text, '\n');
        struct str line = str_first(text, len);

        if (!parse_line(&parser, line)) {
            snprintf(problem, DNS_NAMES_PROBLEM,
                     "line %u: '%.*s' is not understood", number,
                     (int)str_first(str_trim(line), 100).len,
                     str_trim(line).ptr);
            return false;
        }
        text = str_skip(text, len < text.len ? len + 1 : len);
    }
    return true;
}

bool dns_names_read(struct dns_names *names, const char *path,
                    char problem[DNS_NAMES_PROBLEM])
{
    struct buf text;
    bool good;

    *names = (struct dns_names){0};
    if (!path)
        return true;
    buf_init(&text, FILE_MAX);
    good = io_read_file(path, &text);
    if (good)
        good = dns_names_parse(names, buf_str(&text), problem);
    else
        snprintf(problem, DNS_NAMES_PROBLEM, "%s", strerror(errno));
    buf_release(&text);
    return good;
}

void dns_names_release(struct dns_names *names)
{
    arena_release(&names->arena);
}

static bool fits(const struct dns_entry *entry, struct str name)
{
    return entry->is_suffix ? str_ends(name, entry->name)
                            : str_eq(name, entry->name);
}

const struct dns_entry *dns_names_find(struct dns_names *names,
                                       const char *name, uint16_t type)
{
    for (struct dns_entry *entry = names->first; entry; entry = entry->next) {
        uint64_t *left = &entry->times_left[type != DNS_TYPE_A];

        if (!*left || !fits(entry, str_of(name)))
            continue;
        if (*left != UINT64_MAX)
            --*left;
        return entry;
    }
    return NULL;
}
