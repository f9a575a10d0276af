#include "testserver/record.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/io.h"

enum {
    MAX_BUFFERED = 64 * 1024 * 1024,
    FLUSH_AT = 64 * 1024,
    MAX_TEXT = 8 * 1024, /* of one column */
};

bool record_open(struct record *record, const char *path, bool headers)
{
    *record = (struct record){.fd = -1, .headers = headers};
    buf_init(&record->buf, MAX_BUFFERED);
    if (!path)
        return true;

    record->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (record->fd < 0)
        return false;
    buf_put(&record->buf,
            STR("start_us\tend_us\tconn\tlocal_addr\thost\tmethod\tpath\t"
                "status\tbytes\tuser_agent"));
    if (headers)
        buf_put(&record->buf, STR("\trequest"));
    buf_put_char(&record->buf, '\n');
    return record_flush(record);
}

static bool is_plain(char c)
{
    return (unsigned char)c >= 0x20 && c != 0x7f && c != '\\';
}

static void put_escape(struct buf *out, char c)
{
    static const char hex[] = "0123456789abcdef";
    const char *names = "\tt\rr\nn\\\\";
    char escape[4] = {'\\', 'x', hex[(unsigned char)c >> 4], hex[c & 15]};

    for (const char *name = names; *name; name += 2) {
        if (*name == c) {
            buf_put(out, STR("\\"));
            buf_put_char(out, name[1]);
            return;
        }
    }
    buf_put(out, (struct str){escape, sizeof(escape)});
}

static void put_text(struct buf *out, struct str text)
{
    text = str_first(text, MAX_TEXT);
    if (!text.len)
        buf_put_char(out, '-');
    while (text.len) {
        size_t plain = 0;

        while (plain < text.len && is_plain(text.ptr[plain]))
            plain++;
        buf_put(out, str_first(text, plain));
        text = str_skip(text, plain);
        if (text.len) {
            put_escape(out, text.ptr[0]);
            text = str_skip(text, 1);
        }
    }
    buf_put_char(out, '\t');
}

static void put_number(struct buf *out, uint64_t value)
{
    buf_put_number(out, value);
    buf_put_char(out, '\t');
}

void record_put(struct record *record, const struct record_line *line)
{
    struct buf *out = &record->buf;

    if (record->fd < 0)
        return;
    put_number(out, line->start_us);
    put_number(out, line->end_us);
    put_number(out, line->conn);
    put_text(out, line->local_addr);
    put_text(out, line->host);
    put_text(out, line->method);
    put_text(out, line->path);
    put_number(out, line->status);
    put_number(out, line->bytes);
    put_text(out, line->user_agent);
    if (record->headers)
        put_text(out, line->request);
    out->ptr[out->len - 1] = '\n';
    if (out->len >= FLUSH_AT)
        record_flush(record);
}

bool record_flush(struct record *record)
{
    struct iovec all = {record->buf.ptr, record->buf.len};
    bool good = record->fd < 0 || io_write_all(record->fd, &all, 1);

    buf_clear(&record->buf);
    return good;
}

bool record_close(struct record *record)
{
    bool good = record_flush(record);

    if (record->fd >= 0)
        good = !close(record->fd) && good;
    record->fd = -1;
    buf_release(&record->buf);
    return good;
}
