# A program that is killed before any call that writes.
#
#     load helper
#     load killer
#
#     killer
#     KILL_AT=7 LD_PRELOAD=$TMP/killer.so "$CRAWLER" ...

# killer: a library that kills the program before its Nth call of those that
# write, where $KILL_AT is N, and tells how many there were in $KILL_COUNT.
killer() {
    if is_sanitized; then
        skip "not with a sanitizer"
    fi
    cat >"$TMP/killer.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
static atomic_int calls;
static void count(void)
{
    const char *at = getenv("KILL_AT");
    if (++calls == (at ? atoi(at) : -1))
        kill(getpid(), SIGKILL);
}
__attribute__((destructor)) static void tell(void)
{
    const char *name = getenv("KILL_COUNT");
    FILE *file = name ? fopen(name, "w") : NULL;
    if (file)
        fprintf(file, "%d\n", (int)calls), fclose(file);
}
#define WRAP(type, name, params, args) \
    type name params { count(); \
    type (*real) params = (type (*) params)dlsym(RTLD_NEXT, #name); \
    return real args; }
WRAP(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t o), (fd, p, n, o))
WRAP(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t o), (fd, p, n, o))
WRAP(ssize_t, writev, (int fd, const struct iovec *p, int n), (fd, p, n))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, fdatasync, (int fd), (fd))
WRAP(int, syncfs, (int fd), (fd))
WRAP(int, ftruncate, (int fd, off_t n), (fd, n))
WRAP(int, ftruncate64, (int fd, off64_t n), (fd, n))
WRAP(int, rename, (const char *a, const char *b), (a, b))
WRAP(int, renameat, (int x, const char *a, int y, const char *b), (x, a, y, b))
WRAP(int, renameat2, (int x, const char *a, int y, const char *b, unsigned f), (x, a, y, b, f))
WRAP(int, mkdirat, (int x, const char *a, mode_t m), (x, a, m))
WRAP(int, linkat, (int x, const char *a, int y, const char *b, int f), (x, a, y, b, f))
WRAP(int, unlink, (const char *a), (a))
WRAP(int, unlinkat, (int x, const char *a, int f), (x, a, f))
END
    "${CC:-cc}" -shared -fPIC -o "$TMP/killer.so" "$TMP/killer.c" -ldl
}
