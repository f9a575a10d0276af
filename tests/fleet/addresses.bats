#!/usr/bin/env bats
# Hosts of several machines share twelve addresses, and every pause of an address
# (--ip-delay) is kept over all machines, whatever happens to one of them.

load ../cli/helper
load ../cli/postgres
load fleet

setup_file() { postgres_start || :; }
teardown_file() { postgres_stop; }
setup() { fleet_setup; }

# shared OPTION...: a crawl in which addresses are asked by several machines.
shared() {
    fleet --machines 3 --pages 300 --ip-delay 50 "$@"
    python3 - "$TMP/fleet/record" <<'END'
import collections, sys

machines = collections.defaultdict(set)
with open(sys.argv[1], encoding="utf-8") as record:
    columns = record.readline().rstrip("\n").split("\t")
    for line in record:
        row = dict(zip(columns, line.rstrip("\n").split("\t")))
        if not row["path"].startswith("/flush-record/"):
            machines[row["local_addr"]].add(row["user_agent"])
sys.exit(0 if any(len(who) > 1 for who in machines.values()) else "no address is shared")
END
}

@test "three machines keep the pauses of addresses that they share" {
    shared
}

@test "addresses of a machine that is killed are taken by the others" {
    shared --script "1.5:kill:1 3:kill:2"
}

@test "addresses of a machine that stands still beyond its lease are taken" {
    shared --script "1.5:stop:2:7"
}

@test "the same in order of priority, without a network to the engine" {
    shared --order priority --script "1.5:cut:1:7"
}
