# Fleets that are hurt, each judged by tools/fleet-check.
#
#     load ../cli/helper
#     load ../cli/postgres
#     load fleet
#
#     setup_file() { postgres_start || :; }
#     teardown_file() { postgres_stop; }
#     setup() { fleet_setup; }
#
#     @test "..." { fleet --script "2:kill:1"; }

fleet_setup() {
    postgres_needed
    helper_setup
}

# fleet OPTION...: run one (tests/fleet/run_fleet.py) and judge it. All hosts are
# at twelve addresses, at which the machines would take turns: their pauses have
# tests of their own (addresses.bats).
fleet() {
    CRAWLER=$CRAWLER PLAYGROUND=$PLAYGROUND \
        "$PROJECT/tests/fleet/run_fleet.py" --name "fleet_$BATS_TEST_NUMBER" \
        --limit "$LIMIT" --ip-delay 0 "$@" "$TMP/fleet" >"$TMP/said" 2>&1 3>&- || {
        tail -n 30 "$TMP/said"
        tail -qn 3 "$TMP"/fleet/m*.err
        return 1
    } >&2
}
