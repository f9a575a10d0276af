/* Names are looked up by asking name servers, many at once on one thread.
 *
 *     struct dns *dns = dns_new(NULL, wake_fd);
 *     dns_ask(dns, "example.org", answered, user);
 *     while (...)
 *         if (dns_wait(dns))
 *             ... wake_fd is readable
 *     dns_free(dns);
 *
 * c-ares does the work and reads the answers, which come from anybody. This
 * module gives it sockets on epoll and bounds. How many questions it asks at a
 * time, and for how long it waits at first, is in names/window.h; each further
 * try takes twice as long, until DNS_PATIENCE_MS have passed. A question that a
 * server refuses, or fails to answer, is asked again soon, DNS_ASKS times in
 * all. An answer that is truncated is asked for again over TCP.
 *
 * A name is two questions where the machine has a route for IPv6, and one (A)
 * where it has none. When one of them has brought addresses and the other is
 * late, the look-up ends: there are servers that never answer to AAAA.
 *
 * The servers are those of /etc/resolv.conf, in that order (or in turns, with
 * `options rotate`), and it is read again within DNS_CHANNEL_S; or those that
 * dns_new is given, in turns. One that is silent is asked last for a while. A
 * name with a dot is never completed with a search domain: a URL's host means
 * the same everywhere. One without is, as usual. /etc/hosts is not read here
 * (names/hosts_file.h).
 */
#ifndef NAMES_DNS_H
#define NAMES_DNS_H

#include "names/name_answer.h"

enum {
    /* A question that no server answers has failed after this time for each
     * server, rounded up to whole tries. */
    DNS_PATIENCE_MS = 9000,
    /* A question that is refused: how often it is asked in all, and the first
     * pause; each pause is twice the one before. */
    DNS_ASKS = 4,
    /* Late answers without one in time, and then another server is asked first
     * (for DNS_CHANNEL_S). */
    DNS_LATE_MAX = 8,
    DNS_REST_MS = 100,
    /* Questions of a channel (a socket and its port), and its age. A new port
     * for every few questions makes answers hard to forge, and a socket's
     * buffer holds the answers of one channel. */
    DNS_CHANNEL_ASKS = 100,
    DNS_CHANNEL_S = 30,
};

struct dns;

typedef void dns_answered_fn(void *user, struct name_answer *answer);

/* `servers` is a text of dns_servers_parse, or NULL. dns_wait also waits for
 * `wake_fd`. NULL with errno. */
struct dns *dns_new(const char *servers, int wake_fd);

/* Look-ups that are open are dropped without an answer. NULL is fine. */
void dns_free(struct dns *dns);

/* Look a name up (name_normalize). `answered` is called from dns_wait, or at
 * once. */
void dns_ask(struct dns *dns, const char *name, dns_answered_fn *answered,
             void *user);

/* Wait until something has come, and hand out answers. True if `wake_fd` is
 * readable. */
bool dns_wait(struct dns *dns);

/* Does the machine have a route for IPv6? Nothing is sent. */
bool dns_has_ipv6(void);

#endif
