#!/usr/bin/env bats
# Fleets under random faults, each judged by tools/fleet-check. Run by
# `make test-fleet`; FLEET_RUNS is how many (50), FLEET_SEED the first of their
# seeds (1). A run that failed is repeated with its seed, though time is not
# the same twice.

load ../cli/helper
load ../cli/postgres
load fleet

setup_file() { postgres_start on || :; }
teardown_file() { postgres_stop; }
setup() { fleet_setup; }

# share PARTS OF: which seeds this part of the runs has.
share() {
    local first=${FLEET_SEED:-1} runs=${FLEET_RUNS:-50}

    seq $((first + runs * $1 / 10)) $((first + runs * $2 / 10 - 1))
}

# runs FROM TO OPTION...: these tenths of all runs.
runs() {
    local seed bad=()

    for seed in $(share "$1" "$2"); do
        rm -rf "$TMP/fleet"
        fleet --seed "$seed" --name "chaos_$seed" --chaos 25 --pages 900 "${@:3}" || bad+=("$seed")
        echo "seed $seed: $(tail -n 3 "$TMP/said" | paste -sd ' ')" >&3
    done
    same "" "${bad[*]}" "seeds of runs that failed"
}

@test "breadth-first: killed, stopped, cut, without answers, told to leave" {
    runs 0 4 --machines 4
}

@test "by priority, with pauses of addresses that machines share: the same" {
    runs 4 6 --machines 4 --order priority --ip-delay 30
}

@test "an engine that is away, killed and frozen on top" {
    runs 6 8 --machines 4 --faults "kill stop cut lose term away crash freeze"
}

@test "with archives" {
    runs 8 9 --machines 4 --option=--warc --option=--warc-max-size=60K \
        --faults "kill kill stop cut lose away crash"
}

@test "five machines that share addresses, answers lost again and again" {
    runs 9 10 --machines 5 --ip-delay 30 --every 0.4 --faults "lose lose lose drop kill"
}
