#!/usr/bin/env bats
# /metrics before judges: promtool, the parser of Python's client, and a
# Prometheus that scrapes a crawl.

load helper
load view

teardown() {
    [ -z "${PROMETHEUS:-}" ] || kill "$PROMETHEUS" 2>/dev/null || :
    view_teardown
}

# needs PROGRAM: skip the test where it is not installed.
needs() { command -v "$1" >/dev/null || skip "$1 is not installed"; }

@test "promtool finds nothing wrong with the metrics" {
    needs promtool
    start_playground --letters
    begin
    ask /metrics >"$TMP/metrics"
    promtool check metrics <"$TMP/metrics"
    ! grep -q dartmouth "$TMP/metrics" || fail "the metrics name a host"
    end_crawl
}

@test "the parser of OpenMetrics reads them where Accept prefers that" {
    /usr/bin/python3 -c 'import prometheus_client' || skip "no prometheus_client"
    start_playground --letters
    begin --metrics-open
    accept='application/openmetrics-text;version=1.0.0,text/plain;q=0.5'
    curl -s -m "$LIMIT" -D "$TMP/head" -H "Accept: $accept" \
        "http://$AT/metrics" >"$TMP/metrics"
    grep -qi '^content-type: application/openmetrics-text; version=1.0.0' \
        "$TMP/head"
    /usr/bin/python3 - "$TMP/metrics" <<'END'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
families = {f.name: f for f in
            text_string_to_metric_families(open(sys.argv[1]).read())}
assert families["crawler_pages"].type == "counter"
assert families["crawler_pages"].samples[0].value == 1
assert families["crawler_fetch_duration_seconds"].type == "histogram"
assert families["crawler"].type == "info"
END
    end_crawl
}

# At the scrape nothing is left but a page whose host rests for an hour: no
# counter changes any more until that host is dropped, which ends the crawl.
@test "the last scrape of a crawl has the counters of .crawler-stats.json" {
    cat >"$TMP/site" <<'END'
//a.test/
    body <a href=/1>1</a> <a href=/1>again</a> <a href=/2>2</a>
    body <a href=/gone>404</a> <a href=/old>301</a> <a href=/bad>500</a>
    body <a href=/text>text</a> <a href=http://c.test/>out</a>
    body <a href=mailto:a@a.test>mail</a> <a href=http://b.test/>b</a>
//a.test/1
    repeat 1000 a
//a.test/2
    body <a href=/>home</a>
//a.test/old 301
    redirect /1
//a.test/bad 500
//a.test/text
    type text/plain
    body text
//b.test/
    body <a href=/last>last</a>
//b.test/last
    body last
END
    start_playground --site "$TMP/site"
    begin_crawl --internal http://a.test/ --internal http://b.test/ \
        --delay 1h --ip-delay 0 --retries 1 --listen 127.0.0.1:0 \
        http://a.test/ "$DIR" 99
    wait_for_file "$TMP/err" 'watch it at'
    AT=$(sed -n 's|.*watch it at http://\(.*\)/#token=.*|\1|p' "$TMP/err")
    TOKEN=$(sed -n 's|.*#token=||p' "$TMP/err")
    "$CRAWLER" ctl "$DIR" delay a.test 0
    wait_for 'ask /status.json | holds ".pages == 4 and .in_flight == 0 and
        .urls.queued == 1 and .queued.memory == 1"'
    ask /metrics >"$TMP/metrics"
    "$CRAWLER" ctl "$DIR" drop b.test
    wait_crawl
    same 0 "$STATUS" "$(cat "$TMP/err")"
    python3 - "$TMP/metrics" "$DIR/.crawler-stats.json" <<'END'
import json, re, sys
values = {}
for line in open(sys.argv[1]):
    if match := re.match(r'(\w+)(?:\{\w+="([^"]*)"\})? (\S+)$', line):
        values.setdefault(match[1], {})[match[2]] = float(match[3])
stats = json.load(open(sys.argv[2]))

def same(wanted, name):
    assert values[name] == wanted, (name, values[name], wanted)

for name, key in (("pages", "pages"), ("page_bytes", "bytes"),
                  ("retries", "retries"),
                  ("robots_fetched", "robots_fetched")):
    same({None: stats[key]}, f"crawler_{name}_total")
same(stats["by_outcome"], "crawler_fetches_total")
same(stats["by_verdict"], "crawler_links_total")
classes = dict.fromkeys(("none", "1xx", "2xx", "3xx", "4xx", "5xx"), 0)
for status, count in stats["by_status"].items():
    classes["none" if status == "none" else status[0] + "xx"] += count
same(classes, "crawler_responses_total")
same({None: stats["hosts_seen"]}, "crawler_hosts_seen")
same(dict(stats["urls"], queued=1, refused=0), "crawler_urls")

# What must have been counted for this to prove anything.
assert stats["pages"] == 4 and stats["bytes"] > 1000, stats
assert stats["retries"] == 1 and stats["urls"]["refused"] == 1, stats
assert stats["urls"]["not_kept"] == 1 and stats["urls"]["failed"] == 2, stats
assert classes["3xx"] == 1 and classes["4xx"] == 1 and classes["5xx"] == 1
assert len(stats["by_outcome"]) >= 4 and len(stats["by_verdict"]) >= 3, stats
# Every fetch has a place in the histogram: the outcomes and the retry.
assert (values["crawler_fetch_duration_seconds_count"][None] ==
        sum(stats["by_outcome"].values()) + stats["retries"]), values
END
}

@test "a Prometheus scrapes a crawl, and every expression of the dashboard has a value" {
    needs prometheus
    start_playground --web 1 --hosts 20 --pages 20000 --size 500
    begin_crawl --scope any --delay 20ms --ip-delay 0 --listen 127.0.0.1:0 \
        --metrics-open http://d0.example/ "$DIR" 99
    wait_for_file "$TMP/err" 'watch it at'
    AT=$(sed -n 's|.*watch it at http://\(.*\)/#token=.*|\1|p' "$TMP/err")
    TOKEN=$(sed -n 's|.*#token=||p' "$TMP/err")
    cat >"$TMP/prometheus.yml" <<END
global: {scrape_interval: 1s}
scrape_configs:
  - job_name: crawler
    static_configs: [{targets: ["$AT"]}]
END
    port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
    prometheus --config.file="$TMP/prometheus.yml" \
        --storage.tsdb.path="$TMP/tsdb" \
        --web.listen-address="127.0.0.1:$port" >"$TMP/prometheus.log" 2>&1 3>&- &
    PROMETHEUS=$!
    query() {
        curl -s -m "$LIMIT" -G "http://127.0.0.1:$port/api/v1/query" \
            --data-urlencode "query=$1"
    }
    wait_for 'query "count_over_time(crawler_pages_total[1m]) > 3" |
        holds ".data.result | length == 1"'
    jq -r '.panels[].targets[].expr' "$PROJECT/docs/grafana.json" >"$TMP/exprs"
    [ "$(wc -l <"$TMP/exprs")" -ge 10 ]
    while read -r expr; do
        query "$expr" >"$TMP/answer" </dev/null
        jq -e '.status == "success" and (.data.result | length) > 0' \
            "$TMP/answer" >/dev/null || fail "$expr: $(cat "$TMP/answer")"
    done <"$TMP/exprs"
    end_crawl
}
