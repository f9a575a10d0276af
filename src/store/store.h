/* The store: what a crawl knows, so that it survives the program.
 *
 *     store_create(path, &names, &first, &error);
 *     struct store *store = store_open(path, STORE_WRITE, &error);
 *     store_load(store, &reader, &error);  everything back, row by row
 *     store_commit(store, &batch, &error); every second or so, all or nothing
 *     store_close(store);
 *
 * Memory decides, the store remembers: nothing is ever asked of it on the
 * path of a page. It is a journal. Rows are appended and never changed; where
 * a later row tells of the same thing, the later one counts. Codes of verdicts
 * and outcomes are the caller's, who hands in their names once.
 *
 * Behind this header is SQLite (store/sqlite.c); what another machine needs to
 * take over a crawl is what these calls carry, whatever is behind them.
 */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "store/batch.h"

/* Of the tables; a file of a later version is not touched. */
enum { STORE_VERSION = 1 };

enum store_mode {
    STORE_WRITE, /* one program at a time, which is for the caller to see to */
    STORE_READ,  /* look only, also beside a crawl that is at work */
};

enum store_status {
    STORE_OK,
    STORE_NONE,    /* there is no file, or an empty one */
    STORE_FOREIGN, /* a file, but not of a crawl */
    STORE_NEWER,   /* of a later version of this program */
    STORE_DAMAGED, /* of a crawl, but it cannot be read */
    STORE_FAILED,  /* the system said no: `text` says what */
};

/* Why something did not work, for people. */
struct store_error {
    enum store_status status;
    char text[200];
};

struct store;

/* What the codes mean, so that whoever opens the file sees names. */
struct store_names {
    const char *(*verdict_name)(unsigned code);
    const char *(*outcome_name)(unsigned code);
    unsigned verdicts, outcomes;
};

/* Make a new one that holds the first batch, in place of whatever file is
 * there: at any moment there is either the old one or the new one, whole. A
 * program killed meanwhile may leave `path`-tmp-state behind. */
bool store_create(const char *path, const struct store_names *names,
                  const struct store_batch *first, struct store_error *error);

/* NULL with `error` where it cannot be opened. */
struct store *store_open(const char *path, enum store_mode mode,
                         struct store_error *error);
void store_close(struct store *store);

/* Before rows are added to a file that an older program may have begun, which
 * did not know of all codes. */
bool store_add_names(struct store *store, const struct store_names *names,
                     struct store_error *error);

/* All of the batch or, with `error`, nothing of it. When it returns it is on
 * the disk. It fails where the file is no longer where it was opened; its
 * directory may have been moved. */
bool store_commit(struct store *store, const struct store_batch *batch,
                  struct store_error *error);

/* Who wants rows of a kind sets its function; a false ends the reading (with
 * STORE_DAMAGED). The kinds come in this order, rows in the order in which
 * they were written, URLs by number. Texts are valid during the call. */
struct store_reader {
    void *user;
    /* First: how many URLs there are, and the greatest number. */
    bool (*begin)(void *user, uint64_t urls, uint64_t last_number);
    bool (*setting)(void *user, const struct store_setting *row);
    bool (*seed)(void *user, const struct store_seed *row);
    bool (*domain)(void *user, const struct store_domain *row);
    bool (*robots)(void *user, const struct store_robots *row);
    bool (*host)(void *user, const struct store_host *row);
    bool (*change)(void *user, const struct store_change *row);
    bool (*fetch)(void *user, const struct store_fetch *row);
    bool (*refusal)(void *user, const struct store_refusal *row);
    bool (*url)(void *user, const struct store_url *row);
    bool (*link)(void *user, const struct store_link *row);
};
bool store_load(struct store *store, const struct store_reader *reader,
                struct store_error *error);

/* Is the file whole, all of it, also what nobody reads? False with what is
 * wrong first: STORE_DAMAGED, or STORE_FAILED where that cannot be said. */
bool store_check(struct store *store, struct store_error *error);

/* One URL by its number, also from within a reader, of the same moment then.
 * Texts are valid until the next call. False where there is none, or none that
 * can be read. For whoever looks back; a crawl at work never asks. */
bool store_find_url(struct store *store, uint64_t number,
                    struct store_url *url);

#endif
