/* reseal DIR: make new digests for the record in a page directory, after a test
 * has changed its rows. So the change is found by what it says, or not at all,
 * and not by its digest. */
#include <stdio.h>

#include "store/sqlite.h"

int main(int argc, char *argv[])
{
    struct store_error error = {.text = "usage: reseal DIR"};
    struct sqlite_store store = {.version = STORE_VERSION};
    char path[4096] = "";

    if (argc == 2)
        snprintf(path, sizeof(path), "%s/.crawler", argv[1]);
    bool good = argc == 2 &&
                sqlite3_open_v2(path, &store.db, SQLITE_OPEN_READWRITE, NULL) ==
                    SQLITE_OK &&
                sqlite_run(&store, &error, "BEGIN") &&
                sqlite_run(&store, &error, "DELETE FROM batch") &&
                sqlite_seal_all(&store, &error) &&
                sqlite_write_settings_digest(&store, &error) &&
                sqlite_run(&store, &error, "COMMIT");
    if (!good)
        fprintf(stderr, "reseal: %s\n", error.text);
    sqlite3_close(store.db);
    return !good;
}
