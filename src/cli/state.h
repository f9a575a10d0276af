/* The page directory before a crawl: is there one to go on with? */
#ifndef CLI_STATE_H
#define CLI_STATE_H

#include "cli/options.h"
#include "cli/plan.h"

/* Open and lock the directory. Status 0, or another after one line. */
int state_open_directory(struct plan *plan, const char *path);

/* Read what it remembers and set plan->action. Status as above; the seeds that
 * the user names must be known, unless the options are remembered ones. */
int state_decide(struct plan *plan, const struct options *options);

/* Make it so: the first thing that is written. False after one line. */
bool state_begin(struct plan *plan, const struct options *options);

/* The options of the crawl in the directory that `options` names, with what
 * `options` gives anew, as words for options_parse. Status as above. */
int state_words(const struct options *options, struct arena *arena,
                const char ***words, int *count);

/* The same for who only asks: nothing is given anew, and what was secret is
 * not needed. `dir_path` must last as long as the words. */
void state_recall(const struct crawl_record *record, const char *dir_path,
                  struct arena *arena, const char ***words, int *count);

#endif
