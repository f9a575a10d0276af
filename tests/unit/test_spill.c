#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontier/spill.h"
#include "support/random.h"

enum { QUEUES = 5, BLOCK = 16 * 1024 };

static int temporary(void)
{
    int fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

/* Record `n` of a queue: its numbers, and as many bytes as these say. */
static struct str record_of(char *text, size_t queue, uint64_t n)
{
    struct random random = {.state = 1 + n * QUEUES + queue};
    int len = snprintf(text, 64, "%zu %llu ", queue, (unsigned long long)n);
    size_t more = random_below(&random, 50) ? random_below(&random, 100)
                                            : SPILL_RECORD_MAX - (size_t)len;

    memset(text + len, 'a' + (int)(n % 26), more);
    return (struct str){text, (size_t)len + more};
}

struct model {
    int dir_fd;
    struct spill *spill;
    struct spill_queue queue[QUEUES];
    uint64_t put[QUEUES], taken[QUEUES];
    struct buf record;
};

static void begin(struct model *model)
{
    *model = (struct model){.dir_fd = temporary()};
    model->spill = spill_new(model->dir_fd);
    buf_init(&model->record, SPILL_RECORD_MAX);
}

static void end(struct model *model)
{
    spill_free(model->spill);
    close(model->dir_fd);
    buf_release(&model->record);
}

static void put(struct model *model, size_t queue)
{
    char text[SPILL_RECORD_MAX + 64];
    struct str record = record_of(text, queue, model->put[queue]);

    assert_true(spill_put(model->spill, &model->queue[queue], record));
    model->put[queue]++;
}

static void take(struct model *model, size_t queue)
{
    char text[SPILL_RECORD_MAX + 64];
    struct str expected = record_of(text, queue, model->taken[queue]);

    assert_true(spill_take(model->spill, &model->queue[queue], &model->record));
    assert_true(str_eq(expected, buf_str(&model->record)));
    model->taken[queue]++;
}

static uint64_t held(const struct model *model, size_t queue)
{
    assert_int_equal(model->queue[queue].count,
                     model->put[queue] - model->taken[queue]);
    return model->queue[queue].count;
}

/* Queues that grow, shrink and become empty, in any order of turns. */
static void first_in_first_out(void **state)
{
    struct random random = {.state = 7};
    struct model model;

    (void)state;
    begin(&model);
    for (int i = 0; i < 200000; i++) {
        size_t queue = random_below(&random, QUEUES);
        unsigned run = 1 + random_below(&random, 20);
        bool grows = random_below(&random, 100) < (i / 20000 % 2 ? 60 : 40);
        for (; run--; i++)
            if (grows)
                put(&model, queue);
            else if (held(&model, queue))
                take(&model, queue);
    }
    for (size_t queue = 0; queue < QUEUES; queue++)
        while (held(&model, queue))
            take(&model, queue);
    end(&model);
}

/* What was taken makes room: the file does not grow with what went through. */
static void the_file_is_used_again(void **state)
{
    struct model model;

    (void)state;
    begin(&model);
    for (int i = 0; i < 1000; i++)
        put(&model, 0);
    uint32_t blocks = model.queue[0].tail;
    assert_true(blocks > 1);
    for (int i = 0; i < 100000; i++) {
        put(&model, 0);
        take(&model, 0);
        assert_true(model.queue[0].tail <= 2 * blocks);
    }
    while (held(&model, 0))
        take(&model, 0);
    for (int i = 0; i < 1000; i++) {
        put(&model, 1);
        assert_true(model.queue[1].tail <= 2 * blocks);
    }
    end(&model);
}

/* A record that cannot be written is not there; those before it are. */
static void no_room(void **state)
{
    struct rlimit before, limit;
    struct model model;

    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = 10 * BLOCK;
    begin(&model);
    for (size_t queue = 0; queue < QUEUES; queue++)
        put(&model, queue);
    setrlimit(RLIMIT_FSIZE, &limit);
    int refused = 0;
    for (int i = 0; i < 20000; i++) {
        char text[SPILL_RECORD_MAX + 64];
        size_t queue = (size_t)i / 7 % QUEUES;
        struct str record = record_of(text, queue, model.put[queue]);
        if (spill_put(model.spill, &model.queue[queue], record))
            model.put[queue]++;
        else
            refused++;
        if (i % 1000 == 0)
            for (size_t j = 0; j < QUEUES; j++)
                for (uint64_t n = held(&model, j) * (i % 2000 ? 1 : 2) / 2;
                     n--;)
                    take(&model, j);
    }
    setrlimit(RLIMIT_FSIZE, &before);
    if (refused < 1000 || refused > 19000)
        fail_msg("%d refused", refused);
    for (size_t queue = 0; queue < QUEUES; queue++) {
        put(&model, queue);
        while (held(&model, queue))
            take(&model, queue);
    }
    end(&model);
}

static void no_file(void **state)
{
    struct spill *spill = spill_new(-1);
    struct spill_queue queue = {0};

    (void)state;
    assert_false(spill_put(spill, &queue, STR("record")));
    assert_int_equal(errno, EBADF);
    assert_int_equal(queue.count, 0);
    spill_free(spill);
    spill_free(NULL);
}

static void records_that_are_none(void **state)
{
    static char text[SPILL_RECORD_MAX + 1];
    struct model model;

    (void)state;
    begin(&model);
    assert_false(spill_put(model.spill, model.queue, (struct str){text, 0}));
    assert_false(
        spill_put(model.spill, model.queue, (struct str){text, sizeof(text)}));
    assert_int_equal(errno, EMSGSIZE);
    assert_true(spill_put(model.spill, model.queue,
                          (struct str){text, sizeof(text) - 1}));
    end(&model);
}

/* Somebody cuts the file, or writes into it: that is seen, whatever it is. */
static void a_file_that_changes(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        struct model model;
        char noise[BLOCK];

        begin(&model);
        int fd = dup(0); /* the number that the file will have */
        close(fd);
        for (int i = 0; i < 1000; i++)
            put(&model, 0);
        assert_true(lseek(fd, 0, SEEK_END) > BLOCK);
        memset(noise, 0, sizeof(noise));
        if (way)
            assert_int_equal(pwrite(fd, noise, BLOCK, 0), BLOCK);
        else
            assert_int_equal(ftruncate(fd, 0), 0);
        assert_false(spill_take(model.spill, &model.queue[0], &model.record));
        assert_int_equal(errno, EIO);
        end(&model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_in_first_out),
        cmocka_unit_test(the_file_is_used_again),
        cmocka_unit_test(no_room),
        cmocka_unit_test(no_file),
        cmocka_unit_test(records_that_are_none),
        cmocka_unit_test(a_file_that_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
