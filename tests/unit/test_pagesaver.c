/* What a pagesaver promises whatever is behind it: with one that only counts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <errno.h>

#include <cmocka.h>

#include "base/mem.h"
#include "page/pagesaver.h"

struct counter {
    struct pagesaver saver;
    int error; /* of prepare and commit, if any */
    uint32_t prepared, committed, discarded;
};

static struct counter *counter_of(struct pagesaver *saver)
{
    return container_of(saver, struct counter, saver);
}

static bool prepare(struct pagesaver *saver, struct webpage *page)
{
    struct counter *counter = counter_of(saver);

    page->prepared = counter; /* also where it fails */
    counter->prepared++;
    errno = counter->error;
    return !counter->error;
}

static uint32_t commit(struct pagesaver *saver, const struct webpage *page)
{
    struct counter *counter = counter_of(saver);

    assert_ptr_equal(page->prepared, counter);
    errno = counter->error;
    return counter->error ? 0 : ++counter->committed;
}

static void discard(struct pagesaver *saver, const struct webpage *page)
{
    assert_ptr_equal(page->prepared, counter_of(saver));
    counter_of(saver)->discarded++;
}

static struct counter new_counter(void)
{
    static const struct pagesaver_type type = {
        .prepare = prepare,
        .commit = commit,
        .discard = discard,
    };

    return (struct counter){.saver.type = &type};
}

static void a_page_is_committed_once(void **state)
{
    struct counter counter = new_counter();
    struct webpage page = {.outcome = FETCHED};

    (void)state;
    pagesaver_prepare(&counter.saver, &page);
    assert_int_equal(page.outcome, FETCHED);
    assert_int_equal(pagesaver_commit(&counter.saver, &page), 1);
    pagesaver_discard(&counter.saver, &page); /* there is nothing to discard */
    assert_int_equal(counter.committed, 1);
    assert_int_equal(counter.discarded, 0);
}

static void a_page_is_discarded_once(void **state)
{
    struct counter counter = new_counter();
    struct webpage page = {.outcome = FETCHED};

    (void)state;
    pagesaver_discard(&counter.saver, &page); /* not prepared */
    pagesaver_prepare(&counter.saver, &page);
    pagesaver_discard(&counter.saver, &page);
    pagesaver_discard(&counter.saver, &page);
    assert_int_equal(counter.discarded, 1);
}

static void a_page_that_cannot_be_prepared_is_not_saved(void **state)
{
    struct counter counter = new_counter();
    struct webpage page = {.outcome = FETCHED};

    (void)state;
    counter.error = ENOSPC;
    pagesaver_prepare(&counter.saver, &page);
    assert_int_equal(page.outcome, NOT_SAVED);
    assert_int_equal(page.save_errno, ENOSPC);
    pagesaver_discard(&counter.saver, &page);
    assert_int_equal(counter.discarded, 0); /* it has left nothing behind */
}

static void a_page_that_cannot_be_committed_has_to_be_discarded(void **state)
{
    struct counter counter = new_counter();
    struct webpage page = {.outcome = FETCHED};

    (void)state;
    pagesaver_prepare(&counter.saver, &page);
    counter.error = EIO;
    assert_int_equal(pagesaver_commit(&counter.saver, &page), 0);
    assert_int_equal(errno, EIO);
    pagesaver_discard(&counter.saver, &page);
    assert_int_equal(counter.discarded, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_committed_once),
        cmocka_unit_test(a_page_is_discarded_once),
        cmocka_unit_test(a_page_that_cannot_be_prepared_is_not_saved),
        cmocka_unit_test(a_page_that_cannot_be_committed_has_to_be_discarded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
