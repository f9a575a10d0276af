/* Asking the crawl that is at work in a page directory, over its control
 * socket (view/view.h). */
#ifndef CLI_LIVE_CLIENT_H
#define CLI_LIVE_CLIENT_H

#include "base/buf.h"

enum live_fault {
    LIVE_GOOD,
    LIVE_NO_DIRECTORY,
    LIVE_NOT_THERE, /* no crawl is at work, or one without a socket */
    LIVE_NOT_OURS,  /* another user's crawl */
    LIVE_NO_ANSWER, /* it went away */
    LIVE_SILENT,    /* it is there, but says nothing for a while */
};

struct live_reply {
    int problem;     /* errno of a fault */
    unsigned status; /* of HTTP */
    struct buf text; /* head and body */
    struct str body;
};

/* Ask for a path; `json` is posted to it, or empty. Release the reply in either
 * case. */
enum live_fault live_ask(const char *dir_path, const char *path,
                         struct str json, struct live_reply *reply);
void live_reply_release(struct live_reply *reply);

/* One line on standard error; the exit status: EXIT_USAGE if no crawl that can
 * be asked is at work there. */
int live_complain(const char *dir_path, enum live_fault fault,
                  const struct live_reply *reply);

#endif
