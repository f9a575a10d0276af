#include "archive/warc_source.h"

#include <errno.h>
#include <unistd.h>

#include "base/mem.h"

/* zlib's code for a window of 32 KB, with gzip's head and trailer. */
enum { GZIP_WINDOW = 15 + 16 };

void warc_source_init(struct warc_source *source, int fd, uint64_t from,
                      uint64_t len)
{
    source->fd = fd;
    source->from = from;
    source->end =
        len && len < UINT64_MAX - from ? from + len : (uint64_t)INT64_MAX;
    source->read_max = sizeof(source->in);
    source->tail_at = UINT64_MAX;
    source->state = SOURCE_BOUNDARY;
    if (inflateInit2(&source->zlib, GZIP_WINDOW) != Z_OK)
        mem_checked(NULL);
}

void warc_source_release(struct warc_source *source)
{
    inflateEnd(&source->zlib);
}

void warc_source_set_file(struct warc_source *source, int fd, struct str tail,
                          uint64_t tail_at)
{
    source->fd = fd;
    source->tail = tail;
    source->tail_at = tail_at;
    source->has_packed = false;
}

void warc_source_seek(struct warc_source *source, uint64_t at)
{
    source->in_place = at;
    source->in_at = source->in_len = 0;
    source->out_at = source->out_len = 0;
    source->state = SOURCE_BOUNDARY;
}

uint64_t warc_source_place(const struct warc_source *source)
{
    return source->in_place + source->in_at;
}

/* As pread. */
static ssize_t read_bytes(const struct warc_source *source, void *to,
                          size_t room, uint64_t place)
{
    if (place < source->tail_at)
        return pread(source->fd, to, room, (off_t)place);
    uint64_t skip = place - source->tail_at;
    struct str bytes =
        skip < source->tail.len
            ? str_first(str_skip(source->tail, (size_t)skip), room)
            : STR("");
    memcpy(to, bytes.ptr, bytes.len);
    return (ssize_t)bytes.len;
}

/* Have at least `want` bytes of the file in the window, or all that are left.
 * False with errno. */
static bool fill_in(struct warc_source *source, size_t want)
{
    if (source->in_len - source->in_at >= want)
        return true;
    memmove(source->in, source->in + source->in_at,
            source->in_len - source->in_at);
    source->in_place += source->in_at;
    source->in_len -= source->in_at;
    source->in_at = 0;
    while (source->in_len < want) {
        uint64_t place = source->from + source->in_place + source->in_len;
        size_t room = sizeof(source->in) - source->in_len;

        if (place < source->from || place >= source->end)
            return true;
        if (room > source->end - place)
            room = (size_t)(source->end - place);
        if (room > source->read_max)
            room = source->read_max;
        if (place < source->tail_at && room > source->tail_at - place)
            room = (size_t)(source->tail_at - place);
        ssize_t got =
            read_bytes(source, source->in + source->in_len, room, place);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return false;
        if (got == 0)
            return true;
        source->in_len += (size_t)got;
    }
    return true;
}

/* Where the file ends after one byte, that may be the first of a member. */
static bool is_gzip_head(const unsigned char *at, size_t len)
{
    return at[0] == 0x1f && (len == 1 || at[1] == 0x8b);
}

static enum source_got enter(struct warc_source *source, enum source_got state)
{
    source->state = state;
    return state;
}

enum source_got warc_source_begin(struct warc_source *source)
{
    source->taken = 0;
    source->out_at = source->out_len = 0;
    if (!fill_in(source, 2))
        return enter(source, SOURCE_FAILED);
    source->unit_at = warc_source_place(source);
    if (source->in_at == source->in_len)
        return enter(source, SOURCE_END);
    source->is_packed = is_gzip_head(source->in + source->in_at,
                                     source->in_len - source->in_at);
    if (!source->is_packed && source->has_packed)
        return enter(source, SOURCE_BROKEN);
    if (source->is_packed) {
        source->has_packed = true;
        inflateReset(&source->zlib);
    }
    return enter(source, SOURCE_BYTES);
}

/* Unpack until there are bytes, or the member ends. */
static enum source_got unpack(struct warc_source *source)
{
    z_stream *zlib = &source->zlib;

    for (;;) {
        if (!fill_in(source, 1))
            return enter(source, SOURCE_FAILED);
        /* Without input zlib may still have output to give. */
        bool is_at_end = source->in_at == source->in_len;
        zlib->next_in = source->in + source->in_at;
        zlib->avail_in = (uInt)(source->in_len - source->in_at);
        zlib->next_out = source->out;
        zlib->avail_out = sizeof(source->out);
        int said = inflate(zlib, Z_NO_FLUSH);
        source->in_at = source->in_len - zlib->avail_in;
        source->out_at = 0;
        source->out_len = sizeof(source->out) - zlib->avail_out;
        if (said == Z_MEM_ERROR)
            mem_checked(NULL);
        if (said == Z_STREAM_END)
            source->state = SOURCE_BOUNDARY;
        else if (said != Z_OK && said != Z_BUF_ERROR)
            source->state = SOURCE_BROKEN;
        else if (is_at_end && !source->out_len)
            source->state = SOURCE_CUT;
        if (source->out_len)
            return SOURCE_BYTES;
        if (source->state != SOURCE_BYTES)
            return source->state;
    }
}

enum source_got warc_source_peek(struct warc_source *source, struct str *bytes)
{
    if (source->is_packed) {
        if (source->out_at == source->out_len) {
            if (source->state != SOURCE_BYTES)
                return source->state;
            enum source_got got = unpack(source);
            if (got != SOURCE_BYTES)
                return got;
        }
        *bytes = (struct str){(const char *)source->out + source->out_at,
                              source->out_len - source->out_at};
        return SOURCE_BYTES;
    }
    if (source->state != SOURCE_BYTES)
        return source->state;
    if (!fill_in(source, 1))
        return enter(source, SOURCE_FAILED);
    if (source->in_at == source->in_len)
        return SOURCE_END;
    *bytes = (struct str){(const char *)source->in + source->in_at,
                          source->in_len - source->in_at};
    return SOURCE_BYTES;
}

void warc_source_take(struct warc_source *source, size_t count)
{
    source->taken += count;
    if (source->is_packed)
        source->out_at += count;
    else
        source->in_at += count;
}

enum source_got warc_source_skip(struct warc_source *source, uint64_t count)
{
    struct str bytes;

    while (count) {
        enum source_got got = warc_source_peek(source, &bytes);
        if (got != SOURCE_BYTES)
            return got;
        size_t now = count < bytes.len ? (size_t)count : bytes.len;
        warc_source_take(source, now);
        count -= now;
    }
    return SOURCE_BYTES;
}

/* Could a member with deflate begin here? */
static bool is_member_start(const unsigned char *at)
{
    return is_gzip_head(at, 4) && at[2] == 8 && (at[3] & 0xe0) == 0;
}

enum source_got warc_source_recover(struct warc_source *source)
{
    source->out_at = source->out_len = 0;
    if (warc_source_place(source) == source->unit_at &&
        source->in_at < source->in_len)
        source->in_at++; /* it was tried, and is none */
    for (;;) {
        if (!fill_in(source, 4))
            return enter(source, SOURCE_FAILED);
        if (source->in_len - source->in_at < 4) {
            source->in_at = source->in_len;
            return enter(source, SOURCE_END);
        }
        if (is_member_start(source->in + source->in_at))
            return enter(source, SOURCE_BOUNDARY);
        source->in_at++;
    }
}
