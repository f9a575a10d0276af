/* The page directory: the marker .crawler and the page files 1, 2, 3, ...
 *
 * A page is first written under a temporary name by any thread
 * (page/pagesaver.h) and then published here, by one thread: it gets the next
 * number and its name at once. So numbers have no holes, a number never
 * stands for half a page, and the numbers are in the order of the log.
 */
#ifndef PAGE_PAGEDIR_H
#define PAGE_PAGEDIR_H

#include "base/arena.h"
#include "base/str.h"

#define PAGEDIR_MARKER     ".crawler"
#define PAGEDIR_TMP_PREFIX ".crawler-tmp-"
#define PAGEDIR_STATS      ".crawler-stats.json"

struct pagedir {
    int fd;
    int marker_fd;    /* locked while a crawl is at work; -1 before */
    uint32_t last_id; /* published */
    bool holds_old;   /* a former crawl's pages, until the first new one */
};

/* Open an existing directory that can be written. Nothing is changed. False
 * with errno where it cannot be. */
bool pagedir_open(struct pagedir *dir, const char *path);
void pagedir_close(struct pagedir *dir);

/* Are there numbered files that no crawl of ours has made? */
bool pagedir_holds_strangers(const struct pagedir *dir);

/* Create the marker, lock it against other crawls (errno EWOULDBLOCK where
 * one is at work) and remove what a killed crawl left half-written. Pages
 * of a former crawl stay until the first page of this one is published, then
 * they go: so an indexer never reads two crawls as one, and a crawl that
 * fetches nothing destroys nothing. False with errno. */
bool pagedir_mark(struct pagedir *dir);

/* Give the file the next number. False with errno. */
bool pagedir_publish(struct pagedir *dir, const char *file);

/* Remove a file that will not be published. */
void pagedir_discard(struct pagedir *dir, const char *file);

/* A file beside the pages, whole or not at all. False with errno. */
bool pagedir_write(const struct pagedir *dir, const char *name,
                   struct str text);

/* The URL of a published page: its file's first line, or empty. */
struct str pagedir_url(const struct pagedir *dir, uint32_t id,
                       struct arena *arena);

#endif
