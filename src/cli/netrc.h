/* Names and passwords of hosts in a .netrc file, as ftp and curl read it:
 *
 *     machine example.org login NAME password PASSWORD
 *     default login NAME password PASSWORD
 */
#ifndef CLI_NETRC_H
#define CLI_NETRC_H

#include "base/mem.h"
#include "web/url.h"

struct netrc_entry;

struct netrc {
    struct arena arena;
    struct netrc_entry *first, **last;
};

void netrc_init(struct netrc *netrc);
void netrc_release(struct netrc *netrc);

/* NULL, or why it cannot be read. The text has nothing of the file. */
const char *netrc_read(struct netrc *netrc, const char *path);

/* The same for the text of a file; false if it has another form. */
bool netrc_parse(struct netrc *netrc, struct str text);

/* The first entry of that host, or default, that has a name; or NULL. */
const struct login *netrc_login(const struct netrc *netrc, struct str host);

#endif
