#include "crawler/outlet.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FLUSH_AT = 64 << 10, /* lines are written together */
    FULL = 1 << 20,
    MOST = 16 << 20, /* a single page may have more to tell than FULL */
};

void outlet_init(struct outlet *outlet, int fd)
{
    struct stat about;

    *outlet = (struct outlet){
        .fd = fd,
        .is_file = !fstat(fd, &about) && S_ISREG(about.st_mode),
    };
    buf_init(&outlet->kept, MOST);
}

void outlet_release(struct outlet *outlet)
{
    buf_release(&outlet->kept);
}

size_t outlet_kept(const struct outlet *outlet)
{
    return outlet->kept.len - outlet->written;
}

bool outlet_is_full(const struct outlet *outlet)
{
    return outlet_kept(outlet) >= FULL;
}

static void forget(struct outlet *outlet)
{
    buf_clear(&outlet->kept);
    outlet->written = 0;
}

void outlet_drop(struct outlet *outlet)
{
    outlet->dropped += outlet_kept(outlet);
    forget(outlet);
}

/* An error counts: write tells which. */
static bool is_writable(const struct outlet *outlet)
{
    struct pollfd fd = {.fd = outlet->fd, .events = POLLOUT};

    return outlet->is_file || poll(&fd, 1, 0) > 0;
}

bool outlet_flush(struct outlet *outlet)
{
    while (outlet_kept(outlet) && is_writable(outlet)) {
        size_t len = outlet_kept(outlet);
        if (!outlet->is_file && len > PIPE_BUF)
            len = PIPE_BUF;
        ssize_t n = write(outlet->fd, outlet->kept.ptr + outlet->written, len);
        if (n >= 0) {
            outlet->written += (size_t)n;
        } else if (errno == EAGAIN) {
            break;
        } else if (errno != EINTR) {
            outlet->error = errno;
            forget(outlet);
        }
    }
    if (!outlet_kept(outlet))
        forget(outlet);
    errno = outlet->error;
    return !outlet->error;
}

/* Move what is kept to the front. */
static void compact(struct outlet *outlet)
{
    size_t len = outlet_kept(outlet);

    memmove(outlet->kept.ptr, outlet->kept.ptr + outlet->written, len);
    outlet->kept.len = len;
    outlet->written = 0;
}

void outlet_put(struct outlet *outlet, struct str text)
{
    size_t before = outlet->kept.len / FLUSH_AT;

    if (outlet->error)
        return;
    while (!buf_put(&outlet->kept, text)) {
        if (outlet->written) {
            compact(outlet);
        } else if (!outlet->wait || !outlet->wait(outlet->user)) {
            outlet->dropped += text.len;
            return;
        } else if (!outlet_flush(outlet)) {
            return;
        }
    }
    if (outlet->kept.len / FLUSH_AT != before)
        outlet_flush(outlet);
}
