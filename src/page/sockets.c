#include "page/sockets.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

struct open_socket {
    int fd;
    uint16_t cut_port; /* its own, if it was cut */
    uint64_t read;     /* by the last mark */
};

void sockets_init(struct sockets *sockets)
{
    memset(sockets, 0, sizeof(*sockets));
    pthread_mutex_init(&sockets->lock, NULL);
}

void sockets_release(struct sockets *sockets)
{
    pthread_mutex_destroy(&sockets->lock);
    free(sockets->open);
}

/* Of our side. */
static uint16_t port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } address = {0};
    socklen_t len = sizeof(address);

    if (getsockname(fd, &address.any, &len))
        return 0;
    return ntohs(address.any.sa_family == AF_INET6 ? address.v6.sin6_port
                                                   : address.v4.sin_port);
}

static void add(struct sockets *sockets, int fd)
{
    if (sockets->count == sockets->room) {
        sockets->room = sockets->room ? 2 * sockets->room : 64;
        sockets->open =
            mem_resize(sockets->open, sockets->room * sizeof(*sockets->open));
    }
    sockets->open[sockets->count++] = (struct open_socket){.fd = fd};
}

int sockets_open(struct sockets *sockets, int family, int type, int protocol)
{
    int fd = socket(family, type | SOCK_CLOEXEC, protocol);

    if (fd < 0)
        return fd;
    pthread_mutex_lock(&sockets->lock);
    add(sockets, fd);
    pthread_mutex_unlock(&sockets->lock);
    atomic_fetch_add(&sockets->opened, 1);
    return fd;
}

int sockets_close(struct sockets *sockets, int fd)
{
    pthread_mutex_lock(&sockets->lock);
    for (size_t i = 0; i < sockets->count; i++) {
        if (sockets->open[i].fd != fd)
            continue;
        if (sockets->open[i].cut_port)
            sockets->closed[sockets->closed_count++ % SOCKETS_CLOSED_MAX] =
                sockets->open[i].cut_port;
        sockets->open[i] = sockets->open[--sockets->count];
        break;
    }
    int err = close(fd);
    pthread_mutex_unlock(&sockets->lock);
    return err;
}

/* What has come, less what nobody has taken yet. */
static uint64_t read_from(int fd)
{
    struct tcp_info info = {0};
    socklen_t len = sizeof(info);
    int waiting = 0;

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) ||
        ioctl(fd, FIONREAD, &waiting))
        return 0;
    uint64_t received = info.tcpi_bytes_received, left = (uint64_t)waiting;
    return received > left ? received - left : 0;
}

void sockets_mark(struct sockets *sockets)
{
    pthread_mutex_lock(&sockets->lock);
    for (size_t i = 0; i < sockets->count; i++)
        sockets->open[i].read = read_from(sockets->open[i].fd);
    pthread_mutex_unlock(&sockets->lock);
}

bool sockets_cut_busiest(struct sockets *sockets)
{
    struct open_socket *busiest = NULL;
    uint64_t most = 0;

    pthread_mutex_lock(&sockets->lock);
    for (size_t i = 0; i < sockets->count; i++) {
        struct open_socket *open = &sockets->open[i];
        uint64_t now = read_from(open->fd);

        if (!open->cut_port && now > open->read && now - open->read > most) {
            busiest = open;
            most = now - open->read;
        }
    }
    if (busiest) {
        busiest->cut_port = port_of(busiest->fd);
        sockets->has_cut = true;
        shutdown(busiest->fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&sockets->lock);
    return busiest;
}

bool sockets_was_cut(struct sockets *sockets, uint16_t port)
{
    bool was_cut = false;

    if (!sockets->has_cut || !port)
        return false;
    pthread_mutex_lock(&sockets->lock);
    for (size_t i = 0; i < sockets->count; i++)
        was_cut |= sockets->open[i].cut_port == port;
    for (size_t i = 0; i < sockets->closed_count && i < SOCKETS_CLOSED_MAX; i++)
        was_cut |= sockets->closed[i] == port;
    pthread_mutex_unlock(&sockets->lock);
    return was_cut;
}

void sockets_forget_closed(struct sockets *sockets)
{
    if (!sockets->has_cut)
        return;
    pthread_mutex_lock(&sockets->lock);
    sockets->closed_count = 0;
    sockets->has_cut = false;
    for (size_t i = 0; i < sockets->count; i++)
        if (sockets->open[i].cut_port)
            sockets->has_cut = true;
    pthread_mutex_unlock(&sockets->lock);
}
