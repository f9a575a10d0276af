/* --from: the pages come out of an archive. */
#include "cli/plan.h"
#include "cli/usage.h"

static void note(void *user, const char *text)
{
    (void)user;
    complain("--from %s", text);
}

int from_plan(struct plan *plan)
{
    const char *path = plan->options->from;
    struct collection_error error;

    if (!path)
        return 0;
    plan->from.collection = collection_new();
    plan->crawl.worker.fetch.from = &plan->from;
    if (!collection_add_path(plan->from.collection, path,
                             plan->options->quiet ? NULL : note, NULL, &error))
        return complain("--from %s", error.text);
    if (!collection_count(plan->from.collection))
        return complain("--from %s: there is no HTTP response in it", path);
    return 0;
}
