/* Private to resume.c and resume_hosts.c: the state of a load. */
#ifndef CRAWLER_RESUME_INTERNAL_H
#define CRAWLER_RESUME_INTERNAL_H

#include "base/hashtable.h"
#include "crawler/resume.h"

struct loader {
    const struct resume_options *options;
    struct validator *validator;
    struct resumed *resumed;
    struct arena arena;        /* of one URL */
    struct arena times;        /* struct times, */
    struct hashtable times_of; /* by number of the URL */
    uint8_t *answered;         /* a bit for each URL that a server answered */
    struct arena texts;        /* URLs that pages named as their own, */
    struct hashtable named;    /* by number of the page */
    uint8_t *noarchive; /* one for each page that is not in the archive */
    uint8_t *settled;   /* one for each URL that needs no other fetch */
    uint64_t base, last_number; /* numbers of the slice are between them */
    bool is_whole;              /* the record has no other slice */
};

/* The time by the monotonic clock, at most `max_ms` from now; 0 if it is
 * over. */
uint64_t resume_future(const struct loader *loader, uint64_t wall_ms,
                       uint64_t max_ms);

void resume_note_last_fetch(struct loader *loader, uint64_t wall_ms);

/* False if the text is not as we write URLs: then we did not write it. */
bool resume_parse(struct loader *loader, struct str text, struct url *url);

/* Functions of a load (store/store.h); `user` is the loader. */
bool resume_load_domain(void *user, const struct store_domain *row);
bool resume_load_robots(void *user, const struct store_robots *row);
bool resume_load_host(void *user, const struct store_host *row);
bool resume_load_order(void *user, const struct store_hand_order *row);

#endif
