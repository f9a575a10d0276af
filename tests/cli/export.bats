#!/usr/bin/env bats
# crawler export beside a crawl. The rest of it is in tests/cases/export.case.

load helper
load site

# exported: every page as JSON, a line each.
exported() {
    "${LIMITED[@]}" "$CRAWLER" export --format jsonl "$DIR"
}

@test "export works beside a running crawl, and after a resume" {
    serve <<'END'
/
    links 300 /page/%d
/*
    body A page.
END
    fetch 1 --max-pages 50 || :
    same 50 "$(exported | wc -l)"
    "$CRAWLER" -q --resume --max-pages 100 --delay 5ms "$DIR" 3>&- &
    CRAWL=$!
    while kill -0 "$CRAWL" 2>/dev/null; do
        pages=$(exported | wc -l)
        [ "$pages" -ge 50 ] && [ "$pages" -le 100 ] || fail "$pages pages"
    done
    wait "$CRAWL" || :
    same "$(seq 100)" "$(exported | python3 -c '
import json, sys
for line in sys.stdin:
    print(json.loads(line)["id"])')"
}
