/* robots.txt as RFC 9309 defines it: parsed once, asked for every URL.
 *
 *     struct robots *robots = robots_new(body, STR("mybot"));
 *     unsigned line;
 *     if (!robots_allows(robots, STR("/a?b"), &line))
 *         ... line `line` of the file forbids it
 *     robots_free(robots);
 *
 * Pure: no clock, no network. Others fetch the file and decide for how long it
 * is kept. A cache holds many of these, so only what concerns
 * our agent is kept (its own groups, or those of "*" where it has none), in
 * one block of memory.
 *
 * Beyond the RFC, as Google's parser does: misspelt directives, a blank in
 * place of the colon, "Allow: /dir/index.html" allows /dir/ too, and of a
 * line only the first 16,663 bytes count.
 */
#ifndef WEB_ROBOTS_H
#define WEB_ROBOTS_H

#include "base/buf.h"

enum {
    ROBOTS_SIZE_MAX = 500 * 1024, /* what is beyond is ignored */
    ROBOTS_REDIRECTS_MAX = 5,
    ROBOTS_CRAWL_DELAY_MAX_MS = 3600 * 1000,
};

struct robots;

/* `agents` is our product token: letters, '-' and '_' ("mybot"; of "mybot/1.0"
 * the version does not count), or several, separated by commas
 * ("mybot,ourbot"): then the groups of all of them are ours. A file never names
 * a token with other characters: its rules are those of "*". Any bytes are a
 * valid file; a line cut by ROBOTS_SIZE_MAX is ignored. Nothing of the
 * arguments is kept. */
struct robots *robots_new(struct str bytes, struct str agents);
void robots_free(struct robots *robots);

/* Memory in use, for the limit of a cache. */
size_t robots_size(const struct robots *robots);

/* May our agent fetch this? `path` is a URL's path and query ("/a?b"), in any
 * of its percent-encoded spellings. `*line` is the number of the line that
 * decided, 0 where no rule did. The longest matching rule decides, allow
 * before disallow. That /robots.txt itself may always be fetched is for the
 * caller to know: here it is a path like any other, as in Google's matcher.
 *
 * Linear in the rules. A file with which it would take longer than some
 * milliseconds (thousands of wildcards against kilobytes of path) is hostile:
 * then the answer is no, with the line that it got to. */
bool robots_allows(const struct robots *robots, struct str path,
                   unsigned *line);

/* The same, and what it took: bytes that wildcards looked at, and a part of one
 * for every rule. With usual files it takes less than ROBOTS_WORK_USUAL;
 * ROBOTS_WORK_PER_MS are a millisecond at worst. */
enum { ROBOTS_WORK_USUAL = 64 * 1024, ROBOTS_WORK_PER_MS = 128 * 1024 };
bool robots_answer(const struct robots *robots, struct str path, unsigned *line,
                   size_t *work);

/* The Crawl-delay of our groups, the longest of several, at most
 * ROBOTS_CRAWL_DELAY_MAX_MS; 0 where there is none. In a file without any
 * user-agent line it is everybody's; before the first of several groups it is
 * nobody's, as rules are there. */
uint32_t robots_crawl_delay_ms(const struct robots *robots);

/* The values of Sitemap lines, whatever group they are in, in order and as
 * written: URLs, relative ones, or anything.
 *
 *     struct str sitemap = {0};
 *     while (robots_next_sitemap(robots, &sitemap))
 *         use(sitemap);
 */
bool robots_next_sitemap(const struct robots *robots, struct str *sitemap);

/* The text of the line with this number, as robots_allows counts them, at the
 * end of `out`: any bytes, without the line end. False where the file has no
 * such line, or it does not fit into the cap of `out`. */
bool robots_line(struct str bytes, unsigned line, struct buf *out);

/* The product token, the name under which robots.txt knows a crawler, is
 * letters, '-' and '_', and should be part of the User-Agent that is sent (RFC
 * 9309 2.2.1): a reader of the server's log then knows which name to write. */

/* Is all of `text` a token? */
bool robots_is_token(struct str text);

/* The token of a User-Agent, a part of it: the name of its first product,
 * "mybot" of "mybot/1.0 (+http://mybot.example/)"; or the name after
 * "compatible;", "mybot" of "Mozilla/5.0 (compatible; mybot/1.0)". Empty where
 * that name is no token. */
struct str robots_token_of(struct str user_agent);

/* The meaning of the status with which /robots.txt came (RFC 9309, 2.3.1). */
enum robots_access {
    ROBOTS_PARSE,       /* 2xx: the body has the rules */
    ROBOTS_FOLLOW,      /* 3xx: up to ROBOTS_REDIRECTS_MAX, then unavailable */
    ROBOTS_UNAVAILABLE, /* 4xx: everything is allowed */
    ROBOTS_UNREACHABLE, /* 429, 5xx, no answer: nothing is, until it can be had
                         */
};

/* `status` is 0 where there was no answer. */
enum robots_access robots_access_of_status(int status);

#endif
