#include "cli/live_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/head.h"
#include "base/io.h"
#include "cli/usage.h"
#include "fleet/engine_postgres.h"
#include "page/pagedir.h"
#include "store/store.h"
#include "view/view.h"
#include "web/url.h"

/* A crawl that works answers within a second or two. */
enum { REPLY_MAX = 8 << 20, PATIENCE_S = 15 };

/* Through the descriptor of the directory, whose own name may be too long for
 * the address of a socket. */
static int connect_to(int dir_fd)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = PATIENCE_S};

    snprintf(address.sun_path, sizeof(address.sun_path),
             "/proc/self/fd/%d/" VIEW_SOCKET, dir_fd);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
    if (!connect(fd, (struct sockaddr *)&address, sizeof(address)))
        return fd;
    io_close(fd);
    return -1;
}

static bool send_all(int fd, struct str text)
{
    while (text.len) {
        ssize_t n = send(fd, text.ptr, text.len, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            text = str_skip(text, (size_t)n);
    }
    return true;
}

static bool receive_all(int fd, struct buf *text)
{
    char bytes[16384];
    ssize_t n;

    while ((n = recv(fd, bytes, sizeof(bytes), 0)) != 0) {
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0 && !buf_put(text, (struct str){bytes, (size_t)n}))
            return false;
    }
    return true;
}

/* HTTP/1.0: what comes after the head, until the end, is the body. */
static bool exchange(int fd, const char *path, struct str json,
                     struct live_reply *reply)
{
    struct buf request;

    buf_init(&request, REPLY_MAX);
    buf_printf(&request, "%s %s HTTP/1.0\r\nHost: localhost\r\n",
               json.len ? "POST" : "GET", path);
    if (json.len)
        buf_printf(&request,
                   "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                   json.len);
    buf_put(&request, STR("\r\n"));
    buf_put(&request, json);
    bool good =
        send_all(fd, buf_str(&request)) && receive_all(fd, &reply->text);
    buf_release(&request);
    struct str text = buf_str(&reply->text);
    reply->status = (unsigned)head_status(text);
    reply->body = str_skip(text, head_len(text));
    return good && reply->status && reply->body.len < text.len;
}

static enum live_fault fault_of(int problem)
{
    if (problem == EAGAIN)
        return LIVE_SILENT; /* so many wait before us */
    return problem == EACCES || problem == EPERM ? LIVE_NOT_OURS
                                                 : LIVE_NOT_THERE;
}

enum live_fault live_ask(const char *dir_path, const char *path,
                         struct str json, struct live_reply *reply)
{
    int dir_fd = open(dir_path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    *reply = (struct live_reply){.problem = errno};
    buf_init(&reply->text, REPLY_MAX);
    if (dir_fd < 0)
        return LIVE_NO_DIRECTORY;
    int fd = connect_to(dir_fd);
    reply->problem = errno;
    close(dir_fd);
    if (fd < 0)
        return fault_of(reply->problem);
    errno = 0;
    bool good = exchange(fd, path, json, reply);
    bool is_silent = errno == EAGAIN;
    close(fd);
    if (good)
        return LIVE_GOOD;
    return is_silent ? LIVE_SILENT : LIVE_NO_ANSWER;
}

/* The record tells how far a crawl came that is over. */
static bool has_record(const char *dir_path)
{
    struct arena arena;

    arena_init(&arena);
    bool has =
        !access(store_label(store_name_in(dir_path, &arena), &arena), F_OK);
    arena_release(&arena);
    return has;
}

static bool is_at_work(const char *dir_path)
{
    struct pagedir dir;

    if (!pagedir_open_read(&dir, dir_path))
        return false;
    bool is_locked = pagedir_is_locked(&dir);
    pagedir_close(&dir);
    return is_locked;
}

/* `shown` is the path as a message may show it. */
static int complain_of(const char *dir_path, const char *shown,
                       enum live_fault fault, const struct live_reply *reply)
{
    switch (fault) {
    case LIVE_GOOD:
        return 0;
    case LIVE_NO_DIRECTORY:
        return complain("pageDirectory '%s': %s", shown,
                        strerror(reply->problem));
    case LIVE_NOT_OURS:
        return complain("the crawl in '%s' is another user's, who alone may "
                        "ask it",
                        shown);
    case LIVE_NO_ANSWER:
        return complain_failure("the crawl in '%s' did not answer", shown);
    case LIVE_SILENT:
        return complain_failure("the crawl in '%s' did not answer for %d "
                                "seconds: it may be suspended (SIGSTOP), or "
                                "wait for a disk",
                                shown, PATIENCE_S);
    case LIVE_NOT_THERE:
        break;
    }
    if (is_at_work(dir_path))
        return complain("the crawl in '%s' cannot be asked: it is of the "
                        "CS50 playground, has --state none, or is about to "
                        "begin or to end",
                        shown);
    if (has_record(dir_path))
        return complain("no crawl that can be asked is at work in '%s'; "
                        "crawler status tells how far the last one came",
                        shown);
    return complain("no crawl that can be asked is at work in '%s'", shown);
}

int live_complain(const char *dir_path, enum live_fault fault,
                  const struct live_reply *reply)
{
    struct arena arena;

    if (engine_postgres_is_url(dir_path))
        return complain("this takes the pageDirectory of one machine; for the "
                        "whole fleet there are crawler status, pause, continue "
                        "and stop");
    arena_init(&arena);
    int status =
        complain_of(dir_path, login_hide(&arena, dir_path), fault, reply);
    arena_release(&arena);
    return status;
}

void live_reply_release(struct live_reply *reply)
{
    buf_release(&reply->text);
}
