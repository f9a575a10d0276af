/* The page directory before a crawl: is there a crawl to go on with, or one to
 * replace? */
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "cli/plan.h"

/* Open and lock the directory. Status 0, or another after one line. */
int state_open_directory(struct plan *plan, const char *path);

/* Read its record and set plan->action. The seeds that the user names must be
 * known, unless the options are remembered ones. Status as above. */
int state_decide(struct plan *plan);

/* Create or open the record: nothing was written before. False after one
 * line. */
bool state_begin(struct plan *plan);

#endif
