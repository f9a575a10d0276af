/* A crawl over many ways to be a bad server.
 *
 * A hostile site is a site file (site.h) whose entries say how the fetch of
 * their URL must end: "expect KIND OUTCOME". Two things are added: an index
 * page at HOSTILE_INDEX, which links to each of these entries and to a healthy
 * page behind each; and the healthy pages, /healthy/N on any host. So one crawl
 * from the index meets all kinds, and must save every healthy page.
 *
 * An entry with "found" in place of "expect" is not linked from the index:
 * another entry leads the crawler to it.
 */
#ifndef TESTSERVER_HOSTILE_H
#define TESTSERVER_HOSTILE_H

#include <stdio.h>

#include "testserver/site.h"

#define HOSTILE_DOMAIN "hostile.test"
#define HOSTILE_INDEX  "http://" HOSTILE_DOMAIN "/"

/* A source that serves the hostile site in a file. */
bool hostile_source(const char *path, struct source *source,
                    char problem[SITE_PROBLEM]);

/* How each fetch of a crawl from the index must end, a line each: the kind (0
 * for the index and healthy pages), the URL, the outcome, separated by tabs. */
bool hostile_tell(const char *path, FILE *out, char problem[SITE_PROBLEM]);

#endif
