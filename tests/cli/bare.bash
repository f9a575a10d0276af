# The bare form: three arguments and no option at all, which means more than an
# option that says the same (a directory is crawled again without asking). So
# the playground stands for the course's server behind the program's back.
#
#     load helper
#     load bare
#
#     @test "..." {
#         start_playground --letters
#         bare_start
#         capture bare "$LETTERS/index.html" "$DIR" 1
#     }

# bare_start: the course's host has an address of the open net, by a file of
# hosts that stands in for /etc/hosts, and whoever connects there finds the
# playground of $PORT.
bare_start() {
    echo '93.184.215.14 cs50tse.cs.dartmouth.edu' >"$TMP/hosts"
    cat >"$TMP/lead.c" <<'END'
#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...);
    va_list args;

    va_start(args, flags);
    int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, int) : 0;
    va_end(args);
    *(void **)&next = dlsym(RTLD_NEXT, "open");
    return next(strcmp(path, "/etc/hosts") ? path : HOSTS, flags, mode);
}

int connect(int fd, const struct sockaddr *to, socklen_t len)
{
    int (*next)(int, const struct sockaddr *, socklen_t);
    struct sockaddr_in here = {
        .sin_family = AF_INET,
        .sin_port = htons((unsigned short)atoi(getenv("PLAYGROUND_PORT"))),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };

    *(void **)&next = dlsym(RTLD_NEXT, "connect");
    if (to->sa_family != AF_INET)
        return next(fd, to, len);
    return next(fd, (struct sockaddr *)&here, sizeof(here));
}
END
    "${CC:-cc}" -D_GNU_SOURCE -DHOSTS="\"$TMP/hosts\"" -shared -fPIC \
        -o "$TMP/lead.so" "$TMP/lead.c" -ldl
    preload "$TMP/lead.so"
    LEAD=$PRELOAD
}

# bare ARGUMENT...: the crawler with these arguments and nothing else.
bare() {
    "${LIMITED[@]}" env PLAYGROUND_PORT="$PORT" LD_PRELOAD="$LEAD" \
        "$CRAWLER" "$@"
}
