/* --from: the pages come out of an archive. */
#include <sys/stat.h>

#include "cli/plan.h"
#include "cli/usage.h"

static void note(void *user, const char *text)
{
    (void)user;
    complain("--from %s", text);
}

/* The crawl would read what it replaces. */
static bool is_page_directory(const struct plan *plan, const char *path)
{
    struct stat from, to;

    return !stat(path, &from) && !fstat(plan->dir.fd, &to) &&
           from.st_dev == to.st_dev && from.st_ino == to.st_ino;
}

int from_plan(struct plan *plan)
{
    const char *path = plan->options->from;
    struct collection_error error;

    if (!path)
        return 0;
    if (is_page_directory(plan, path))
        return complain("--from %s: it is the page directory itself; name "
                        "another one for the new crawl",
                        path);
    plan->from.collection = collection_new();
    plan->crawl.worker.fetch.from = &plan->from;
    if (!collection_add_path(plan->from.collection, path,
                             plan->options->quiet ? NULL : note, NULL, &error))
        return complain("--from %s", error.text);
    if (!collection_count(plan->from.collection))
        return complain("--from %s: there is no HTTP response in it", path);
    return 0;
}
