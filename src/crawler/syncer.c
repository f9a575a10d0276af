#include "crawler/syncer.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"

struct syncer {
    pthread_t thread;
    struct pagesaver *saver;
    int asked, done; /* eventfds; ASK_END ends the thread */
    int error;       /* written before `done`, read after it */
};

enum { ASK_SYNC = 1, ASK_END = 2 };

static void send(int fd, uint64_t what)
{
    while (write(fd, &what, sizeof(what)) < 0 && errno == EINTR)
        ;
}

static uint64_t receive(int fd)
{
    uint64_t what = 0;

    while (read(fd, &what, sizeof(what)) < 0 && errno == EINTR)
        ;
    return what;
}

static void *run(void *user)
{
    struct syncer *syncer = user;

    while (receive(syncer->asked) < ASK_END) {
        syncer->error = pagesaver_sync(syncer->saver) ? 0 : errno;
        send(syncer->done, 1);
    }
    return NULL;
}

struct syncer *syncer_start(struct pagesaver *saver)
{
    struct syncer *syncer = NEW(struct syncer);

    syncer->saver = saver;
    syncer->asked = eventfd(0, EFD_CLOEXEC);
    syncer->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int err = syncer->asked < 0 || syncer->done < 0
                  ? errno
                  : pthread_create(&syncer->thread, NULL, run, syncer);
    if (err) {
        fprintf(stderr, "crawler: cannot start a thread: %s\n", strerror(err));
        _exit(1);
    }
    return syncer;
}

void syncer_free(struct syncer *syncer)
{
    if (!syncer)
        return;
    send(syncer->asked, ASK_END);
    pthread_join(syncer->thread, NULL);
    close(syncer->asked);
    close(syncer->done);
    free(syncer);
}

void syncer_begin(struct syncer *syncer)
{
    send(syncer->asked, ASK_SYNC);
}

int syncer_fd(const struct syncer *syncer)
{
    return syncer->done;
}

bool syncer_is_done(struct syncer *syncer, bool wait, int *error)
{
    struct pollfd fd = {.fd = syncer->done, .events = POLLIN};

    while (poll(&fd, 1, wait ? -1 : 0) < 0 && errno == EINTR)
        ;
    if (!(fd.revents & POLLIN))
        return false;
    receive(syncer->done);
    *error = syncer->error;
    return true;
}
