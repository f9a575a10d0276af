# A real web server for tests: nginx on free loopback ports.
#
#     load helper
#     load nginx
#
#     @test "..." {
#         start_nginx <<'END'
#     server {
#         listen 127.0.0.1:@PORT1@;
#         root @TMP@/www;
#     }
#     END
#         crawl --scope host "http://example.org/" "$DIR" 1  # to @PORT1@
#         nginx_log
#     }
#
# It is one process, stopped by the helper's teardown, and by the kernel if
# the test dies before that.

# start_nginx <SERVERS: start nginx with these server blocks and wait until it
# listens. Names to be used in them: @TMP@, the test's directory, and @PORT1@
# to @PORT4@, free ports. Sets PORT (the first), PORTS (all, from index 1) and
# NGINX_LOG. Not to be called under `run`.
start_nginx() {
    local servers try

    servers=$(cat)
    for try in 1 2 3 4 5; do
        nginx_try "$servers" "$TMP/nginx.$((${#SERVERS[@]} + 1)).$try" && return
    done
    fail "nginx did not start: $(cat "$TMP"/nginx.*/error.log)"
}

# Below the ports that the kernel gives out by itself.
nginx_ports() {
    local i

    PORTS=(0)
    for i in 1 2 3 4; do
        PORTS[i]=$((RANDOM % 20000 + 12000))
    done
    # shellcheck disable=SC2034 # the helper's
    PORT=${PORTS[1]}
}

nginx_try() {
    local servers=$1 home=$2 i

    nginx_ports
    mkdir -p "$home"
    for i in 1 2 3 4; do
        servers=${servers//@PORT$i@/${PORTS[i]}}
    done
    servers=${servers//@TMP@/$TMP}
    NGINX_LOG=$home/access.log
    cat >"$home/nginx.conf" <<END
daemon off;
master_process off;
pid $home/pid;
error_log $home/error.log warn;
worker_rlimit_nofile 2048;
events { worker_connections 1024; }
http {
    log_format requests '\$request_method \$request_uri \$status'
                        ' \$server_protocol \$host \$connection';
    access_log $NGINX_LOG requests;
    client_body_temp_path $home/body;
    proxy_temp_path $home/proxy;
    fastcgi_temp_path $home/fastcgi;
    uwsgi_temp_path $home/uwsgi;
    scgi_temp_path $home/scgi;
    types {
        text/html html htm;
        text/plain txt;
        text/css css;
        image/png png;
    }
    default_type application/octet-stream;
    keepalive_requests 1000000;
$servers
}
END
    setpriv --pdeathsig TERM "$(nginx_program)" -e "$home/error.log" \
        -p "$home" -c "$home/nginx.conf" >"$home/out" 2>&1 3>&- &
    PID=$!
    # The process writes its number once it listens.
    while [ ! -s "$home/pid" ]; do
        if ! kill -0 "$PID" 2>/dev/null; then
            wait "$PID" || return 1
        fi
        sleep 0.02
    done
    SERVERS+=("$PID")
}

# Not on everybody's PATH: it lies among the programs of the administrator.
nginx_program() {
    PATH=$PATH:/usr/sbin:/sbin command -v nginx
}

# nginx_log: "METHOD TARGET STATUS PROTOCOL HOST CONNECTION" of every request.
nginx_log() {
    cat "$NGINX_LOG"
}
