/* What is committed together, and what comes back row by row. Times are of the
 * wall clock, in milliseconds since 1970. */
#ifndef STORE_BATCH_H
#define STORE_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"

/* A fact of the crawl as a whole; set again, the new value counts. */
struct store_setting {
    struct str name, value;
};

/* Where it started. */
struct store_seed {
    struct str url;
    bool named; /* by the user, not by a search */
};

/* A URL that was judged for the first time: queued, or refused at once. */
struct store_url {
    uint64_t number; /* smaller is older; never 0 */
    struct str url;
    struct str host, domain; /* parts of `url` */
    uint32_t depth;
    uint32_t referrer; /* the page where it was found; 0: a seed */
    uint32_t found;    /* how often */
    uint8_t kind;
    uint8_t verdict;
    uint8_t redirects; /* that led here */
    uint32_t line;     /* of robots.txt, that refused it */
    uint64_t via;      /* the URL that redirected here, or 0 */
};

/* A URL still queued was found again. */
struct store_change {
    uint64_t number;
    uint32_t depth, referrer, found;
};

/* A fetch has ended. */
struct store_fetch {
    uint64_t number; /* of the URL */
    uint32_t page;   /* under which it was saved, or 0 */
    uint32_t status; /* of HTTP, 0: none */
    uint8_t outcome;
    struct str mime;
    uint64_t size;
    uint64_t digest; /* of the body */
    uint64_t start_ms, end_ms;
    uint64_t pause_ms; /* that the host is given after it */
    uint64_t due_ms;   /* when it will be tried again; 0: it is done */
    struct str target; /* of a redirect */
};

/* The turn of a queued URL came, and it was not fetched after all. */
struct store_refusal {
    uint64_t number;
    uint8_t verdict;
    uint8_t outcome; /* of the host, that is the reason */
    uint32_t line;
    uint64_t at_ms;
};

/* robots.txt was asked for. */
struct store_robots {
    struct str host; /* whose rules they are: "example.org:8080" */
    struct str url;  /* that was asked, on another host where it moved */
    bool https;
    bool known; /* `text` is what is obeyed until `until_ms` */
    uint8_t outcome;
    uint32_t status;
    uint64_t start_ms, end_ms, pause_ms, until_ms;
    struct str text; /* as served; NULL: everything is allowed */
};

/* A host in trouble, or out of it again. */
struct store_host {
    struct str name;
    uint8_t failures, mute; /* in a row */
    uint8_t given_up;       /* enum given_up of frontier/frontier.h */
    uint8_t outcome;        /* of the last one */
    uint64_t until_ms;      /* not to be asked before */
};

/* A domain was mentioned in pages; all in all so often. */
struct store_domain {
    struct str name;
    uint32_t found;
};

/* A link of a page. */
struct store_link {
    uint32_t page;
    uint8_t verdict;
    struct str url, text, rel;
};

/* A list that grows; `item` is an array of one of the above. */
struct store_rows {
    void *item;
    size_t count, room;
};

struct store_batch {
    struct arena text;
    struct store_rows settings, seeds, urls, changes, fetches, refusals, robots,
        hosts, domains, links;
};

void store_batch_init(struct store_batch *batch);
void store_batch_release(struct store_batch *batch);
void store_batch_clear(struct store_batch *batch);
size_t store_batch_count(const struct store_batch *batch); /* of rows */
size_t store_batch_bytes(const struct store_batch *batch);

/* Texts are copied. */
void store_add_setting(struct store_batch *batch, struct str name,
                       struct str value);
void store_add_number(struct store_batch *batch, struct str name,
                      uint64_t value);
void store_add_seed(struct store_batch *batch, const struct store_seed *row);
void store_add_url(struct store_batch *batch, const struct store_url *row);
void store_add_change(struct store_batch *batch,
                      const struct store_change *row);
void store_add_fetch(struct store_batch *batch, const struct store_fetch *row);
void store_add_refusal(struct store_batch *batch,
                       const struct store_refusal *row);
void store_add_robots(struct store_batch *batch,
                      const struct store_robots *row);
void store_add_host(struct store_batch *batch, const struct store_host *row);
void store_add_domain(struct store_batch *batch,
                      const struct store_domain *row);
void store_add_link(struct store_batch *batch, const struct store_link *row);

#endif
