#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <poll.h>

#include <cmocka.h>

#include "base/mem.h"
#include "crawler/mailbox.h"
#include "support/random.h"

struct note {
    uint32_t sender, number;
    struct message message; /* not the first member on purpose */
};

static struct note *note_of(struct message *message)
{
    return container_of(message, struct note, message);
}

static bool is_readable(const struct mailbox *box, int timeout_ms)
{
    struct pollfd fd = {.fd = box->fd, .events = POLLIN};

    return poll(&fd, 1, timeout_ms) == 1;
}

static void in_order(void **state)
{
    struct note note[6] = {{0}};
    struct messages messages = {0};
    struct mailbox box;

    (void)state;
    mailbox_init(&box);
    for (uint32_t i = 0; i < 6; i++)
        note[i].number = i;
    assert_null(mailbox_take(&box));
    assert_false(is_readable(&box, 0));

    mailbox_put(&box, &messages); /* nothing: nobody is woken */
    assert_false(is_readable(&box, 0));

    for (uint32_t i = 0; i < 3; i++)
        messages_add(&messages, &note[i].message);
    mailbox_put(&box, &messages);
    assert_null(messages.first);
    assert_true(is_readable(&box, 0));
    messages_add(&messages, &note[3].message);
    mailbox_put(&box, &messages);
    for (uint32_t i = 4; i < 6; i++)
        messages_add(&messages, &note[i].message);
    mailbox_put(&box, &messages);
    assert_true(is_readable(&box, 0));

    struct message *message = mailbox_take(&box);
    for (uint32_t i = 0; i < 6; i++, message = message->next)
        assert_int_equal(note_of(message)->number, i);
    assert_null(message);
    assert_null(mailbox_take(&box));
    assert_false(is_readable(&box, 0));
    mailbox_release(&box);
}

/* Messages are used again: an old `next` must not come along. */
static void used_again(void **state)
{
    struct note note[3] = {{0}};
    struct messages messages = {0};
    struct mailbox box;

    (void)state;
    mailbox_init(&box);
    for (int round = 0; round < 3; round++) {
        for (int i = 2; i >= 0; i--)
            messages_add(&messages, &note[(i + round) % 3].message);
        mailbox_put(&box, &messages);
        int count = 0;
        struct message *message = mailbox_take(&box);
        for (; message; message = message->next)
            count++;
        assert_int_equal(count, 3);
    }
    messages_add(&messages, &note[1].message);
    mailbox_put(&box, &messages);
    assert_null(mailbox_take(&box)->next);
    mailbox_release(&box);
}

/* --- threads --------------------------------------------------------- */

enum { SENDERS = 3, NOTES = 30000 };

struct sender {
    uint32_t number;
    struct mailbox *box;
    struct note *notes;
};

static void *send_all(void *arg)
{
    struct sender *sender = arg;
    struct random random = {sender->number + 1};
    struct messages messages = {0};

    for (uint32_t i = 0; i < NOTES; i++) {
        sender->notes[i] = (struct note){.sender = sender->number, .number = i};
        messages_add(&messages, &sender->notes[i].message);
        if (random_below(&random, 4) == 0)
            mailbox_put(sender->box, &messages);
    }
    mailbox_put(sender->box, &messages);
    return NULL;
}

/* Some threads send, one sleeps on the descriptor and takes. A wake-up that is
 * lost shows as a poll that never ends; a race shows under tsan. */
static void many_senders(void **state)
{
    struct sender sender[SENDERS];
    pthread_t thread[SENDERS];
    uint32_t next[SENDERS] = {0};
    size_t left = (size_t)SENDERS * NOTES;
    struct mailbox box;

    (void)state;
    mailbox_init(&box);
    for (uint32_t i = 0; i < SENDERS; i++) {
        sender[i] = (struct sender){
            .number = i,
            .box = &box,
            .notes = mem_array(NOTES, sizeof(struct note)),
        };
        assert_int_equal(pthread_create(&thread[i], NULL, send_all, &sender[i]),
                         0);
    }
    while (left) {
        if (!is_readable(&box, 10000))
            fail_msg("nothing came for ten seconds; %zu notes are left", left);
        for (struct message *message = mailbox_take(&box); message;
             message = message->next, left--) {
            struct note *note = note_of(message);
            if (note->number != next[note->sender]++)
                fail_msg("note %u of sender %u is not in order", note->number,
                         note->sender);
        }
    }
    for (uint32_t i = 0; i < SENDERS; i++) {
        pthread_join(thread[i], NULL);
        assert_int_equal(next[i], NOTES);
        free(sender[i].notes);
    }
    assert_null(mailbox_take(&box));
    mailbox_release(&box);
}

static void *send_heavy(void *arg)
{
    struct sender *sender = arg;

    for (uint32_t i = 0; i < NOTES / 100; i++) {
        struct messages messages = {0};

        messages_add(&messages, &sender->notes[i].message);
        messages.bytes = MAILBOX_BYTES_MAX + 1;
        mailbox_put(sender->box, &messages);
    }
    return NULL;
}

/* Of messages that fill the box there is never more than one in it, while a
 * light one always has room: it would be waited for in vain here. */
static void heavy_letters_wait(void **state)
{
    struct mailbox box;
    struct sender sender = {.box = &box,
                            .notes = mem_array(NOTES, sizeof(struct note))};
    struct note light = {0};
    struct messages messages = {0};
    pthread_t thread;

    (void)state;
    mailbox_init(&box);
    assert_int_equal(pthread_create(&thread, NULL, send_heavy, &sender), 0);
    assert_true(is_readable(&box, 10000));
    messages_add(&messages, &light.message);
    mailbox_put(&box, &messages);
    assert_non_null(mailbox_take(&box)->next);
    for (uint32_t i = 1; i < NOTES / 100; i++) {
        assert_true(is_readable(&box, 10000));
        assert_null(mailbox_take(&box)->next);
    }
    pthread_join(thread, NULL);
    assert_null(mailbox_take(&box));
    free(sender.notes);
    mailbox_release(&box);
}

/* There and back between two threads: with the message goes the right to touch
 * what it is part of. */
struct pair {
    struct mailbox there, back;
};

static void *echo(void *arg)
{
    struct pair *pair = arg;

    for (bool done = false; !done;) {
        is_readable(&pair->there, -1);
        struct message *message = mailbox_take(&pair->there);
        while (message) {
            struct messages answer = {0};
            struct note *note = note_of(message);
            message = message->next;
            done = note->number == UINT32_MAX;
            note->number++;
            messages_add(&answer, &note->message);
            mailbox_put(&pair->back, &answer);
        }
    }
    return NULL;
}

static void there_and_back(void **state)
{
    struct note note = {0};
    struct messages messages = {0};
    struct pair pair;
    pthread_t thread;

    (void)state;
    mailbox_init(&pair.there);
    mailbox_init(&pair.back);
    assert_int_equal(pthread_create(&thread, NULL, echo, &pair), 0);
    for (uint32_t i = 0; i < 2000; i++) {
        note.number = i < 1999 ? i : UINT32_MAX;
        messages_add(&messages, &note.message);
        mailbox_put(&pair.there, &messages);
        while (!mailbox_take(&pair.back))
            assert_true(is_readable(&pair.back, 10000));
        assert_int_equal(note.number, i < 1999 ? i + 1 : 0);
    }
    pthread_join(thread, NULL);
    mailbox_release(&pair.there);
    mailbox_release(&pair.back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order),       cmocka_unit_test(used_again),
        cmocka_unit_test(many_senders),   cmocka_unit_test(heavy_letters_wait),
        cmocka_unit_test(there_and_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
