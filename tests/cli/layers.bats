#!/usr/bin/env bats
# src/LAYERS says which layer may include which; this holds the code to it.

root=$BATS_TEST_DIRNAME/../..

allowed() { # LAYER INCLUDED FILE
    grep -qE "^$1:(.* )?$2( |\$)" "$3" || [ "$1" = "$2" ]
}

violations() { # LAYERS-FILE FOLDER...
    local folder layer file included
    for folder in "${@:2}"; do
        layer=$(basename "$folder")
        grep -rnoE '^#include "[a-z]+/' "$folder" --include='*.[ch]' |
            while IFS=: read -r file _ included; do
                included=${included#*\"}
                allowed "$layer" "${included%/}" "$1" ||
                    echo "$file: $layer may not include $included"
            done
    done
}

@test "no layer includes one that src/LAYERS does not allow" {
    run violations "$root/src/LAYERS" "$root"/src/*/ "$root/testserver"
    echo "$output"
    [ -z "$output" ]
}

@test "the layer check finds a wrong include" {
    mkdir -p "$BATS_TEST_TMPDIR/base" "$BATS_TEST_TMPDIR/web"
    echo '#include "web/web.h"' >"$BATS_TEST_TMPDIR/base/bad.c"
    echo '#include "base/str.h"' >"$BATS_TEST_TMPDIR/web/good.c"
    run violations "$root/src/LAYERS" "$BATS_TEST_TMPDIR"/{base,web}
    echo "$output"
    [ "${#lines[@]}" -eq 1 ]
    [[ "$output" == *"base may not include web/" ]]
}

@test "every folder of src is a layer" {
    for dir in "$root"/src/*/; do
        grep -q "^$(basename "$dir"):" "$root/src/LAYERS"
    done
}
