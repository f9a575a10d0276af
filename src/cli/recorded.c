#include "cli/recorded.h"

#include "cli/commands.h"
#include "cli/past.h"
#include "page/pagedir.h"

int recorded_failed(const char *dir_path, const struct store_error *error)
{
    usage_error("cannot read the state in '%s/%s': %s", dir_path,
                PAGEDIR_MARKER, error->text);
    return 1;
}

static int not_there(const char *dir_path, const struct store_error *error)
{
    if (error->status == STORE_NONE)
        return usage_error("no crawl is recorded in '%s': %s", dir_path,
                           error->text);
    if (error->status == STORE_FOREIGN)
        return usage_error("'%s/%s' is %s", dir_path, PAGEDIR_MARKER,
                           error->text);
    if (error->status == STORE_NEWER)
        return usage_error("the state in '%s/%s' was %s", dir_path,
                           PAGEDIR_MARKER, error->text);
    return recorded_failed(dir_path, error);
}

struct store *recorded_open(const char *dir_path, int *status)
{
    struct store_error error;
    struct arena arena;

    arena_init(&arena);
    struct store *store =
        store_open(past_path(&arena, dir_path), STORE_READ, &error);
    if (!store)
        *status = not_there(dir_path, &error);
    arena_release(&arena);
    return store;
}
