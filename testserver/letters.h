/* The letters site: nine small pages, each about a letter.
 *
 * Served under /tse/letters/ for any host.
 */
#ifndef TESTSERVER_LETTERS_H
#define TESTSERVER_LETTERS_H

#include "testserver/reply.h"

#define LETTERS_PATH "/tse/letters/"

/* The page at a path, or an empty slice. */
struct str letters_page(struct str path);

struct source letters_source(void);

#endif
