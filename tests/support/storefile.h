/* A state file for a test of the store, and what it holds as text. What should
 * work and does not fails the test. */
#ifndef TESTS_SUPPORT_STOREFILE_H
#define TESTS_SUPPORT_STOREFILE_H

#include "store/store.h"
#include "support/tempdir.h"

struct storefile {
    struct tempdir temp;
    char path[128];           /* of the file itself, */
    char name[128];           /* and as store_open wants it */
    struct store_batch batch; /* empty after it was used */
    struct store_error error;
};

/* For cmocka_unit_test_setup_teardown: a directory without a file so far. */
int storefile_setup(void **state);
int storefile_teardown(void **state);

/* With `batch` as the first rows; the names of codes are those of the
 * program. */
void storefile_create(struct storefile *file);
struct store *storefile_open(struct storefile *file, enum store_mode mode);
void storefile_commit(struct storefile *file, struct store *store);

/* Behind the store's back: the answer in lines of columns, "a|b\n", NULL as
 * "-", in `out` if that is not NULL. */
void storefile_sql(const struct storefile *file, const char *sql,
                   struct buf *out);

/* A reader of every kind: one line a row in `out`, with every field; NULL is -,
 * other texts are in quotes. */
struct store_reader storefile_show(struct buf *out);

/* All that the store holds, or the file, is this. */
void storefile_holds(struct storefile *file, struct store *store,
                     struct str expected);
void storefile_is(struct storefile *file, struct str expected);

#endif
