/* For bench/guard.py: what it counts in the crawler, and what would differ from
 * one run to the next.
 *
 *     LD_PRELOAD=steady.so GUARD_ALLOCATIONS=FILE crawler ...
 *
 * The number of allocations is written to FILE at the end.
 *
 * The numbers that getrandom(2) gives are the same in every run, and with them
 * the order in hash tables.
 *
 * Time does not pass by itself: whatever is sent takes TICK_NS, so that a
 * hundred requests are a second. What the crawler and libcurl do once a second,
 * such as to look for dead connections, is then done once in so many pages,
 * however slow valgrind and however busy the machine. If nothing was sent while
 * somebody waited for as long as he wanted to, that time has passed, too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>

#define TICK_NS  (10 * 1000 * 1000LL)
#define AHEAD_NS (3600 * 1000000000LL)

/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static atomic_long allocations;
static atomic_llong now_ns;
static atomic_ullong drawn;

static int (*system_clock)(clockid_t id, struct timespec *time);
static int (*system_poll)(struct pollfd *fd, nfds_t count, int timeout_ms);
static int (*system_epoll)(int epoll, struct epoll_event *event, int count,
                           int timeout_ms);

__attribute__((constructor)) static void start(void)
{
    struct timespec time;

    *(void **)&system_clock = dlsym(RTLD_NEXT, "clock_gettime");
    *(void **)&system_poll = dlsym(RTLD_NEXT, "poll");
    *(void **)&system_epoll = dlsym(RTLD_NEXT, "epoll_wait");
    /* Ahead of the system's: a wait until some moment is not over at once. */
    system_clock(CLOCK_MONOTONIC, &time);
    now_ns = time.tv_sec * 1000000000LL + time.tv_nsec + AHEAD_NS;
}

__attribute__((destructor)) static void tell(void)
{
    long count = allocations;
    const char *path = getenv("GUARD_ALLOCATIONS");
    FILE *file = path ? fopen(path, "w") : NULL;

    if (file) {
        fprintf(file, "%ld\n", count);
        fclose(file);
    }
}

/* --- allocations -----------------------------------------------------------
 */

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    allocations++;
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    allocations++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    allocations++;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

/* --- chance and time -------------------------------------------------------
 */

/* splitmix64 */
ssize_t getrandom(void *out, size_t len, unsigned flags)
{
    unsigned char *to = out;

    (void)flags;
    for (size_t i = 0; i < len; i++) {
        uint64_t mixed = atomic_fetch_add(&drawn, 0x9e3779b97f4a7c15);
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
        to[i] = (unsigned char)(mixed >> 56);
    }
    return (ssize_t)len;
}

int clock_gettime(clockid_t id, struct timespec *time)
{
    long long ns = now_ns;

    if (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW &&
        id != CLOCK_MONOTONIC_COARSE && id != CLOCK_BOOTTIME)
        return system_clock(id, time);
    *time = (struct timespec){ns / 1000000000, ns % 1000000000};
    return 0;
}

ssize_t send(int fd, const void *bytes, size_t len, int flags)
{
    now_ns += TICK_NS;
    return sendto(fd, bytes, len, flags, NULL, 0);
}

/* A wait that began at `before_ns` is over. */
static int waited(long long before_ns, int timeout_ms, int ready)
{
    if (!ready && timeout_ms > 0)
        atomic_compare_exchange_strong(&now_ns, &before_ns,
                                       before_ns + timeout_ms * 1000000LL);
    return ready;
}

int poll(struct pollfd *fd, nfds_t count, int timeout_ms)
{
    long long before_ns = now_ns;

    return waited(before_ns, timeout_ms, system_poll(fd, count, timeout_ms));
}

int epoll_wait(int epoll, struct epoll_event *event, int count, int timeout_ms)
{
    long long before_ns = now_ns;

    return waited(before_ns, timeout_ms,
                  system_epoll(epoll, event, count, timeout_ms));
}
