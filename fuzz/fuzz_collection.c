/* Archives as collections: revisits are followed, and a capture that is listed
 * is found by its URL. A file that begins with "PK" is read as a WACZ. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "archive/collection.h"
#include "base/io.h"
#include "base/mem.h"

enum { URLS_MAX = 16, BODY_SUM_MAX = 8 << 20 };

struct listed {
    struct arena arena;
    struct str url[URLS_MAX];
    size_t count, captures, bytes;
};

/* A gzip member of a few bytes can be very long. */
static void read_long(const struct captured *captured)
{
    struct long_body *body = long_body_open(&captured->body.place);
    size_t left = BODY_SUM_MAX;
    struct str bytes;

    assert(body && !captured->http.body.len);
    while (long_body_read(body, &bytes) == LONG_BODY_BYTES &&
           bytes.len < left) {
        assert(bytes.len);
        left -= bytes.len;
    }
    long_body_free(body);
}

static bool note_url(void *user, const struct captured *captured)
{
    struct listed *listed = user;

    assert(captured->http.status >= 0 && captured->http.status <= 999);
    assert(captured->http.head.len);
    listed->captures++;
    listed->bytes += captured->http.body.len;
    if (captured->body.is_long)
        read_long(captured);
    else
        assert(captured->body.len == captured->http.body.len);
    if (listed->count < URLS_MAX)
        listed->url[listed->count++] =
            arena_copy(&listed->arena, captured->url);
    return listed->bytes < BODY_SUM_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int fd = memfd_create("archive", 0);
    struct iovec part = {(void *)(uintptr_t)data, size};
    struct collection *collection = collection_new();
    struct collection_error error;
    struct captured captured;
    struct listed listed = {0};
    char path[40];

    if (fd < 0 || !io_write_all(fd, &part, 1))
        abort();
    arena_init(&listed.arena);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (collection_add_path(collection, path, NULL, NULL, &error)) {
        collection_each(collection, note_url, &listed);
        assert(listed.captures <= collection_count(collection));
        for (size_t i = 0; i < listed.count; i++)
            if (collection_find(collection, listed.url[i], 0, &captured) !=
                CAPTURE_FOUND)
                assert(collection_count(collection) > 4); /* tries have a cap */
    }
    arena_release(&listed.arena);
    collection_free(collection);
    close(fd);
    return 0;
}
