/* The sockets of one fetcher's connections, so that another thread can end one
 * of them while libcurl has it: it opens and closes them here. */
#ifndef PAGE_SOCKETS_H
#define PAGE_SOCKETS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct sockets {
    pthread_mutex_t lock;
    int *fd;
    size_t count, room;
    atomic_uint opened; /* ever */
};

void sockets_init(struct sockets *sockets);
void sockets_release(struct sockets *sockets);

int sockets_open(struct sockets *sockets, int family, int type, int protocol);
int sockets_close(struct sockets *sockets, int fd);

/* Shut down the one that most has come for and is not read yet; false where
 * there is nothing to read, just now. */
bool sockets_cut_fullest(struct sockets *sockets);

#endif
