#include "page/sockets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

void sockets_init(struct sockets *sockets)
{
    memset(sockets, 0, sizeof(*sockets));
    pthread_mutex_init(&sockets->lock, NULL);
}

void sockets_release(struct sockets *sockets)
{
    pthread_mutex_destroy(&sockets->lock);
    free(sockets->fd);
}

static void add(struct sockets *sockets, int fd)
{
    if (sockets->count == sockets->room) {
        sockets->room = sockets->room ? 2 * sockets->room : 64;
        sockets->fd =
            mem_resize(sockets->fd, sockets->room * sizeof(*sockets->fd));
    }
    sockets->fd[sockets->count++] = fd;
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
    for (size_t i = 0; i < sockets->count; i++)
        if (sockets->fd[i] == fd)
            sockets->fd[i] = sockets->fd[--sockets->count];
    int err = close(fd);
    pthread_mutex_unlock(&sockets->lock);
    return err;
}

bool sockets_cut_fullest(struct sockets *sockets)
{
    int fullest = -1, most = 0;

    pthread_mutex_lock(&sockets->lock);
    for (size_t i = 0; i < sockets->count; i++) {
        int len = 0;
        if (!ioctl(sockets->fd[i], FIONREAD, &len) && len > most) {
            fullest = sockets->fd[i];
            most = len;
        }
    }
    if (fullest >= 0)
        shutdown(fullest, SHUT_RDWR);
    pthread_mutex_unlock(&sockets->lock);
    return fullest >= 0;
}
