/* The sockets of one fetcher's connections, so that another thread can end one
 * of them while libcurl has it: it opens and closes them here. */
#ifndef PAGE_SOCKETS_H
#define PAGE_SOCKETS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SOCKETS_CLOSED_MAX = 16 };

struct sockets {
    pthread_mutex_t lock;
    struct open_socket *open;
    size_t count, room;
    uint16_t closed[SOCKETS_CLOSED_MAX]; /* ports of those that were cut */
    size_t closed_count;
    atomic_bool has_cut; /* one that is open, or of those closed */
    atomic_uint opened;  /* ever */
};

void sockets_init(struct sockets *sockets);
void sockets_release(struct sockets *sockets);

int sockets_open(struct sockets *sockets, int family, int type, int protocol);
int sockets_close(struct sockets *sockets, int fd);

/* Note what was read from each so far; later, shut down the one from which most
 * was read since. False where nothing was read from any. */
void sockets_mark(struct sockets *sockets);
bool sockets_cut_busiest(struct sockets *sockets);

/* Was the one with this port of ours shut down so? libcurl closes it before it
 * tells of the end of a page, so those closed are known until they are
 * forgotten, which must be before another one gets the port. */
bool sockets_was_cut(struct sockets *sockets, uint16_t port);
void sockets_forget_closed(struct sockets *sockets);

#endif
