/* What a server must not do to the others: have libcurl ask again and again,
 * hold memory that they wait for. */
#include "page/transfer.h"

enum {
    /* Where a connection dies before an answer libcurl asks again by itself,
     * up to six times. Connections that were kept may be dead, one or two. */
    REQUESTS_MAX = 3,
    /* While others wait for memory, a large body has to grow so much. */
    SLOW_MS = 1000,
    SLOW_BYTES = 256 * 1024,
};

int transfer_on_request(void *user, char *ip, char *local_ip, int port,
                        int local_port)
{
    struct transfer *transfer = user;

    (void)ip, (void)local_ip, (void)port, (void)local_port;
    heads_begin_request(&transfer->heads);
    /* If it asked again after an answer has begun, that part would be put
     * before the next answer. */
    if (++transfer->requests <= REQUESTS_MAX && !transfer->header_bytes)
        return 0;
    transfer->cut_as = CONNECTION_LOST;
    return 1;
}

bool transfer_is_slow(struct transfer *transfer, uint64_t now_ms)
{
    size_t len = transfer->body.len;

    if (transfer->is_waiting || len <= BODY_SMALL)
        return false;
    if (transfer->seen_ms && now_ms - transfer->seen_ms < SLOW_MS)
        return false;
    bool is_slow = transfer->seen_ms && len - transfer->seen_len < SLOW_BYTES;
    transfer->seen_ms = now_ms;
    transfer->seen_len = len;
    return is_slow;
}
