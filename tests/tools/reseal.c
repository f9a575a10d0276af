/* reseal DIR: make new digests for the record in a page directory, after a test
 * has changed its rows. So the change is found by what it says, or not at all,
 * and not by its digest. */
#include <stdio.h>

#include "store/sqlite.h"

int main(int argc, char *argv[])
{
    static const struct store_codes no_codes; /* so that none is added */
    struct store_error error = {.text = "usage: reseal DIR"};
    struct arena arena;

    arena_init(&arena);
    struct store *base = argc == 2 ? store_open(store_name_in(argv[1], &arena),
                                                STORE_WRITE, &no_codes, &error)
                                   : NULL;
    struct sqlite_store *store = base ? sqlite_of(base) : NULL;
    bool good = store && sqlite_run(store, "BEGIN", &error) &&
                sqlite_run(store, "DELETE FROM batch", &error) &&
                sqlite_seal_all(store, &error) &&
                sqlite_write_settings_digest(store, &error) &&
                sqlite_run(store, "COMMIT", &error);
    if (!good)
        fprintf(stderr, "reseal: %s\n", error.text);
    store_close(base);
    arena_release(&arena);
    return !good;
}
