#!/usr/bin/env bats
# A name that leads outside when it is first looked up, and inside when it is
# looked up again.

load helper
load site
load dns

# strange_system: what connects to the outside gets to the playground; what
# connects to the inside leaves a line in $TMP/inside.
strange_system() {
    cat >"$TMP/strange.c" <<END
#include <arpa/inet.h>
#include <dlfcn.h>
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
    : >"$TMP/inside"
    LD_PRELOAD=$PRELOAD "${LIMITED[@]}" "$CRAWLER" --scope any \
        --log json --delay 0 --retries 0 --dns-servers "$DNS" \
        --connect-to "start.example::127.0.0.1:$PORT" http://start.example/ \
        "$DIR" 2 >"$TMP/log" 2>"$TMP/err"
}

# site_with_names <TABLE: a site that links to rebind.example.
site_with_names() {
    names
    serve "${NAMES[@]}" <<'END'
//start.example/
    body <a href=http://rebind.example/a>.</a>
//rebind.example/a
    body <a href=/b>.</a><a href=/c>.</a>
    close
//rebind.example/*
    body here
    close
END
    find_names
}

@test "a name that is bound to the inside later is not looked up again" {
    site_with_names <<'END'
rebind.example
    address 93.184.216.34
    ttl 0
    times 1
rebind.example
    address 127.0.0.1
END
    strange_system
    crawl_strangely
    same "rebind.example/a fetched
rebind.example/b fetched
rebind.example/c fetched
start.example/ fetched" "$(outcomes http://)"
    same 1 "$(asked rebind.example)" "look-ups"
    same "" "$(cat "$TMP/inside")" "connections to the inside"
}

@test "a name that is bound to the inside at once is not connected to" {
    site_with_names <<'END'
rebind.example
    address 127.0.0.1
END
    strange_system
    crawl_strangely
    same "rebind.example/a private-address
start.example/ fetched" "$(outcomes http://)"
    same "" "$(cat "$TMP/inside")" "connections to the inside"
}

@test "a name outside is followed to another name outside, by an alias" {
    site_with_names <<'END'
rebind.example
    cname www.example
www.example
    cname cdn.example
cdn.example
    address 93.184.216.34
END
    strange_system
    crawl_strangely
    same 4 "$(outcomes http:// | grep -c ' fetched')"
    same "" "$(cat "$TMP/inside")" "connections to the inside"
}

@test "a name that is an alias of one inside is not connected to" {
    for inside in 127.0.0.1 10.0.0.1 169.254.169.254 ::1 fd00::1; do
        rm -rf "$DIR" && mkdir "$DIR"
        site_with_names <<END
rebind.example
    cname inside.example
inside.example
    address $inside
END
        strange_system
        crawl_strangely
        # Where IPv6 is not routed, the name has no address at all.
        outcomes http:// | grep -q "rebind.example/a \(private-address\|no-dns\)" ||
            [[ "$inside" == *:* ]] || fail "$inside: $(cat "$TMP/log")"
        same "" "$(cat "$TMP/inside")" "connections to the inside, $inside"
        same 1 "$(outcomes http:// | grep -c ' fetched')" "$inside"
    done
}

@test "a host whose first address is outside and silent is not sought inside" {
    site_with_names <<'END'
rebind.example
    address 192.0.2.1
    address 127.0.0.1
END
    strange_system
    crawl_strangely
    same "rebind.example/a private-address
start.example/ fetched" "$(outcomes http://)"
    same "" "$(cat "$TMP/inside")" "connections to the inside"
}
