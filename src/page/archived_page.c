#include "page/archived_page.h"

#include <fcntl.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "archive/warc_read.h"
#include "page/coding.h"

/* The block of a record of any length, which is kept in `block`. */
static bool read_whole(struct warc_reader *reader, struct warc_record *record,
                       struct buf *block)
{
    enum warc_got got = warc_begin(reader, record);
    struct str bytes;

    if (got != WARC_RECORD || record->type != WARC_RESPONSE)
        return false;
    while ((got = warc_block(reader, &bytes)) == WARC_RECORD)
        if (!buf_put(block, bytes))
            return false;
    record->block = buf_str(block);
    return got == WARC_END;
}

static bool put_body(struct warc_reader *reader, struct buf *block,
                     struct buf *scratch, struct buf *out)
{
    struct warc_record record;
    struct warc_http http;
    struct codings codings = {.count = 0};

    if (!read_whole(reader, &record, block) ||
        !warc_http_parse(&record, scratch, &http) ||
        !codings_add(&codings, http.content_encoding))
        return false;
    return codings.count
               ? codings_undo(&codings, http.body, out) == CODING_WHOLE
               : buf_put(out, http.body);
}

bool archived_page_read(const struct archived_page *page, int dir_fd,
                        struct buf *out)
{
    int fd = archive_open_below(dir_fd, page->file,
                                O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct buf block, scratch;

    if (fd < 0)
        return false;
    /* A head, and chunks or a coding that make a body longer. */
    buf_init(&block, out->cap + WARC_START_MAX);
    buf_init(&scratch, out->cap);
    struct warc_reader *reader = warc_reader_open(fd, page->at, 0);
    bool good = put_body(reader, &block, &scratch, out);
    warc_reader_free(reader);
    buf_release(&scratch);
    buf_release(&block);
    close(fd);
    return good;
}
