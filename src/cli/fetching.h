/* How pages are fetched: what is sent, through which proxy, whom we trust. */
#ifndef CLI_FETCHING_H
#define CLI_FETCHING_H

#include "cli/options.h"
#include "cli/plan.h"

/* Plan the User-Agent, and the product token in it that names our rules of
 * robots.txt. Status 0, or another after one line on standard error. */
int fetching_plan_agent(struct plan *plan);

/* Plan the names and passwords of options, before any seed is added. Status as
 * above. */
int fetching_plan_logins(struct plan *plan);

/* Plan the rest, after that. Status as above. */
int fetching_plan(struct plan *plan);

#endif
