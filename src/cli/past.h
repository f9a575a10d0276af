/* The crawl that a page directory remembers, as the command line sees it: what
 * is known of it (store/facts.h), and which of its options were not kept
 * because they are secret. */
#ifndef CLI_PAST_H
#define CLI_PAST_H

#include "cli/options.h"
#include "page/trusted_origins.h"
#include "store/facts.h"

struct past {
    struct store_error error; /* STORE_OK, or why nothing is known */
    struct facts facts;
    struct list given;  /* the options, "name" or "name=value" */
    struct list logins; /* origins for which there was a name and password */
};

void past_read(struct past *past, const char *dir_path);
void past_read_from(struct past *past, struct store *store);
void past_release(struct past *past);

/* The pages that it has saved. */
static inline uint32_t past_pages(const struct past *past)
{
    return (uint32_t)past->facts.number[FACT_SAVED];
}

/* Options into a batch, where there were `before` of them. */
void past_put_options(struct store_batch *batch, const struct list *given,
                      size_t before);

/* The origins for which there is a name and password, not those themselves. */
void past_put_logins(struct store_batch *batch,
                     const struct trusted_origins *origins);

/* An option of which the value was not kept. */
bool past_is_secret(const char *given);

#endif
