#!/usr/bin/env bats
# Looking names up: many at once, slow ones, none at all.

load helper
load site

# slow_names SECONDS: a system whose names take so long to be looked up, and are
# not found then.
slow_names() {
    cat >"$TMP/slow.c" <<END
#include <netdb.h>
#include <unistd.h>
int getaddrinfo(const char *name, const char *service,
                const struct addrinfo *hints, struct addrinfo **found)
{
    (void)name, (void)service, (void)hints, (void)found;
    sleep($1);
    return EAI_NONAME;
}
END
    "${CC:-cc}" -shared -fPIC -o "$TMP/slow.so" "$TMP/slow.c"
    preload "$TMP/slow.so"
}

# look_up OPTION...: crawl the seeds with these names; the time in ms is in TOOK.
# What waits for a name that takes longer than $LIMIT is ended by force, with
# another status.
look_up() {
    local start

    start=$(date +%s%3N)
    LD_PRELOAD=$PRELOAD capture timeout -k 5 "$LIMIT" "$CRAWLER" --scope any \
        --log json --seeds "$TMP/seeds" "$@" "$DIR" "${DEPTH:-0}"
    TOOK=$(($(date +%s%3N) - start))
}

@test "--max-time does not wait for names" {
    slow_names $((2 * LIMIT))
    printf 'http://h%d.example/\n' {1..300} >"$TMP/seeds"
    look_up --max-time 500ms
    same 3 "$STATUS"
}

@test "--max-time does not wait for a single name, whose look-up is all there is to do" {
    slow_names $((2 * LIMIT))
    echo http://slow.example/ >"$TMP/seeds"
    look_up --max-time 500ms
    same 3 "$STATUS"
}

@test "a signal does not wait for names" {
    slow_names $((2 * LIMIT))
    printf 'http://h%d.example/\n' {1..300} >"$TMP/seeds"
    LD_PRELOAD=$PRELOAD "$CRAWLER" --scope any --log none --seeds "$TMP/seeds" \
        "$DIR" 0 >"$TMP/out" 2>"$TMP/err" 3>&- &
    crawler=$!
    until [ -e "$DIR/.crawler" ]; do
        sleep 0.02
    done
    kill -INT $crawler
    timeout "$LIMIT" tail -s 0.02 --pid=$crawler -f /dev/null ||
        { kill -KILL $crawler && fail "it waits"; }
    wait $crawler || STATUS=$?
    same 3 "$STATUS"
}

@test "localhost is this machine where no name can be looked up" {
    slow_names 0
    serve <<'END'
/robots.txt 404
/*
    body here
END
    for host in localhost LOCALHOST some.localhost; do
        rm -rf "$DIR" && mkdir "$DIR"
        echo "http://$host:$PORT/" >"$TMP/seeds"
        look_up
        same 0 "$STATUS" "$host"
    done
    # One that nobody named is at a private address.
    printf '/start\n    body <a href=http://localhost:1/>.</a>\n' >"$TMP/leads.site"
    start_playground --site "$TMP/leads.site"
    rm -rf "$DIR" && mkdir "$DIR"
    echo http://public.test/start >"$TMP/seeds"
    DEPTH=1 look_up --robots ignore --connect-to "public.test::127.0.0.1:$PORT"
    grep -q '"url":"http://localhost:1/".*"outcome":"private-address"' "$OUT"
}

@test "names that are slow do not hold up those that are known" {
    slow_names $((2 * LIMIT))
    serve <<'END'
/robots.txt 404
/*
    links 5 /%d
END
    {
        printf 'http://fast%d.example/\n' {1..20}
        printf 'http://slow%d.example/\n' {1..300}
    } >"$TMP/seeds"
    rules=()
    for i in {1..20}; do
        rules+=("--connect-to=fast$i.example::127.0.0.1:$PORT")
    done
    # All pages that there are; then it stops.
    DEPTH=1 look_up "${rules[@]}" --order priority --delay 2ms --ip-delay 1ms --max-pages 120
    same 3 "$STATUS"
    same 120 "$(page_count)"
}

@test "many names at once cost little memory" {
    without_sanitizer
    slow_names 8
    seq -f 'http://h%.0f.example/' 1 30000 >"$TMP/seeds"
    LD_PRELOAD=$PRELOAD /usr/bin/time -f %M -o "$TMP/memory" "$CRAWLER" \
        --scope any --log none --max-time 1s --seeds "$TMP/seeds" "$DIR" 0 \
        >/dev/null 2>&1 || same 3 $?
    [ "$(tail -n 1 "$TMP/memory")" -lt 100000 ] || fail "$(cat "$TMP/memory") KB"
}

@test "a name that is not found is tried again, later each time" {
    slow_names 0
    printf 'http://nowhere.example/%d\n' 1 2 >"$TMP/seeds"
    look_up --retries 1 -v
    same 4 "$STATUS"
    same "nowhere.example/1 no-dns
nowhere.example/2 no-dns" "$(
        cp "$OUT" "$TMP/log"
        outcomes http://
    )"
    [ "$TOOK" -ge 1000 ] || fail "it took $TOOK ms"
}

# names_with ADDRESS...: a system where every name has these addresses.
names_with() {
    cat >"$TMP/slow.c" <<END
#include <dlfcn.h>
#include <netdb.h>
#include <stddef.h>
static const char *const address[] = {$(printf '"%s",' "$@") NULL};
int getaddrinfo(const char *name, const char *service,
                const struct addrinfo *hints, struct addrinfo **found)
{
    __typeof__(getaddrinfo) *real =
        (__typeof__(real))dlsym(RTLD_NEXT, "getaddrinfo");

    (void)name;
    for (const char *const *next = address; *next; next++) {
        int err = real(*next, service, hints, found);
        if (err)
            return err;
        while (*found)
            found = &(*found)->ai_next;
    }
    return 0;
}
END
    "${CC:-cc}" -D_GNU_SOURCE -shared -fPIC -o "$TMP/slow.so" "$TMP/slow.c" -ldl
    preload "$TMP/slow.so"
}

@test "a name whose first addresses do not answer is reached by another" {
    names_with 127.0.0.9 127.0.0.8 127.0.0.1
    serve <<'END'
/robots.txt 404
/*
    links 3 /%d
END
    echo "http://three.example:$PORT/" >"$TMP/seeds"
    DEPTH=1 look_up --delay 1ms --ip-delay 1ms
    same 0 "$STATUS"
    same 4 "$(page_count)"
    # Both that do not answer were tried once, and then it stays.
    same 1 "$(grep -c /robots.txt "$RECORD")" "robots.txt"
    [ "$TOOK" -ge 2000 ] || fail "it took $TOOK ms"
}

@test "a host none of whose addresses answers is given up after --retries" {
    names_with 127.0.0.9 127.0.0.8
    serve <<'END'
/* 404
END
    echo "http://two.example:$PORT/" >"$TMP/seeds"
    look_up --delay 1ms --ip-delay 1ms --retries 2
    same 4 "$STATUS"
    same 0 "$(page_count)"
}
