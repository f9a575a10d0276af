#!/usr/bin/env bats
# Name servers: many names, those that do not exist, servers that fail, lie or
# are not there.

load helper
load site
load dns

# here_by_name [OPTION...] <TABLE: names answered so, and a page for each host.
here_by_name() {
    names
    serve "${NAMES[@]}" "$@" <<'END'
/*
    body here
END
    find_names
}

# new_names: a web of 2,000 hosts, whose names take 50 ms each; a seed for each.
new_names() {
    local web=(--web names --hosts 2000 --pages 2000 --size 200 --links 0 --broken 0
        --redirects 0 --errors 0 --files 0 --slow 0 --flaky 0 --limited 0 --rules 0)

    start_playground "${web[@]}" --dns 0 --dns-delay 50ms --dns-record "$TMP/queries"
    find_names
    "$PLAYGROUND" hosts "${web[@]}" | sed 's,\([^\t]*\).*,http://\1/,' >"$TMP/seeds"
}

# find_all: a page of each host.
find_all() {
    capture "${LIMITED[@]}" "$CRAWLER" --dns-servers "$DNS" --robots ignore \
        --connect-to ":::$PORT" --scope any --allow-private --delay 0 --per-host 80 \
        --workers 200 --log none --state none --seeds "$TMP/seeds" "$DIR" 0
    same 0 "$STATUS" "$(cat "$ERR")" || return
    same 2000 "$(page_count)"
}

@test "dns: 2,000 names that take 50 ms each are all found, and each is asked for once" {
    new_names
    find_all
    same 2000 "$(asked)"
    # Each name and type once; IPv6 only where there is a route.
    same "" "$(cut -f 4,5 "$TMP/queries" | sort | uniq -d)"
    # A port of ours is used for a hundred names at most.
    [ "$(cut -f 3 "$TMP/queries" | sort -u | wc -l)" -ge 20 ] ||
        fail "$(cut -f 3 "$TMP/queries" | sort | uniq -c)"
}

# Name servers that lie between most crawls and the rest of the world. Each is as
# Debian makes it, but for the way to the playground's name server.

# start_server COMMAND... <CONFIGURATION: a name server on a free port of
# 127.0.0.53, which is @PORT@ there. The file is COMMAND's last argument. It is in
# DNS from then on; what it says is in $TMP/server.
start_server() {
    local configuration port pid

    configuration=$(cat)
    for _ in {1..9}; do
        port=$((RANDOM % 20000 + 12000))
        echo "${configuration//@PORT@/$port}" >"$TMP/configuration"
        setpriv --pdeathsig TERM "$@" "$TMP/configuration" >"$TMP/server" 2>&1 3>&- &
        pid=$!
        until grep -q ":$(printf %04X "$port") " /proc/net/udp; do
            kill -0 $pid 2>/dev/null || continue 2
            sleep 0.02
        done
        SERVERS+=("$pid")
        DNS=127.0.0.53:$port
        return
    done
    fail "it did not start: $(cat "$TMP/server")"
}

# few_lost QUESTION: of the questions that the crawl sent to this server few were
# sent in vain. They are lines with QUESTION in what the server says, and those
# that the kernel threw away because the socket's buffer was full.
few_lost() {
    local sent needed

    sent=$(awk -v port=":$(printf %04X "${DNS##*:}")" \
        'index($2, port) { n += $NF } END { print n + 0 }' /proc/net/udp)
    sent=$((sent + $(grep -c "$1" "$TMP/server")))
    needed=$(cut -f 4,5 "$TMP/queries" | grep 'A$' | sort -u | wc -l)
    # One in a hundred on a quiet machine, up to ten on a busy one; a crawl that
    # asks for all names at once sends two to four times as many as it needs.
    [ "$needed" -ge 2000 ] && [ "$sent" -ge "$needed" ] &&
        [ "$sent" -le $((needed * 14 / 10)) ] || fail "$sent for $needed"
}

@test "dns: behind dnsmasq, which takes 150 questions at a time, few are lost" {
    program=$(PATH=$PATH:/usr/sbin command -v dnsmasq) || skip "no dnsmasq"
    new_names
    start_server "$program" -k --log-facility=- -C <<END
port=@PORT@
listen-address=127.0.0.53
bind-interfaces
no-resolv
no-hosts
user=$(id -un)
server=127.0.0.1#${DNS##*:}
log-queries
END
    find_all
    few_lost 'query\['
}

@test "dns: behind unbound few questions are lost" {
    program=$(PATH=$PATH:/usr/sbin command -v unbound) || skip "no unbound"
    new_names
    start_server "$program" -d -c <<END
server:
    interface: 127.0.0.53
    port: @PORT@
    access-control: 127.0.0.0/8 allow
    do-daemonize: no
    username: ""
    chroot: ""
    directory: "$TMP"
    pidfile: ""
    use-syslog: no
    log-queries: yes
    do-not-query-localhost: no
forward-zone:
    name: .
    forward-addr: 127.0.0.1@${DNS##*:}
END
    find_all
    few_lost ' A\{1,4\} IN$'
}

@test "dns: a server that is silent is asked last" {
    names_are '*
    drop'
    silent=$DNS
    mv "$TMP/queries" "$TMP/silent"
    new_names
    DNS=$silent,$DNS
    find_all
    silent=$(cut -f 4,5 "$TMP/silent" | grep -c 'A$')
    [ "$silent" -le 400 ] || fail "the silent server was asked $silent times"
}

@test "dns: a name that several hosts share is asked for once" {
    here_by_name --dns-delay 300ms <<<''
    for i in {1..20}; do
        echo "http://shared.example:$i/"
    done >"$TMP/seeds"
    echo "http://shared.example:$PORT/" >>"$TMP/seeds"
    fetch_by_name 0 --seeds "$TMP/seeds" --per-host 30 --log=json
    same 0 "$STATUS"
    same 1 "$(asked shared.example)"
    same 1 "$(page_count)"
}

@test "dns: a name that does not exist is a named outcome of each of its URLs" {
    here_by_name <<'END'
gone.example
    error nxdomain
empty.example
    address 2001:db8::1
END
    for name in gone empty; do
        printf 'http://%s.example/%d\n' $name 1 $name 2 >"$TMP/seeds"
        rm -rf "$DIR" && mkdir "$DIR"
        fetch_by_name 0 --seeds "$TMP/seeds" --log=json
        same 4 "$STATUS"
        # A host with an IPv6 address alone is sought where IPv6 is routed.
        [ $name = empty ] ||
            same "$name.example/1 no-dns
$name.example/2 no-dns" "$(outcomes http://)"
        same 1 "$(asked $name.example)"
    done
    grep -q 'not found' "$ERR" || [ $name = empty ] || fail "$(cat "$ERR")"
}

@test "dns: a failure is remembered" {
    names <<'END'
gone.example
    error nxdomain
broken.example
    error servfail
END
    serve "${NAMES[@]}" <<'END'
/1
    body <a href=http://gone.example:1/>.</a><a href=http://broken.example:1/>.</a>
    body <a href=/2>.</a>
/2
    body <a href=http://gone.example:2/>.</a><a href=http://broken.example:2/>.</a>
END
    find_names
    fetch_by_name 2 "http://start.example:$PORT/1"
    same 0 "$STATUS"
    same "broken.example:1/ dns-failed
broken.example:2/ dns-failed
gone.example:1/ no-dns
gone.example:2/ no-dns" "$(outcomes http:// | grep -v start)"
    same 1 "$(asked gone.example)"
    # Four tries are one look-up.
    [ "$(asked broken.example)" -le 4 ] || fail "$(cat "$TMP/queries")"
}

@test "dns: a server that fails is a named outcome, and tried again later" {
    here_by_name <<'END'
*
    error servfail
END
    fetch_by_name 0 --retries 0 "http://a.example:$PORT/"
    same 4 "$STATUS"
    same "a.example:$PORT/ dns-failed" "$(outcomes http://)"
    grep -q 'no name server has answered' "$ERR" || fail "$(cat "$ERR")"
    rm -rf "$DIR" && mkdir "$DIR"
    here_by_name <<'END'
*
    error refused
    times 4
END
    fetch_by_name 0 --retries 4 "http://a.example:$PORT/"
    same 0 "$STATUS"
    same 5 "$(asked a.example)"
}

@test "dns: a name server that is not there is said to be so" {
    # Nobody listens there.
    DNS=127.0.0.1:1
    fetch_by_name 0 http://a.example/
    same 4 "$STATUS"
    same "a.example/ dns-failed" "$(outcomes http://)"
    grep -q 'no name server has answered' "$ERR" || fail "$(cat "$ERR")"
}

@test "dns: where one server is not there, another is asked" {
    here_by_name <<<''
    DNS=127.0.0.1:1,$DNS
    for i in {1..8}; do
        echo "http://h$i.example:$PORT/"
    done >"$TMP/seeds"
    fetch_by_name 0 --seeds "$TMP/seeds" --per-host 8 --log=json
    same 0 "$STATUS"
    same 8 "$(page_count)"
}

@test "dns: a query or an answer that is lost is asked for again" {
    here_by_name <<'END'
once.example
    drop
    times 1
END
    fetch_by_name 0 "http://once.example:$PORT/"
    same 0 "$STATUS"
    same 2 "$(asked once.example)"
}

@test "dns: of many names some answers are lost, and all names are found" {
    here_by_name --dns-loss 10% <<<''
    for i in {1..100}; do
        echo "http://h$i.example:$PORT/"
    done >"$TMP/seeds"
    fetch_by_name 0 --seeds "$TMP/seeds" --per-host 80 --retries=3
    same 0 "$STATUS"
    same 100 "$(page_count)"
    [ "$(asked)" -gt 100 ] || fail "nothing was lost"
}

@test "dns: answers that are no answers are not taken" {
    for what in garbage wrong-id; do
        here_by_name <<END
odd.example
    $what
    address 127.0.0.9
    times 1
END
        rm -rf "$DIR" && mkdir "$DIR"
        fetch_by_name 0 --retries 2 "http://odd.example:$PORT/"
        same 0 "$STATUS" "$what"
        same 1 "$(page_count)" "$what"
        grep -q "odd.example	A	$what" "$TMP/queries" || fail "$what was not tried"
    done
}

@test "dns: an answer that is truncated is asked for over TCP" {
    here_by_name <<'END'
long.example
    truncated
END
    fetch_by_name 0 "http://long.example:$PORT/"
    same 0 "$STATUS"
    same "tcp answer
udp truncated" "$(awk -F '\t' '$5 == "A" { print $2, $6 }' "$TMP/queries" | sort)"
}

@test "dns: a name with very many addresses is found" {
    {
        echo many.example
        echo '    address 127.0.0.1'
        printf '    address 127.0.3.%d\n' {1..200}
    } >"$TMP/table"
    here_by_name <"$TMP/table"
    fetch_by_name 0 "http://many.example:$PORT/"
    same 0 "$STATUS"
}

@test "dns: an answer that comes after the end does no harm" {
    here_by_name --dns-delay 1s <<<''
    fetch_by_name 0 --max-time 300ms "http://late.example:$PORT/"
    same 3 "$STATUS"
    same 1 "$(asked late.example)"
}

@test "dns: --dns-servers must be addresses" {
    for bad in '' ' ' name.example 1.2.3 1.2.3.4: 1.2.3.4:0 1.2.3.4:65536 1.2.3.4:dns \
        '[::1' '[::1]5' '[::1]:' '[1.2.3.4]' ::1: 1.2.3.4, ,1.2.3.4 '1.2.3.4 5.6.7.8' \
        "$(printf '1.1.1.1,%.0s' {1..17})1.1.1.1"; do
        capture "$CRAWLER" --scope any --dns-servers "$bad" http://a.example/ "$DIR" 0
        same 2 "$STATUS" "'$bad'"
        same 1 "$(wc -l <"$ERR")" "lines for '$bad'"
        grep -q -- '--dns-servers must be addresses' "$ERR" || fail "$(cat "$ERR")"
    done
    capture "$CRAWLER" --dns-servers 1.1.1.1 --proxy http://127.0.0.1:1 --scope any http://a.example/ "$DIR" 0
    same 2 "$STATUS"
    grep -q 'has no effect with --proxy' "$ERR" || fail "$(cat "$ERR")"
    same "" "$(ls -A "$DIR")"
}

@test "dns: a mistake in a table of names is told with its line" {
    for bad in 'a.example
    address 1.2.3' 'a.example
    error maybe' '    address 1.2.3.4' 'a.example b.example' 'a.example
    nonsense'; do
        echo "$bad" >"$TMP/bad"
        capture "$PLAYGROUND" --dns 0 --dns-names "$TMP/bad"
        same 1 "$STATUS" "$bad"
        grep -q 'line [12]: ' "$ERR" || fail "$(cat "$ERR")"
    done
    capture "$PLAYGROUND" --dns-names "$TMP/bad"
    same 1 "$STATUS"
}

# --- /etc/hosts and /etc/resolv.conf, in a place of their own -----------------

# apart COMMAND...: run it where mounts and the network are its own; or skip.
apart() {
    unshare -mn true 2>/dev/null || skip "no namespaces here"
    unshare -mn bash -euc "$1" - "${@:2}"
}

# Loopback is down in a new network; this starts it without any package.
lo_up='python3 -c "
import fcntl, socket, struct
s = socket.socket()
fcntl.ioctl(s, 0x8914, struct.pack(\"16sh14x\", b\"lo\", 0x49))"'

@test "dns: /etc/hosts goes before the name servers, also with 10,000 lines" {
    here_by_name <<<''
    {
        seq -f '127.0.0.9 name%.0f.example' 1 10000
        echo '127.0.0.1	Mine.Example alias.example # mine'
    } >"$TMP/hosts"
    for i in {1..50}; do
        echo "http://mine.example:$PORT/$i"
    done >"$TMP/seeds"
    printf 'http://%s.example:%d/\n' alias "$PORT" other "$PORT" >>"$TMP/seeds"
    unshare -m true 2>/dev/null || skip "no namespaces here"
    capture unshare -m bash -euc 'mount --bind "$1" /etc/hosts; shift; exec "$@"' - \
        "$TMP/hosts" "${LIMITED[@]}" "$CRAWLER" --dns-servers "$DNS" --robots ignore \
        --scope any --delay 0 --log none --per-host 10 --seeds "$TMP/seeds" "$DIR" 0
    same 0 "$STATUS" "$(cat "$ERR")"
    same 52 "$(page_count)"
    same "other.example" "$(awk -F '\t' '$5 == "A" { print $4 }' "$TMP/queries")"
}

@test "dns: search domains of resolv.conf are for names without a dot" {
    printf 'search lan.example\nnameserver 127.0.0.1\n' >"$TMP/resolv.conf"
    cat >"$TMP/names" <<'END'
intra.lan.example
    address 127.0.0.1
dotted.example
    error nxdomain
*
    error nxdomain
END
    printf '/*\n    body here\n' >"$TMP/my.site"
    printf 'http://%s/\n' intra dotted.example other.dotted.example >"$TMP/seeds"
    apart "$lo_up"'
        mount --bind "$1/resolv.conf" /etc/resolv.conf
        "$2" --site "$1/my.site" --listen 127.0.0.1:80 --dns 53 --dns-names "$1/names" \
            --dns-record "$1/queries" >"$1/server" &
        until grep -q "name server" "$1/server"; do
            sleep 0.05
        done
        timeout -k 60 100 "$3" --robots ignore --scope any --delay 0 --retries 0 --log none \
            --seeds "$1/seeds" "$4" 0
        kill %1' "$TMP" "$PLAYGROUND" "$CRAWLER" "$DIR"
    same 1 "$(page_count)"
    same "dotted.example
intra.lan.example
other.dotted.example" "$(awk -F '\t' '$5 == "A" { print $4 }' "$TMP/queries" | sort)"
}
