#include "support/conformance.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { FILE_MAX = 64 << 20, CHUNK = 64 << 10 };

static void die(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(1);
}

bool conformance_read(const char *relative_path, struct buf *out)
{
    const char *root = getenv("CONFORMANCE");
    char path[4096];

    if (!root || !*root)
        root = "../shared/conformance";
    snprintf(path, sizeof(path), "%s/%s", root, relative_path);
    FILE *file = fopen(path, "rb");
    if (!file) {
        if (access(root, X_OK))
            printf("skipped: no conformance data: tools/get-conformance\n");
        else
            printf("skipped: not in the conformance data: %s\n", relative_path);
        return false;
    }

    size_t got;
    do {
        char *room = buf_reserve(out, CHUNK);
        if (!room)
            die(path, "too large");
        got = fread(room, 1, CHUNK, file);
        out->len += got;
    } while (got);
    if (ferror(file))
        die(path, "read error");
    fclose(file);
    return true;
}

const struct json *conformance_json(const char *relative_path,
                                    struct arena *arena)
{
    const struct json *json = NULL;
    struct buf text;

    buf_init(&text, FILE_MAX);
    if (conformance_read(relative_path, &text)) {
        json = json_parse(arena, buf_str(&text));
        if (!json)
            die(relative_path, "not JSON");
    }
    buf_release(&text);
    return json;
}
