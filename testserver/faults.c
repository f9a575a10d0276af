#include "testserver/faults.h"

#include "base/clock.h"

enum { CHUNK_SIZE = 4096 };

/* The next bytes of the body in one piece, at most `max`; empty at the end of
 * the parts. */
static struct str next_piece(struct faults *faults, uint64_t max)
{
    const struct reply *reply = &faults->reply;

    while (faults->part < reply->part_count) {
        const struct body_part *part = &reply->parts[faults->part];

        if (faults->round >= part->times || !part->bytes.len) {
            faults->part++;
            faults->round = 0;
            faults->offset = 0;
        } else if (faults->offset == part->bytes.len) {
            faults->round += part->times != BODY_ENDLESS;
            faults->offset = 0;
        } else {
            struct str piece = str_skip(part->bytes, faults->offset);

            if (piece.len > max)
                piece.len = (size_t)max;
            faults->offset += piece.len;
            return piece;
        }
    }
    return (struct str){0};
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* With a drip: false while the pause lasts. */
static bool may_send(struct faults *faults)
{
    const struct reply *reply = &faults->reply;

    if (!reply->drip_us || faults->drip_left)
        return true;

    uint64_t now_us = clock_mono_us();
    if (now_us < faults->next_drip_us)
        return false;
    faults->next_drip_us = now_us + reply->drip_us;
    faults->drip_left = reply->drip_bytes;
    return true;
}

static enum http_pull pull(void *self, uint64_t now_us,
                           struct http_piece *piece)
{
    struct faults *faults = self;
    const struct reply *reply = &faults->reply;
    uint64_t max = faults->left;

    (void)now_us; /* the record is exact to the microsecond, so are pauses */
    if (!faults->left && reply->cut_after != REPLY_WHOLE)
        return reply->reset ? HTTP_PULL_RESET : HTTP_PULL_CUT;
    if (!faults->left)
        return HTTP_PULL_END;
    if (!may_send(faults)) {
        piece->wake_us = faults->next_drip_us;
        return HTTP_PULL_WAIT;
    }
    if (reply->http.framing == HTTP_CHUNKED)
        max = lesser(max, reply->chunk_size ? reply->chunk_size : CHUNK_SIZE);
    if (reply->drip_us)
        max = lesser(max, faults->drip_left);
    piece->bytes = next_piece(faults, max);
    faults->drip_left -= lesser(piece->bytes.len, faults->drip_left);
    if (faults->left != BODY_ENDLESS)
        faults->left -= piece->bytes.len;
    return HTTP_PULL_BYTES;
}

/* A body in one piece needs no stream. */
static bool is_plain(const struct reply *reply)
{
    return !reply->drip_us && reply->cut_after == REPLY_WHOLE &&
           reply->http.framing != HTTP_CHUNKED &&
           (!reply->parts || !reply->part_count ||
            (reply->part_count == 1 && reply->parts[0].times == 1));
}

void faults_begin(struct faults *faults)
{
    struct reply *reply = &faults->reply;

    if (reply->delay_us)
        reply->http.not_before_us = clock_mono_us() + reply->delay_us;
    if (is_plain(reply)) {
        if (reply->part_count)
            reply->http.body = reply->parts[0].bytes;
        return;
    }
    if (!reply->parts) {
        faults->whole = (struct body_part){reply->http.body, 1};
        reply->parts = &faults->whole;
        reply->part_count = 1;
    }
    uint64_t len = reply_parts_len(reply);
    if (len == BODY_ENDLESS)
        reply->http.close = true;
    faults->left = lesser(len, reply->cut_after);
    reply->http.stream = (struct http_stream){pull, faults, len};
}
