#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "page/sockets.h"

enum { PAIRS = 100 };

static int listen_on_loopback(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(
        bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listener, 1), 0);
    return listener;
}

/* Connected through the listener, all to one place: so no two of them have the
 * same port. `theirs` is its end of it. */
static int open_pair(struct sockets *sockets, int listener, int *theirs)
{
    struct sockaddr_in address;
    socklen_t len = sizeof(address);
    int ours = sockets_open(sockets, AF_INET, SOCK_STREAM, 0);

    getsockname(listener, (struct sockaddr *)&address, &len);
    assert_int_equal(connect(ours, (struct sockaddr *)&address, len), 0);
    *theirs = accept(listener, NULL, NULL);
    return ours;
}

static uint16_t port_of(int fd)
{
    struct sockaddr_in address = {0};
    socklen_t len = sizeof(address);

    getsockname(fd, (struct sockaddr *)&address, &len);
    return ntohs(address.sin_port);
}

static void send_bytes(int fd, size_t count)
{
    char bytes[1000] = {0};

    assert_int_equal(send(fd, bytes, count, 0), (ssize_t)count);
}

static void read_bytes(int fd, size_t count)
{
    char bytes[1000];

    assert_int_equal(recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT),
                     (ssize_t)count);
}

/* Not the one that most has come for, which nobody reads. */
static void the_busiest_is_cut(void **state)
{
    struct sockets sockets;
    int ours[PAIRS], theirs[PAIRS];

    (void)state;
    sockets_init(&sockets);
    assert_false(sockets_cut_busiest(&sockets));
    int listener = listen_on_loopback();
    for (int i = 0; i < PAIRS; i++)
        ours[i] = open_pair(&sockets, listener, &theirs[i]);
    close(listener);
    assert_int_equal(sockets.opened, PAIRS);
    send_bytes(theirs[4], 900);
    read_bytes(ours[4], 900);
    sockets_mark(&sockets);
    assert_false(sockets_cut_busiest(&sockets));
    send_bytes(theirs[3], 100);
    send_bytes(theirs[70], 200);
    send_bytes(theirs[99], 1000);
    read_bytes(ours[3], 100);
    read_bytes(ours[70], 200);
    assert_true(sockets_cut_busiest(&sockets));
    read_bytes(theirs[70], 0); /* the end */
    /* Once; then it is another one's turn. */
    assert_true(sockets_cut_busiest(&sockets));
    read_bytes(theirs[3], 0);
    assert_false(sockets_cut_busiest(&sockets));
    read_bytes(ours[99], 1000);
    for (int i = 0; i < PAIRS; i++) {
        bool is_cut = i == 3 || i == 70;
        uint16_t port = port_of(ours[i]);

        assert_int_equal(sockets_was_cut(&sockets, port), is_cut);
        sockets_forget_closed(&sockets);
        assert_int_equal(sockets_was_cut(&sockets, port), is_cut);
        assert_int_equal(sockets_close(&sockets, ours[i]), 0);
        assert_int_equal(sockets_was_cut(&sockets, port), is_cut);
        sockets_forget_closed(&sockets);
        assert_false(sockets_was_cut(&sockets, port));
        close(theirs[i]);
    }
    assert_int_equal(sockets.count, 0);
    assert_false(sockets.has_cut);
    sockets_release(&sockets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_busiest_is_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
