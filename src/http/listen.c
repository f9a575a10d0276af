#include "http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

enum { BACKLOG = 4096 };

static const char syntax[] =
    "an address to listen on is ADDR:PORT, like 127.0.0.1:8080 or [::1]:0, or "
    "unix:PATH";
static const char not_loopback[] =
    "only loopback addresses (127.0.0.0/8 and ::1) may be listened on";
static const char too_long[] = "the path of the Unix socket is too long";

static bool parse_v4(struct str host, uint16_t port,
                     struct http_address *address, const char **problem)
{
    char text[INET_ADDRSTRLEN] = "";

    *problem = syntax;
    if (host.len >= sizeof(text))
        return false;
    memcpy(text, host.ptr, host.len);
    address->v4.sin_family = AF_INET;
    address->v4.sin_port = htons(port);
    if (inet_pton(AF_INET, text, &address->v4.sin_addr) != 1)
        return false;
    *problem = not_loopback;
    return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
}

static bool parse_v6(struct str host, uint16_t port,
                     struct http_address *address, const char **problem)
{
    char text[INET6_ADDRSTRLEN] = "";

    *problem = syntax;
    if (host.len < 2 || host.ptr[host.len - 1] != ']' ||
        host.len - 2 >= sizeof(text))
        return false;
    memcpy(text, host.ptr + 1, host.len - 2);
    address->v6.sin6_family = AF_INET6;
    address->v6.sin6_port = htons(port);
    if (inet_pton(AF_INET6, text, &address->v6.sin6_addr) != 1)
        return false;
    *problem = not_loopback;
    return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

static bool parse_local(struct str path, struct http_address *address,
                        const char **problem)
{
    *problem = path.len ? too_long : syntax;
    if (!path.len || path.len >= sizeof(address->local.sun_path))
        return false;
    address->local.sun_family = AF_UNIX;
    memcpy(address->local.sun_path, path.ptr, path.len);
    return true;
}

bool http_address_parse(struct str text, struct http_address *address,
                        const char **problem)
{
    size_t colon = text.len;
    uint64_t port = 0;

    memset(address, 0, sizeof(*address));
    *problem = syntax;
    if (str_starts(text, STR("unix:")))
        return parse_local(str_skip(text, 5), address, problem);
    while (colon > 0 && text.ptr[colon - 1] != ':')
        colon--;
    if (!colon || !str_to_u64(str_skip(text, colon), &port) || port > 65535)
        return false;

    struct str host = str_first(text, colon - 1);
    if (host.len && host.ptr[0] == '[')
        return parse_v6(host, (uint16_t)port, address, problem);
    return parse_v4(host, (uint16_t)port, address, problem);
}

void http_address_format(const struct http_address *address,
                         char out[HTTP_ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "";

    switch (address->any.sa_family) {
    case AF_UNIX:
        snprintf(out, HTTP_ADDRESS_TEXT, "unix:%s", address->local.sun_path);
        break;
    case AF_INET6:
        inet_ntop(AF_INET6, &address->v6.sin6_addr, host, sizeof(host));
        snprintf(out, HTTP_ADDRESS_TEXT, "[%s]:%u", host,
                 ntohs(address->v6.sin6_port));
        break;
    default:
        inet_ntop(AF_INET, &address->v4.sin_addr, host, sizeof(host));
        snprintf(out, HTTP_ADDRESS_TEXT, "%s:%u", host,
                 ntohs(address->v4.sin_port));
    }
}

static socklen_t size_of(const struct http_address *address)
{
    switch (address->any.sa_family) {
    case AF_UNIX:
        return sizeof(address->local);
    case AF_INET6:
        return sizeof(address->v6);
    default:
        return sizeof(address->v4);
    }
}

/* Was this Unix socket left by a program of ours that was killed? Then nobody
 * listens on it. */
static bool is_abandoned(const struct sockaddr_un *local)
{
    struct stat status;

    if (lstat(local->sun_path, &status) || !S_ISSOCK(status.st_mode) ||
        status.st_uid != geteuid())
        return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool refused =
        fd >= 0 &&
        connect(fd, (const struct sockaddr *)local, sizeof(*local)) &&
        errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

static bool bind_to(int fd, const struct http_address *address, socklen_t size)
{
    if (!bind(fd, &address->any, size))
        return true;
    if (errno != EADDRINUSE || address->any.sa_family != AF_UNIX)
        return false;
    bool abandoned = is_abandoned(&address->local);
    errno = EADDRINUSE;
    return abandoned && !unlink(address->local.sun_path) &&
           !bind(fd, &address->any, size);
}

static bool start_listening(int fd, struct http_address *address)
{
    bool local = address->any.sa_family == AF_UNIX;
    socklen_t size = size_of(address);
    int one = 1;

    /* A Unix socket gets the mode of its descriptor at the time of bind. */
    if (local && fchmod(fd, 0600))
        return false;
    if (!local)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    return bind_to(fd, address, size) && !listen(fd, BACKLOG) &&
           (local || !getsockname(fd, &address->any, &size));
}

int http_address_listen(struct http_address *address)
{
    int fd = socket(address->any.sa_family,
                    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    if (fd < 0 || start_listening(fd, address))
        return fd;
    io_close(fd);
    return -1;
}
