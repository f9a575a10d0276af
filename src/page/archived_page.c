#include "page/archived_page.h"

#include <fcntl.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "archive/warc_read.h"
#include "page/coding.h"

static bool put_body(struct warc_reader *reader, struct buf *scratch,
                     struct buf *out)
{
    struct warc_record record;
    struct warc_http http;
    struct codings codings = {.count = 0};

    if (warc_read(reader, &record) != WARC_RECORD ||
        record.type != WARC_RESPONSE ||
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
    struct buf scratch;

    if (fd < 0)
        return false;
    buf_init(&scratch, WARC_BLOCK_MAX);
    struct warc_reader *reader = warc_reader_open(fd, page->at, 0);
    bool good = put_body(reader, &scratch, out);
    warc_reader_free(reader);
    buf_release(&scratch);
    close(fd);
    return good;
}
