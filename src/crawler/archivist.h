/* The archivist: gives the records of exchanges their place in the archive.
 *
 * Workers make the finished bytes of a pair (archive/warc_write.h). The crawler
 * thread appends it to the one open file, through a buffer; where the payload
 * is in the archive already, a revisit takes the place of the response. A row
 * of the record says where each exchange is.
 *
 *     pageDirectory/archive/NAME-20240506070809-00000.warc.gz.open
 *
 * A file is complete when the next one begins or the crawl ends. It loses its
 * ".open" when the batch that has its last record is committed. What is behind
 * the last commit is cut off when a crawl goes on.
 *
 * Rows that were committed belong to records that are in the file: the buffer
 * is written before a batch is handed over, and synced before it is committed.
 * A large record gets its place at once and its bytes later, but before that
 * sync (crawler/archive_copies.h). After a failed write nothing is handed over
 * any more.
 *
 * Only the crawler thread uses it. A call with NULL does nothing.
 */
#ifndef CRAWLER_ARCHIVIST_H
#define CRAWLER_ARCHIVIST_H

#include "archive/archive_name.h"
#include "archive/warc_write.h"
#include "page/webpage.h"
#include "store/codes.h"
#include "store/rows.h"

#define ARCHIVE_SUFFIX ".warc.gz"

struct dedup;

struct archive_options {
    int dir_fd;       /* of the page directory */
    const char *name; /* the files are called NAME-...; no other crawl's are */
    uint64_t file_max;
    struct warc_style style;
    struct str info;     /* lines of the warcinfo records, each with CR LF */
    struct dedup *dedup; /* payloads of other archives, or NULL */
    uint64_t hash_seed;
    uint64_t begun_ms; /* when the crawl began, by the wall clock */
    /* The record is a fleet's: its engine may have lost the last commits, so
     * that also complete files can be longer than recorded, or be files that no
     * row tells of. What the record does not know is removed from them too. */
    bool may_be_set_back;
};

/* A file of an archive that is to be removed with its crawl. */
struct archive_old {
    const struct archive_old *next;
    const char *name;
};

struct archive_copies;
struct archivist;

/* NULL without options. They must outlive it. */
struct archivist *archivist_new(const struct archive_options *options);
void archivist_free(struct archivist *archivist);

/* From now on large records are only begun. The caller writes the rest before
 * it commits a batch, on any thread. NULL without an archivist. */
struct archive_copies *archivist_leave_copies(struct archivist *archivist);

/* --- a crawl goes on ------------------------------------------------------
 *
 * First the rows of its record, in order; false if one cannot be. Then the
 * files: false with one line in `problem` if they are not as recorded. */

enum { ARCHIVIST_PROBLEM_MAX = 400 };

bool archivist_add_file(struct archivist *archivist,
                        const struct store_archive *row);
bool archivist_add_capture(struct archivist *archivist,
                           const struct store_capture *row);
bool archivist_resume(struct archivist *archivist,
                      char problem[ARCHIVIST_PROBLEM_MAX]);

/* --- exchanges ------------------------------------------------------------ */

struct kept_rows {
    struct store_archive file; /* number 0: no file was begun for it */
    struct store_capture capture;
};

/* Append the pair of a page; a response in a spool is taken out of the pair.
 * The texts of `rows` are valid until the next call or as long as the page.
 * False with errno if it cannot be written. */
bool archivist_keep(struct archivist *archivist, const struct webpage *page,
                    uint64_t wall_ms, struct kept_rows *rows);

/* The errno of a call here as text. */
const char *archivist_strerror(int why);

/* --- batches -------------------------------------------------------------- */

/* Write the buffer. False with errno, also after an earlier failure: then the
 * rows since the last batch must not be committed. */
bool archivist_flush(struct archivist *archivist);

/* The errno of a write to the archive that failed, or 0. */
int archivist_error(struct archivist *archivist);

/* All records so far are in the batch that is handed over now. */
void archivist_batch_closed(struct archivist *archivist);

/* All batches but the last `uncommitted` are committed. */
void archivist_committed(struct archivist *archivist, size_t uncommitted);

/* --- the end -------------------------------------------------------------- */

/* The files lose their ".open" if all their records are known to be committed.
 * Otherwise they stay as they are: more batches may be committed than were
 * reported, and a resume knows which, so it cuts off the rest. Without a record
 * (`recorded` is false) the last file ends where the last flush ended. */
void archivist_end(struct archivist *archivist, bool recorded);

/* The crawl did not replace another one after all: remove its files. */
void archivist_discard(struct archivist *archivist);

/* Remove the files of the crawl that was replaced. */
void archive_remove_old(int dir_fd, const struct archive_old *old);

#endif
