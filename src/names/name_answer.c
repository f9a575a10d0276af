#include "names/name_answer.h"

void name_answer_add(struct name_answer *answer, const struct in6_addr *address)
{
    for (unsigned i = 0; i < answer->count; i++)
        if (IN6_ARE_ADDR_EQUAL(&answer->address[i], address))
            return;
    if (answer->count < NAME_ADDRESSES_MAX)
        answer->address[answer->count++] = *address;
}

void name_answer_add_v4(struct name_answer *answer,
                        const struct in_addr *address)
{
    struct in6_addr mapped = {.s6_addr = {[10] = 0xff, [11] = 0xff}};

    memcpy(mapped.s6_addr + 12, address, 4);
    name_answer_add(answer, &mapped);
}

void name_answer_sort(struct name_answer *answer, bool has_ipv6)
{
    struct in6_addr kind[2][NAME_ADDRESSES_MAX]; /* IPv6, IPv4 */
    unsigned count[2] = {0}, used[2] = {0};

    for (unsigned i = 0; i < answer->count; i++) {
        int k = IN6_IS_ADDR_V4MAPPED(&answer->address[i]);
        kind[k][count[k]++] = answer->address[i];
    }
    for (unsigned i = 0; i < answer->count; i++) {
        int k = has_ipv6 ? i % 2 != 0 : 1;
        if (used[k] == count[k])
            k = !k;
        answer->address[i] = kind[k][used[k]++];
    }
}

bool name_normalize(struct str name, char out[NAME_LEN_MAX + 1], size_t *len)
{
    if (str_ends(name, STR(".")))
        name.len--;
    if (!name.len || name.len > NAME_LEN_MAX)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        if (!name.ptr[i])
            return false;
        out[i] = ascii_lower(name.ptr[i]);
    }
    out[name.len] = '\0';
    *len = name.len;
    return true;
}
