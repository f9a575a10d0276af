/* --from: the pages come out of an archive. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/add_archive.h"
#include "cli/plan.h"
#include "cli/usage.h"

static void note(void *user, const char *text)
{
    (void)user;
    complain("--from %s", text);
}

/* Is it the page directory of this crawl, the archive there, or a file in one
 * of them? The crawl would read what it replaces. */
static bool is_own(const struct plan *plan, const char *path)
{
    char *real = realpath(path, NULL);
    char *slash = real ? strrchr(real, '/') : NULL;
    struct stat stat_of;

    if (!slash)
        return false;
    bool is_file = !stat(real, &stat_of) && !S_ISDIR(stat_of.st_mode);
    if (is_file)
        slash[slash == real] = '\0';
    bool is_here = state_is_own_directory(plan, real);
    free(real);
    return is_here;
}

int from_plan(struct plan *plan)
{
    const char *path = plan->options->from;
    struct collection_error error;

    if (!path)
        return 0;
    if (is_own(plan, path))
        return complain("--from %s: it is the page directory itself, or in it; "
                        "name another one for the new crawl",
                        path);
    plan->from.collection = collection_new();
    plan->crawl.worker.fetch.from = &plan->from;
    if (!add_archive(plan->from.collection, path,
                     plan->options->quiet ? NULL : note, NULL, &error))
        return complain("--from %s", error.text);
    if (!collection_count(plan->from.collection))
        return complain("--from %s: there is no HTTP response in it", path);
    return 0;
}
