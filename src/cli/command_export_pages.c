/* crawler export --format pages: page files out of archives. */
#include <errno.h>

#include "cli/add_archive.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"
#include "report/export_pages.h"
#include "store/store.h"

static void note(void *user, const char *text)
{
    (void)user;
    complain("%s", text);
}

static int read_archives(struct collection *collection,
                         const struct options *options)
{
    struct collection_error error;

    for (size_t i = 0; i < options->argument_count; i++)
        if (!add_archive(collection, options->argument[i], note, NULL, &error))
            return complain("%s", error.text);
    return 0;
}

static bool has_record(const char *path)
{
    struct store_error error = {0};
    struct arena arena;

    arena_init(&arena);
    struct store *store = store_open(store_name_in(path, &arena), STORE_READ,
                                     crawler_codes(), &error);
    store_close(store);
    arena_release(&arena);
    return store || (error.status != STORE_NONE && error.status != STORE_EMPTY);
}

/* The course's programs know a page directory by the file of its record. */
static bool mark_directory(const char *path)
{
    struct store_error error = {0};
    struct arena arena;

    arena_init(&arena);
    bool good = store_leave_empty(store_name_in(path, &arena), &error);
    if (!good)
        complain("cannot write in '%s': %s", path, error.text);
    arena_release(&arena);
    return good;
}

/* As for a crawl: a directory that is there, and has no pages. */
static int open_directory(struct pagedir *dir, const char *path)
{
    if (!pagedir_open(dir, path))
        return complain("--output '%s': %s", path, strerror(errno));
    if (!pagedir_lock(dir))
        return complain("--output '%s': another crawl is at work there", path);
    if (pagedir_unknown_file(dir, 0, false) || has_record(path))
        return complain("--output '%s': there is a crawl in it; use an empty "
                        "directory",
                        path);
    return 0;
}

/* The directory had none before. */
static void remove_pages(struct pagedir *dir, uint32_t count)
{
    char name[16];

    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof(name), "%u", (unsigned)(i + 1));
        pagedir_discard(dir, name);
    }
}

/* All pages and the mark, or nothing. */
static int fill_directory(struct collection *collection, struct pagedir *dir,
                          const char *path, struct exported_pages *exported)
{
    int status = 0;

    if (!export_pages(collection, dir, exported))
        status = complain_failure("cannot write pages in '%s': %s", path,
                                  strerror(errno));
    else if (exported->pages && !mark_directory(path))
        status = EXIT_FAILURE;
    if (status)
        remove_pages(dir, exported->pages);
    return status;
}

static int write_pages(struct collection *collection, struct pagedir *dir,
                       const char *path)
{
    struct exported_pages exported;
    int status = fill_directory(collection, dir, path, &exported);

    if (status)
        return status;
    if (exported.undecodable)
        complain("%llu pages are left out: their content coding is unknown or "
                 "broken",
                 (unsigned long long)exported.undecodable);
    if (!exported.pages)
        complain("there is no page in the archive");
    if (exported.unreadable)
        complain("%llu captures are left out: they are revisits of a capture "
                 "that is not there, longer than 256 MB, or damaged",
                 (unsigned long long)exported.unreadable);
    return exported.pages && !exported.unreadable ? 0 : EXIT_FAILURE;
}

int command_export_pages(const struct options *options)
{
    struct collection *collection = collection_new();
    struct pagedir dir = {.fd = -1};
    int status = open_directory(&dir, options->output);

    if (!status)
        status = read_archives(collection, options);
    if (!status)
        status = write_pages(collection, &dir, options->output);
    if (dir.fd >= 0)
        pagedir_close(&dir);
    collection_free(collection);
    return status;
}
