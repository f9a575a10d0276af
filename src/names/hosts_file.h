/* The names of /etc/hosts, in memory.
 *
 * The file may have tens of thousands of lines, so it is read once and looked
 * up in a table. It is read again when it has changed; that is looked for at
 * most once a second. A file that is not there or is larger than
 * HOSTS_FILE_MAX names nobody.
 */
#ifndef NAMES_HOSTS_FILE_H
#define NAMES_HOSTS_FILE_H

#include <sys/stat.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "names/name_answer.h"

enum { HOSTS_FILE_MAX = 64 << 20, HOSTS_CHECKED_MS = 1000 };

struct hosts_file {
    const char *path; /* borrowed; NULL: none is read */
    uint64_t hash_seed;
    uint64_t checked_ms; /* when a change was last looked for */
    bool checked;
    struct stat seen; /* of the file that is in memory */
    struct hashtable names;
    struct arena arena;
};

void hosts_file_init(struct hosts_file *hosts, const char *path,
                     uint64_t hash_seed);
void hosts_file_release(struct hosts_file *hosts);

/* Take the names out of a text. Lines that cannot be understood are ignored,
 * as glibc does. */
void hosts_file_parse(struct hosts_file *hosts, struct str text);

/* The addresses of a name (name_normalize) in the order of the file; false if
 * the file does not have it. Reads the file if that is due. */
bool hosts_file_find(struct hosts_file *hosts, struct str name, uint64_t now_ms,
                     struct name_answer *answer);

#endif
