#include "page/pagesaver.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/hash.h"

/* Everything, however often the kernel takes only a part. */
static bool write_all(int fd, struct iovec part[], int count)
{
    while (count) {
        ssize_t written = writev(fd, part, count);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return false;
        size_t done = (size_t)written;
        while (count && done >= part->iov_len) {
            done -= part->iov_len;
            part++;
            count--;
        }
        if (count) {
            part->iov_base = (char *)part->iov_base + done;
            part->iov_len -= done;
        }
    }
    return true;
}

static bool write_page(int fd, const struct webpage *page)
{
    char depth[16];
    int len = snprintf(depth, sizeof(depth), "\n%u\n", (unsigned)page->depth);
    struct iovec part[] = {
        {(void *)page->url.ptr, page->url.len},
        {depth, (size_t)len},
        {(void *)page->body.ptr, page->body.len},
    };

    return write_all(fd, part, ARRAY_LEN(part));
}

static bool save(const struct pagesaver *saver, struct webpage *page)
{
    int fd = openat(saver->dir_fd, page->file,
                    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (fd < 0)
        return false;
    bool written = write_page(fd, page);
    int why = errno;
    /* A file system over a network may tell only now that it is full. */
    if (close(fd) && written) {
        written = false;
        why = errno;
    }
    if (!written)
        unlinkat(saver->dir_fd, page->file, 0);
    errno = why;
    return written;
}

void pagesaver_save(struct pagesaver *saver, struct webpage *page)
{
    snprintf(page->file, sizeof(page->file), PAGEDIR_TMP_PREFIX "%u-%lu",
             saver->hand, saver->count++);
    if (saver->want_digest)
        page->digest = hash64(page->body, 0);
    if (save(saver, page))
        return;
    page->save_errno = errno;
    page->outcome = NOT_SAVED;
    page->file[0] = '\0';
}
