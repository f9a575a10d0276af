#!/usr/bin/env bats
# A name that leads outside when it is first looked up, and inside when it is
# looked up again.

load helper
load site

# strange_system TIMES: rebind.example is at an address outside so many times
# that it is looked up, then at 127.0.0.1. What connects to the outside gets to
# the playground; what connects to the inside leaves a line in $TMP/inside.
strange_system() {
    cat >"$TMP/strange.c" <<END
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

static void note(const char *file, const char *text)
{
    FILE *out = fopen(file, "a");
    if (out) {
        fprintf(out, "%s\n", text);
        fclose(out);
    }
}

int getaddrinfo(const char *name, const char *service,
                const struct addrinfo *hints, struct addrinfo **found)
{
    static int asked;
    __typeof__(getaddrinfo) *real =
        (__typeof__(real))dlsym(RTLD_NEXT, "getaddrinfo");

    if (strcmp(name, "rebind.example"))
        return real(name, service, hints, found);
    note("$TMP/asked", name);
    int before = __atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST);
    return real(before < $1 ? "93.184.216.34" : "127.0.0.1", service, hints,
                found);
}

int connect(int fd, const struct sockaddr *address, socklen_t len)
{
    struct sockaddr_in to;
    __typeof__(connect) *real = (__typeof__(real))dlsym(RTLD_NEXT, "connect");

    if (address->sa_family != AF_INET)
        return real(fd, address, len);
    memcpy(&to, address, sizeof(to));
    if (to.sin_addr.s_addr == inet_addr("93.184.216.34")) {
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        to.sin_port = htons($PORT);
    } else if (to.sin_port == htons(80)) {
        note("$TMP/inside", inet_ntoa(to.sin_addr));
    }
    return real(fd, (struct sockaddr *)&to, sizeof(to));
}
END
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o "$TMP/strange.so" \
        "$TMP/strange.c" -ldl
    preload "$TMP/strange.so"
}

# crawl_strangely: from a page that links to rebind.example.
crawl_strangely() {
    : >"$TMP/asked"
    : >"$TMP/inside"
    LD_PRELOAD=$PRELOAD timeout -k 5 "$LIMIT" "$CRAWLER" --scope any \
        --log json --delay 0 --retries 0 \
        --connect-to "start.example::127.0.0.1:$PORT" http://start.example/ \
        "$DIR" 2 >"$TMP/log" 2>"$TMP/err"
}

site_that_links() {
    serve <<'END'
//start.example/
    body <a href=http://rebind.example/a>.</a>
//rebind.example/a
    body <a href=/b>.</a><a href=/c>.</a>
    close
//rebind.example/*
    body here
    close
END
}

@test "a name that is bound to the inside later is not looked up again" {
    site_that_links
    strange_system 1
    crawl_strangely
    same "rebind.example/a fetched
rebind.example/b fetched
rebind.example/c fetched
start.example/ fetched" "$(outcomes http://)"
    same 1 "$(wc -l <"$TMP/asked")" "look-ups"
    same "" "$(cat "$TMP/inside")" "connections to the inside"
}

@test "a name that is bound to the inside at once is not connected to" {
    site_that_links
    strange_system 0
    crawl_strangely
    same "rebind.example/a private-address
start.example/ fetched" "$(outcomes http://)"
    same "" "$(cat "$TMP/inside")" "connections to the inside"
}
