/* The pagefetcher: many fetches in flight on one thread.
 *
 * libcurl's multi interface on epoll. Start pages, wait, take those that have
 * ended, give each back when the bytes of its exchange are no longer needed:
 *
 *     pagefetcher_start(fetcher, page);
 *     pagefetcher_wait(fetcher, timeout_ms);
 *     while ((page = pagefetcher_take(fetcher))) {
 *         ... page->exchange ...
 *         pagefetcher_give_back(fetcher, page);
 *     }
 *
 * It fetches one URL and nothing else: redirects, retries and politeness are
 * the crawler thread's. What comes is capped in size, in headers and in time; a
 * body that is not wanted (not HTML, too large) is cut, not read.
 */
#ifndef PAGE_PAGEFETCHER_H
#define PAGE_PAGEFETCHER_H

#include <sys/socket.h>

#include "page/mime.h"
#include "page/trust.h"
#include "page/trusted_origins.h"
#include "page/webpage.h"

struct cookies;
struct page_archive;
struct proxies;
struct spools;

struct fetch_options {
    struct page_archive *from; /* fetch from it (page/page_archive.h), or NULL:
                                * from the web */
    const char *user_agent;
    const char *const *headers;    /* "Name: value", NULL at the end, or NULL */
    const char *proxy;             /* or NULL; the environment is not asked */
    const struct proxies *proxies; /* instead of it, those of the environment;
                                    * or NULL */
    struct trust *trust; /* of all fetchers; NULL: libcurl's own choice */
    uint64_t timeout_ms;
    uint64_t max_size;
    struct body_budget *body_budget; /* for large bodies in flight */
    struct spools *spools; /* for those that are too large for memory; NULL: all
                            * are in memory */
    uint32_t keep_connections; /* idle ones kept open at most */
    uint32_t connections_max;  /* with those in use; 0: no limit. Must be more
                                * than can be in use: then an idle one goes */
    bool insecure;
    bool allow_private;
    /* Where the crawl itself listens: never fetched from; or NULL. */
    const struct sockaddr *own_address;
    bool only_gzip; /* ask for no other content coding: every reader of an
                     * archive knows this one */
    struct cookies *cookies; /* of all fetchers (page/cookies.h), or NULL */
    struct mime_list types;  /* that are wanted beside HTML */
    bool any_mime;   /* the course's contract: the MIME type does not count */
    unsigned wishes; /* of enum exchange_wish: what to keep of an exchange */
    struct str robots_agent; /* obey X-Robots-Tag for it; empty: do not */
    const struct trusted_origins *origins;
    /* May a request be sent now? Asked by any thread, with the connection there
     * and right before it would be sent; or NULL. What is refused is ABANDONED.
     */
    bool (*may_send)(void *user);
    void *may_send_user;
};

struct pagefetcher;

/* Files that libcurl opens for itself, beside the connections of a fetcher, and
 * beside the few for those of one that keeps few. */
size_t pagefetcher_files(size_t keep_connections);

/* NULL with errno. */
struct pagefetcher *pagefetcher_new(const struct fetch_options *options);
void pagefetcher_free(struct pagefetcher *fetcher);

/* Have pagefetcher_wait return when this descriptor is readable. */
void pagefetcher_watch(struct pagefetcher *fetcher, int fd);

/* A number for the scheme, host and port of a URL; 0 where connections are not
 * for one host: with a proxy that is asked for pages. */
uint64_t pagefetcher_origin(const struct fetch_options *options,
                            const struct url *url);

/* More of this origin is queued, or nothing any more: keep its idle connections
 * or not. It changes what `is_host_needed` of a page said. */
void pagefetcher_need(struct pagefetcher *fetcher, uint64_t origin,
                      bool is_needed);

void pagefetcher_start(struct pagefetcher *fetcher, struct webpage *page);

/* Wait until something has come, or a deadline; true if the watched
 * descriptor is readable. -1 waits without an end. */
bool pagefetcher_wait(struct pagefetcher *fetcher, int timeout_ms);

/* Move everything on until a page has ended, with its exchange filled in; NULL
 * if nothing is left to do before the next wait. One page at a time: give it
 * back before the next. */
struct webpage *pagefetcher_take(struct pagefetcher *fetcher);
void pagefetcher_give_back(struct pagefetcher *fetcher, struct webpage *page);

/* End every fetch now; they come out of pagefetcher_take as ABANDONED. */
void pagefetcher_abandon(struct pagefetcher *fetcher);

/* Once in the program, before any thread; false if libcurl cannot start. */
bool pagefetcher_setup(void);
void pagefetcher_teardown(void);

#endif
