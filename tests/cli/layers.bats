#!/usr/bin/env bats
# src/LAYERS says which layer may include which; this holds the code to it.

root=$BATS_TEST_DIRNAME/../..

allowed() { # LAYER INCLUDED FILE
    grep -qE "^$1:(.* )?$2( |\$)" "$3" || [ "$1" = "$2" ]
}

violations() { # SOURCE-DIR LAYERS-FILE
    local file layer included
    grep -rnoE '^#include "[a-z]+/' "$1" --include='*.[ch]' |
        while IFS=: read -r file _ included; do
            layer=${file#"$1"/}
            layer=${layer%%/*}
            included=${included#*\"}
            allowed "$layer" "${included%/}" "$2" ||
                echo "$file: $layer may not include $included"
        done
}

@test "no layer includes one that src/LAYERS does not allow" {
    run violations "$root/src" "$root/src/LAYERS"
    echo "$output"
    [ -z "$output" ]
}

@test "the layer check finds a wrong include" {
    mkdir -p "$BATS_TEST_TMPDIR/src/base" "$BATS_TEST_TMPDIR/src/url"
    echo '#include "url/url.h"' >"$BATS_TEST_TMPDIR/src/base/bad.c"
    echo '#include "base/str.h"' >"$BATS_TEST_TMPDIR/src/url/good.c"
    run violations "$BATS_TEST_TMPDIR/src" "$root/src/LAYERS"
    echo "$output"
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == *"base may not include url/" ]]
}

@test "every folder of src is a layer" {
    for dir in "$root"/src/*/; do
        grep -q "^$(basename "$dir"):" "$root/src/LAYERS"
    done
}
