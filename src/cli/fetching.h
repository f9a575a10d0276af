/* How pages are asked for: what is sent, and by which way. */
#ifndef CLI_FETCHING_H
#define CLI_FETCHING_H

#include "cli/options.h"
#include "cli/plan.h"

/* Who we say that we are: the User-Agent, and the product token in it, whose
 * rules of robots.txt are ours. Status 0, or another after one line on standard
 * error. */
int fetching_plan_agent(struct plan *plan);

/* The names and passwords that stand in options; before any seed. Status as
 * above. */
int fetching_plan_logins(struct plan *plan);

/* The rest, after that. Status as above. */
int fetching_plan(struct plan *plan);

#endif
