/* What a page directory remembers of the crawl that wrote it. */
#ifndef CLI_PAST_H
#define CLI_PAST_H

#include "base/arena.h"
#include "cli/options.h"
#include "page/named.h"
#include "store/store.h"

struct past_seed {
    struct str url;
    bool named; /* by the user, not by a search */
};

struct past {
    struct store_error error; /* STORE_OK, or why nothing is known */
    struct arena arena;
    struct list given;  /* options, "name" or "name=value" */
    struct list logins; /* origins for which there was a name and password */
    struct past_seed *seeds;
    size_t seed_count, seed_room;
    uint64_t depth;     /* at most */
    uint64_t pages;     /* saved */
    uint64_t bare;      /* 1: begun without options */
    uint64_t old_pages; /* the last of the crawl before it; 0: none */
    uint64_t per_host;  /* fetches in flight; the most that it ever was */
    struct str state;
};

void past_read(struct past *past, const char *dir_path);
void past_release(struct past *past);

/* It came to its end, with all that it wanted. */
bool past_is_finished(const struct past *past);

/* It was killed, so there may be more than it remembers. */
bool past_is_unclean(const struct past *past);

/* The rows of a new crawl that past_read reads. What is secret in an option is
 * not kept. */
void past_write(struct store_batch *batch, const struct list *given,
                uint64_t depth, uint64_t wall_ms);

/* The options anew, where there were `before` of them. */
void past_write_options(struct store_batch *batch, const struct list *given,
                        size_t before);

/* The origins for which there is a name and password, not those themselves. */
void past_write_logins(struct store_batch *batch, const struct named *named);

/* An option of which the value was not kept. */
bool past_is_secret(const char *given);

/* pageDirectory/.crawler, in the arena. */
const char *past_path(struct arena *arena, const char *dir_path);

#endif
