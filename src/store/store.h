/* The store: the record of a crawl, so that it survives the program.
 *
 *     struct store *store = store_create("sqlite:pages", &codes, &first,
 *                                        STORE_AT_ONCE, &error);
 *     struct store *store = store_open("sqlite:pages", STORE_WRITE, &codes,
 *                                      &error);
 *     store_load(store, 0, &reader, &error);     everything back, row by row
 *     store_commit(store, batches, n, &error);   every second or so
 *     store_commit_last(store, batches, n, &error);
 *     store_close(store);
 *
 * Memory decides, the store remembers: nothing is asked of it on the path of a
 * page. It is a journal. Rows (store/rows.def) are appended and never changed,
 * settings apart; store/fold.h says what they mean together.
 *
 * A record has a name: the kind of store, a colon, and where it is. Each kind
 * is a table of functions (store/store_type.h). The contract is the same for
 * all:
 *
 *   - A commit is all or nothing, and durable when it returns. A batch carries
 *     the structs of store/rows.h and nothing else.
 *   - A load gives the same rows back, kind by kind, each kind in the order in
 *     which its rows were committed; URLs by their number. The texts are valid
 *     during the call.
 *   - Records may be cut into slices, each of which can be loaded by itself;
 *     numbers of URLs count within a slice. Loading one slice after the other
 *     gives all of the record, each row once.
 *   - Every commit leaves a digest of its rows, chained to the commit before.
 *     A load recomputes it: a row that is not as it was written ends the load
 *     with STORE_DAMAGED.
 *
 * A store is used by one thread at a time.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "store/batch.h"
#include "store/codes.h"

/* The version of the format. A record of a later version is not touched. A
 * record of an earlier version is read as it is, and brought up to date when it
 * is opened to be written (store/sqlite_tables.c). */
enum { STORE_VERSION = 7 };

enum store_mode {
    STORE_WRITE, /* one program at a time, which the caller makes sure of */
    STORE_READ,  /* read only, also while a crawl is running */
};

/* When a new record replaces the one that is there. */
enum store_start {
    STORE_AT_ONCE,
    STORE_ASIDE, /* at store_replace_old; without that call, never */
};

enum store_status {
    STORE_OK,
    STORE_NONE,    /* there is nothing */
    STORE_EMPTY,   /* the empty file of a crawl that left no record */
    STORE_NOTE,    /* a small file that this program did not write */
    STORE_FOREIGN, /* something else that is not the record of a crawl */
    STORE_NEWER,   /* written by a later version of this program */
    STORE_DAMAGED, /* a record, but not as it was written */
    STORE_FAILED,  /* an error of the system, which `text` names */
};

/* Why something did not work, for people. */
struct store_error {
    enum store_status status;
    char text[200];
};

/* Fill in `error`. Always false. */
bool store_fail(struct store_error *error, enum store_status status,
                const char *format, ...) __attribute__((format(printf, 3, 4)));

struct store;

/* A new record that holds the first batch, opened to be written. At any moment
 * there is the old record or the new one, whole. Where there was no record, it
 * is on the disk after its first commit. NULL with `error`. */
struct store *store_create(const char *name, const struct store_codes *codes,
                           const struct store_batch *first,
                           enum store_start start, struct store_error *error);

/* A record that was created aside replaces the one that was there. */
bool store_replace_old(struct store *store, struct store_error *error);

/* Forget the record that is there, and leave the empty file that marks a page
 * directory. False with `error`. */
bool store_leave_empty(const char *name, struct store_error *error);

/* NULL with `error` if it cannot be opened. `codes` must outlive it. */
struct store *store_open(const char *name, enum store_mode mode,
                         const struct store_codes *codes,
                         struct store_error *error);
void store_close(struct store *store);

/* Bring the journal that a killed crawl left into the record's file, and remove
 * it, as opening the record to write would do. */
void store_tidy(const char *name);

/* Where the record is, for messages: "pages/.crawler". In `arena`. */
const char *store_label(const char *name, struct arena *arena);

/* "sqlite:pages" for a page directory, in `arena`. */
const char *store_name_in(const char *dir_path, struct arena *arena);

/* Commit all rows of all batches or, with `error`, none. They are on the disk
 * when it returns. It fails if the record is no longer where it was opened. */
bool store_commit(struct store *store, const struct store_batch *const *batch,
                  size_t count, struct store_error *error);

/* The same, before the store is closed: with it closing has little left to do.
 * False with `error` also if the record could not be brought to rest; the rows
 * are kept then all the same. */
bool store_commit_last(struct store *store,
                       const struct store_batch *const *batch, size_t count,
                       struct store_error *error);

/* Rows are given to the functions that are set; false ends the load, with
 * STORE_DAMAGED. */
struct store_reader {
    void *user;
    bool unchecked; /* skip the digests: store_check was called before */
    /* First: how many URLs the slice has, and the greatest number. In a record
     * of several slices numbers are those of web/partition.h. */
    bool (*begin)(void *user, uint64_t urls, uint64_t last_number);
// NOLINTNEXTLINE(bugprone-macro-parentheses) ; it is a name
#define KIND(kind) bool (*kind)(void *user, const struct store_##kind *row);
#include "store/rows.def"
};

/* Commit at least so often, if only an empty batch: others wait for a sign of
 * life. 0: nobody does. */
uint64_t store_renew_ms(const struct store *store);

unsigned store_slices(const struct store *store);
bool store_load(struct store *store, unsigned slice,
                const struct store_reader *reader, struct store_error *error);

/* Ask `is_told` often while rows are read, also while none comes; when it is
 * true the read fails. NULL: ask nobody any more. Do not commit meanwhile. A
 * store of a fleet asks nobody: it reads its rows in small pieces. */
void store_watch(struct store *store, bool (*is_told)(void *user), void *user);

/* The codes that the store was opened with. */
const struct store_codes *store_codes(const struct store *store);

/* Check that the whole record is as it was written, also the parts that nobody
 * reads. `found` gets a text for each fault. False with `error` if the check
 * itself failed. */
bool store_check(struct store *store,
                 void (*found)(void *user, const char *text), void *user,
                 struct store_error *error);

/* Tables, views and indexes that somebody else has put into the record. They
 * cannot act: one with others is not opened. */
unsigned store_additions(const struct store *store);

/* One URL by its number. Within a reader's function it is of the same moment as
 * the rows of that load. Texts are valid until the next call. False if there is
 * no such URL or it cannot be read. For reports; a running crawl never asks. */
bool store_find_url(struct store *store, uint64_t number,
                    struct store_url *url);

#endif
