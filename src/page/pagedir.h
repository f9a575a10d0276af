/* The page directory: the page files 1, 2, 3, ...
 *
 * A page is first written under a temporary name by any thread
 * (page/pagefiles.h) and then published here, by one thread: it gets the next
 * number and its name at once. So numbers have no holes, a number never
 * stands for half a page, and the numbers are in the order of the log.
 */
#ifndef PAGE_PAGEDIR_H
#define PAGE_PAGEDIR_H

#include <stdatomic.h>
#include <sys/uio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

/* A file of this name is in every directory of a crawl. */
#define PAGEDIR_MARK       ".crawler"
#define PAGEDIR_TMP_PREFIX PAGEDIR_MARK "-tmp-"
#define PAGEDIR_STATS      PAGEDIR_MARK "-stats.json"

struct spool;

struct pagedir {
    int fd;
    uint32_t last_id;  /* published */
    bool holds_old;    /* pages of a former crawl, until the first new one */
    uint32_t old_last; /* the last of these */
    atomic_uint temps; /* the next temporary name */
};

enum { PAGEDIR_TEMP_MAX = 31 };

/* Open an existing directory that can be written. Nothing is changed. False
 * with errno where it cannot be. */
bool pagedir_open(struct pagedir *dir, const char *path);

/* Open an existing directory that need not be writable, to look at it. */
bool pagedir_open_read(struct pagedir *dir, const char *path);
void pagedir_close(struct pagedir *dir);

/* Lock the directory against other crawls until it is closed or the program
 * ends. False with errno EWOULDBLOCK if another crawl is at work. */
bool pagedir_lock(struct pagedir *dir);

/* Is a crawl at work there? */
bool pagedir_is_locked(const struct pagedir *dir);

/* The number of a file beyond `last_id`, or 0: a crawl with that last page did
 * not write it. With `run`, files that follow `last_id` without a hole and look
 * like pages are not counted: a crawl that was killed may have written them. */
uint32_t pagedir_unknown_file(const struct pagedir *dir, uint32_t last_id,
                              bool run);

/* The first of the numbered files, links and directories from `first` to `last`
 * that no crawl can have written, because it does not begin with a URL and a
 * depth; or 0. */
uint32_t pagedir_not_page(const struct pagedir *dir, uint32_t first,
                          uint32_t last);

/* The last of the numbered files 1, 2, 3, ... before a hole, whatever is in
 * them. */
uint32_t pagedir_last_in_row(const struct pagedir *dir);

/* Does a crawl give such a name to a file beside its pages, or to a page? */
bool pagedir_owns_name(const char *name);

/* Every numbered file, in no order. */
void pagedir_each(const struct pagedir *dir,
                  void (*visit)(void *user, uint32_t id), void *user);

/* Begin a new crawl in the directory of an old one. The last page of the old
 * crawl is `last_id` or, with `run`, the last file that follows it without a
 * hole. Half-written files are removed now. The old pages are removed when the
 * first new page is published: so an indexer never reads two crawls as one, and
 * a crawl that fetches nothing destroys nothing. Files with greater numbers
 * belong to nobody and stay. */
void pagedir_begin_over(struct pagedir *dir, uint32_t last_id, bool run);

/* Go on after page `last_id`. Half-written files are removed now. The pages of
 * a former crawl up to `old_last` and, with `run`, unrecorded pages that follow
 * `last_id` without a hole are removed with the next page. */
void pagedir_resume(struct pagedir *dir, uint32_t last_id, bool run);

/* Remove the old pages now, instead of with the next page. */
void pagedir_drop_old(struct pagedir *dir);

/* Remove the pages that follow this one without a hole, the last one first:
 * those that are left after a kill still follow it. */
void pagedir_drop_run(struct pagedir *dir, uint32_t last_id);

/* Write the parts to a new file under a temporary name of its own, which is
 * put into `name`, to be published or discarded. A name that is taken is passed
 * over, whatever is there: no link is followed, no file is overwritten. Any
 * thread may call this. False with errno: then nothing is left behind. */
bool pagedir_save(struct pagedir *dir, struct iovec part[], int count,
                  char name[PAGEDIR_TEMP_MAX + 1]);

/* The same with what is in a spool behind them. */
bool pagedir_save_spooled(struct pagedir *dir, struct iovec part[], int count,
                          const struct spool *rest,
                          char name[PAGEDIR_TEMP_MAX + 1]);

/* Give the file the next number. False with errno: EEXIST if a file of that
 * name is not a page of an old crawl. */
bool pagedir_publish(struct pagedir *dir, const char *file);

/* Remove a file that will not be published. */
void pagedir_discard(struct pagedir *dir, const char *file);

/* A file beside the pages, whole or not at all. False with errno. */
bool pagedir_write(struct pagedir *dir, const char *name, struct str text);

/* The URL of a published page: its file's first line, or empty. */
struct str pagedir_url(const struct pagedir *dir, uint32_t id,
                       struct arena *arena);

/* Append a published page to `file`, whole; `body` is the part behind its first
 * two lines. False if it cannot be read, is larger than the cap of `file`, or
 * is no page of this URL. A link or a pipe of its name is no page. */
bool pagedir_read(const struct pagedir *dir, uint32_t id, struct str url,
                  struct buf *file, struct str *body);

#endif
