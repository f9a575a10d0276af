/* The record of the crawl in a page directory, as the command line sees it:
 * what is known of the crawl (store/facts.h), which options it was begun with,
 * and which of their values were not kept because they are secret. */
#ifndef CLI_CRAWL_RECORD_H
#define CLI_CRAWL_RECORD_H

#include "cli/options.h"
#include "page/trusted_origins.h"
#include "store/facts.h"

struct crawl_record {
    struct store_error error; /* STORE_OK, or why nothing is known */
    struct facts facts;
    struct list given;  /* the options, "name" or "name=value" */
    struct list logins; /* origins for which there was a name and password */
};

/* The record of a fleet's machine is no record of a crawl: STORE_FOREIGN. */
void crawl_record_read(struct crawl_record *record, const char *dir_path);
void crawl_record_read_from(struct crawl_record *record, struct store *store);
void crawl_record_release(struct crawl_record *record);

/* Say that the directory is of a fleet's machine, and what to do with its
 * engine: "ask its engine:". Always EXIT_USAGE. */
#define CRAWL_RECORD_GO_ON                                                     \
    "its crawl goes on with its whole command, which has --fleet"
int crawl_record_refuse_machine(const struct crawl_record *record,
                                const char *dir_path, const char *to_do);

/* The pages that it has saved. */
static inline uint32_t crawl_record_pages(const struct crawl_record *record)
{
    return (uint32_t)record->facts.number[FACT_SAVED];
}

/* The other archive that the crawl refers to (--warc-dedup), or NULL. */
const char *crawl_record_dedup(const struct crawl_record *record);

/* Put options into a batch, in place of the `before` options that are recorded
 * already. */
void crawl_record_put_options(struct store_batch *batch,
                              const struct list *given, size_t before);

/* Put the origins for which there is a name and password into a batch, but not
 * names and passwords. */
void crawl_record_put_logins(struct store_batch *batch,
                             const struct trusted_origins *origins);

/* Is the value of this option secret, so that it is not kept? */
bool crawl_record_is_secret(const char *given);

/* The options that a resume must be given again, for people:
 * " --header ... --user ...". */
const char *crawl_record_secrets(const struct list *given, bool has_logins,
                                 struct arena *arena);

/* The first fixed option of `one` that `other` does not have, or NULL. */
const char *crawl_record_missing_option(const struct list *one,
                                        const struct list *other);

/* Are the options whose order counts the same, in the same order? */
bool crawl_record_same_order(const struct list *one, const struct list *other);

/* Add to new `options` those that the crawl was begun with, those that are
 * given `now` in place of them, and its arguments. Status 0, or another after
 * one line. */
int crawl_record_options(struct options *options,
                         const struct crawl_record *record,
                         const struct list *now, const char *dir_path);

/* The same for `crawler --resume`, of the directory that `options` names; they
 * must outlive `resumed`, which is to be released in either case. */
int crawl_record_resume(struct options *resumed, const struct options *options);

/* Is there nothing more to fetch, with these options? */
bool crawl_record_is_over(const struct crawl_record *record,
                          const struct options *options);

/* Does one of the options `now` take the place of one of the record? */
bool crawl_record_is_replaced(const char *before, const struct list *now);

/* Copy options that are given for this run and are never recorded. */
void crawl_record_take_unrecorded(struct options *to,
                                  const struct options *from);

/* Must an option be given again that the crawl was begun with, because its
 * value is secret? Status as above. */
int crawl_record_check_secrets(const struct crawl_record *record,
                               const struct list *now);

/* Does the same command, given again, leave out options with which its crawl
 * was begun? Then set `*is_whole` and put all of them into `again`, except
 * those that lapse or are secret. Otherwise `options` are complete. Status as
 * above; `again` is as `resumed` above. */
int crawl_record_again(struct options *again, const struct options *options,
                       bool *is_whole);

#endif
