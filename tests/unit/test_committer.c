/* The side thread: batches become durable in order, the crawler thread hears of
 * it, and after a failure nothing more is written. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "crawler/archive_copies.h"
#include "crawler/committer.h"
#include "page/pagefiles.h"
#include "store/store_type.h"
#include "support/tempdir.h"

/* --- a store that waits to be let on -------------------------------------- */

struct slow {
    struct store base;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t allowed; /* commits that may go on */
    size_t begun, commits, batches;
    size_t last_commits;   /* of these, those that were the last */
    uint64_t last_number;  /* of the changes that were committed */
    size_t batches_before; /* it took its place */
    bool in_order, fails, in_place;
    uint64_t renew_ms;
    size_t renewals, batches_renewed; /* without a batch, and after how many */
};

static bool commit(struct store *base, const struct store_batch *const *batch,
                   size_t count, struct store_error *error)
{
    struct slow *slow = (struct slow *)(void *)base;

    pthread_mutex_lock(&slow->lock);
    slow->renewals += !count;
    if (!count) {
        slow->batches_renewed = slow->batches;
        pthread_mutex_unlock(&slow->lock);
        return true;
    }
    slow->begun++;
    pthread_cond_broadcast(&slow->changed);
    while (!slow->allowed)
        pthread_cond_wait(&slow->changed, &slow->lock);
    slow->allowed--;
    if (!slow->fails) {
        slow->commits++;
        slow->batches += count;
        for (size_t i = 0; i < count; i++) {
            const struct store_change *row = batch[i]->rows[ROW_change].item;
            slow->in_order &= row->number == slow->last_number + 1;
            slow->last_number = row->number;
        }
    }
    bool good = !slow->fails;
    pthread_mutex_unlock(&slow->lock);
    if (!good)
        store_fail(error, STORE_FAILED, "no space left");
    return good;
}

static bool commit_last(struct store *base,
                        const struct store_batch *const *batch, size_t count,
                        struct store_error *error)
{
    ((struct slow *)(void *)base)->last_commits++;
    return commit(base, batch, count, error);
}

static bool replace_old(struct store *base, struct store_error *error)
{
    struct slow *slow = (struct slow *)(void *)base;

    (void)error;
    slow->batches_before = slow->batches;
    slow->in_place = true;
    return true;
}

static uint64_t renew_ms(const struct store *base)
{
    return ((const struct slow *)(const void *)base)->renew_ms;
}

static const struct store_type type = {
    .renew_ms = renew_ms,
    .kind = "slow",
    .commit = commit,
    .commit_last = commit_last,
    .replace_old = replace_old,
};

static void allow(struct slow *slow, size_t commits)
{
    pthread_mutex_lock(&slow->lock);
    slow->allowed += commits;
    pthread_cond_broadcast(&slow->changed);
    pthread_mutex_unlock(&slow->lock);
}

static void wait_for_begun(struct slow *slow, size_t begun)
{
    pthread_mutex_lock(&slow->lock);
    while (slow->begun < begun)
        pthread_cond_wait(&slow->changed, &slow->lock);
    pthread_mutex_unlock(&slow->lock);
}

struct stage {
    struct slow slow;
    struct committer *committer;
    struct store_batch batch;
    struct store_error error;
    struct pagedir dir;
    struct pagesaver files;
    struct archive_copies copies;
    struct tempdir temp;
    struct spools spools;
};

static int setup(void **state)
{
    struct stage *stage = calloc(1, sizeof(*stage));

    stage->slow.base.type = &type;
    stage->slow.in_order = true;
    pthread_mutex_init(&stage->slow.lock, NULL);
    pthread_cond_init(&stage->slow.changed, NULL);
    assert_true(pagedir_open_read(&stage->dir, "/tmp"));
    pagefiles_init(&stage->files, &stage->dir);
    store_batch_init(&stage->batch);
    tempdir_make(&stage->temp);
    archive_copies_init(&stage->copies);
    stage->spools = (struct spools){.dir_fd = stage->temp.fd, .max = 10};
    stage->committer = committer_start(&stage->slow.base, &stage->files,
                                       &stage->copies, &stage->error);
    assert_non_null(stage->committer);
    *state = stage;
    return 0;
}

static int teardown(void **state)
{
    struct stage *stage = *state;

    committer_free(stage->committer);
    archive_copies_release(&stage->copies);
    store_batch_release(&stage->batch);
    pagedir_close(&stage->dir);
    assert_int_equal(stage->spools.count, 0);
    tempdir_remove(&stage->temp);
    free(stage);
    return 0;
}

static void put(struct stage *stage, uint64_t number)
{
    store_add_change(&stage->batch, &(struct store_change){.number = number});
    committer_put(stage->committer, &stage->batch, 10);
    assert_int_equal(store_batch_count(&stage->batch), 0);
}

/* --- cases ---------------------------------------------------------------- */

static void batches_that_wait_are_committed_together_and_in_order(void **state)
{
    struct stage *stage = *state;
    struct uncommitted left;

    put(stage, 1);
    wait_for_begun(&stage->slow, 1);
    for (uint64_t number = 2; number <= 200; number++)
        put(stage, number);
    left = committer_uncommitted(stage->committer);
    assert_int_equal(left.batches, 200);
    assert_int_equal(left.fetches, 2000);
    assert_true(left.bytes >= 200 * sizeof(struct store_change));
    allow(&stage->slow, 200);
    assert_true(committer_finish(stage->committer, &stage->error));
    left = committer_uncommitted(stage->committer);
    assert_int_equal(left.batches, 0);
    assert_int_equal(left.fetches, 0);
    assert_int_equal(left.bytes, 0);
    assert_int_equal(stage->slow.batches, 200);
    assert_true(stage->slow.in_order);
    assert_true(stage->slow.commits < 10);
}

static void nothing_is_committed_after_a_failure(void **state)
{
    struct stage *stage = *state;

    stage->slow.fails = true;
    allow(&stage->slow, 1);
    put(stage, 1);
    assert_false(committer_finish(stage->committer, &stage->error));
    assert_string_equal(stage->error.text, "no space left");
    stage->slow.fails = false;
    allow(&stage->slow, 100);
    put(stage, 2);
    assert_false(committer_finish(stage->committer, &stage->error));
    assert_string_equal(stage->error.text, "no space left");
    assert_false(committer_replace_old(stage->committer, &stage->error));
    assert_int_equal(stage->slow.commits, 0);
    assert_false(stage->slow.in_place);
}

static void it_takes_its_place_after_the_batches_before(void **state)
{
    struct stage *stage = *state;

    allow(&stage->slow, 10);
    put(stage, 1);
    put(stage, 2);
    assert_true(committer_replace_old(stage->committer, &stage->error));
    assert_true(stage->slow.in_place);
    assert_int_equal(stage->slow.batches_before, 2);
}

static void batches_are_committed_although_nobody_listens(void **state)
{
    struct stage *stage = *state;

    allow(&stage->slow, 10);
    put(stage, 1);
    put(stage, 2);
    committer_free(stage->committer);
    assert_int_equal(stage->slow.batches, 2);
    stage->committer =
        committer_start(&stage->slow.base, &stage->files, NULL, &stage->error);
}

/* --- large records -------------------------------------------------------- */

/* "large" from its third byte on belongs to the place 4 of a file. */
static void put_copy(struct stage *stage, int flags)
{
    struct spool *spool = spool_new(&stage->spools);

    tempdir_write(&stage->temp, "archive", STR("heads"));
    int fd = openat(stage->temp.fd, "archive", flags);
    assert_true(spool_put(spool, STR("large")));
    assert_true(archive_copies_put(&stage->copies, fd, 4, spool, 2));
    close(fd); /* the archivist may have gone on to the next file */
}

static void large_records_are_written_before_the_commit(void **state)
{
    struct stage *stage = *state;

    put_copy(stage, O_RDWR);
    tempdir_expect(&stage->temp, "archive", STR("heads"));
    unsigned changes = stage->files.changes;
    put(stage, 1);
    wait_for_begun(&stage->slow, 1);
    tempdir_expect(&stage->temp, "archive", STR("headrge"));
    assert_int_equal(stage->spools.count, 0);
    assert_true(stage->files.changes > changes); /* so that it is synced */
    assert_int_equal(stage->files.synced, stage->files.changes);
    allow(&stage->slow, 1);
    assert_true(committer_finish(stage->committer, &stage->error));
    assert_int_equal(archive_copies_error(&stage->copies), 0);
}

/* To write them takes long. */
static void a_lease_is_renewed_meanwhile(void **state)
{
    struct stage *stage = *state;

    committer_free(stage->committer);
    stage->slow.renew_ms = 1000;
    stage->committer = committer_start(&stage->slow.base, &stage->files,
                                       &stage->copies, &stage->error);
    put_copy(stage, O_RDWR);
    allow(&stage->slow, 1);
    put(stage, 1);
    assert_true(committer_finish(stage->committer, &stage->error));
    /* There was no commit before it. */
    assert_true(stage->slow.renewals > 0);
    assert_int_equal(stage->slow.batches_renewed, 0);
    assert_int_equal(stage->slow.batches, 1);
}

static void nothing_is_committed_if_one_cannot_be_written(void **state)
{
    struct stage *stage = *state;

    put_copy(stage, O_RDONLY);
    put_copy(stage, O_RDWR);
    put(stage, 1);
    assert_false(committer_finish(stage->committer, &stage->error));
    assert_string_equal(stage->error.text, strerror(EBADF));
    assert_int_equal(archive_copies_error(&stage->copies), EBADF);
    assert_int_equal(stage->slow.begun, 0);
    assert_int_equal(stage->spools.count, 0); /* nobody waits for them */
    tempdir_expect(&stage->temp, "archive", STR("heads"));
}

static void large_records_of_the_last_batch_are_written(void **state)
{
    struct stage *stage = *state;

    allow(&stage->slow, 10);
    put_copy(stage, O_RDWR);
    put(stage, 1);
    store_add_change(&stage->batch, &(struct store_change){.number = 2});
    assert_true(committer_end(stage->committer, &stage->batch, &stage->error));
    tempdir_expect(&stage->temp, "archive", STR("headrge"));
    assert_int_equal(stage->files.synced, stage->files.changes);
}

/* --- the end -------------------------------------------------------------- */

static bool end(struct stage *stage, uint64_t number)
{
    store_add_change(&stage->batch, &(struct store_change){.number = number});
    return committer_end(stage->committer, &stage->batch, &stage->error);
}

static void batches_that_wait_are_committed_with_the_last(void **state)
{
    struct stage *stage = *state;

    put(stage, 1);
    wait_for_begun(&stage->slow, 1);
    for (uint64_t number = 2; number <= 20; number++)
        put(stage, number);
    allow(&stage->slow, 10);
    assert_true(end(stage, 21));
    assert_int_equal(stage->slow.batches, 21);
    assert_true(stage->slow.in_order);
    assert_int_equal(stage->slow.last_commits, 1);
    assert_int_equal(committer_uncommitted(stage->committer).batches, 0);
}

static void nothing_is_committed_after_the_end(void **state)
{
    struct stage *stage = *state;

    allow(&stage->slow, 10);
    assert_true(end(stage, 1));
    put(stage, 2);
    assert_true(committer_finish(stage->committer, &stage->error));
    assert_int_equal(stage->slow.batches, 1);
    assert_int_equal(stage->slow.last_commits, 1);
}

static void more_than_one_transaction_at_the_end(void **state)
{
    struct stage *stage = *state;

    put(stage, 1);
    wait_for_begun(&stage->slow, 1);
    for (uint64_t number = 2; number <= 200; number++)
        put(stage, number);
    allow(&stage->slow, 200);
    assert_true(end(stage, 201));
    assert_int_equal(stage->slow.batches, 201);
    assert_true(stage->slow.in_order);
    assert_int_equal(stage->slow.last_commits, 1);
}

static void a_failure_before_the_end_is_told(void **state)
{
    struct stage *stage = *state;

    put(stage, 1);
    wait_for_begun(&stage->slow, 1);
    put(stage, 2);
    pthread_mutex_lock(&stage->slow.lock);
    stage->slow.fails = true;
    pthread_mutex_unlock(&stage->slow.lock);
    allow(&stage->slow, 10);
    assert_false(end(stage, 3));
    assert_string_equal(stage->error.text, "no space left");
    assert_int_equal(stage->slow.batches, 0);
    assert_int_equal(committer_uncommitted(stage->committer).batches, 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(batches_that_wait_are_committed_together_and_in_order),
        CASE(nothing_is_committed_after_a_failure),
        CASE(it_takes_its_place_after_the_batches_before),
        CASE(batches_are_committed_although_nobody_listens),
        CASE(large_records_are_written_before_the_commit),
        CASE(a_lease_is_renewed_meanwhile),
        CASE(nothing_is_committed_if_one_cannot_be_written),
        CASE(large_records_of_the_last_batch_are_written),
        CASE(batches_that_wait_are_committed_with_the_last),
        CASE(nothing_is_committed_after_the_end),
        CASE(more_than_one_transaction_at_the_end),
        CASE(a_failure_before_the_end_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
