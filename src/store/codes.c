#include "store/codes.h"

#include <assert.h>

static const char *const names[] = {
    [URL_QUEUED] = "queued",
    [URL_SAVED] = "saved",
    [URL_REDIRECTED] = "redirected",
    [URL_FAILED] = "failed",
    [URL_REFUSED] = "refused",
    [URL_OUTSIDE] = "outside",
    [URL_NONE] = "none",
};
static_assert(sizeof(names) / sizeof(names[0]) == URL_ENDS,
              "every end has a name");

const char *url_end_name(enum url_end end)
{
    return names[end];
}
