#include "cli/password.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "base/escape.h"

enum { PROMPT_MAX = 4096 };

static void put_prompt(int tty, const char *name)
{
    struct buf prompt;

    buf_init(&prompt, PROMPT_MAX);
    buf_put(&prompt, STR("Password for "));
    terminal_put(&prompt, str_of(name), '?');
    dprintf(tty, "%s: ", buf_cstr(&prompt));
    buf_release(&prompt);
}

/* Signals that would leave the terminal without an echo. */
static void find_signals(sigset_t *set)
{
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP};
    struct sigaction action;

    sigemptyset(set);
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (!sigaction(numbers[i], NULL, &action) &&
            action.sa_handler != SIG_IGN)
            sigaddset(set, numbers[i]);
}

enum reading { READ_LINE, READ_NOTHING, READ_SIGNAL };

/* One line, unless there is a signal first. */
static enum reading read_password(int tty, int signal_fd, struct buf *out)
{
    struct pollfd ready[] = {
        {.fd = signal_fd, .events = POLLIN},
        {.fd = tty, .events = POLLIN},
    };
    char c;

    for (;;) {
        if (poll(ready, 2, -1) < 0)
            return READ_NOTHING;
        if (ready[0].revents)
            return READ_SIGNAL;
        if (read(tty, &c, 1) != 1)
            return READ_NOTHING;
        if (c == '\n' || c == '\r')
            return READ_LINE;
        if (!c || !buf_put_char(out, c))
            return READ_NOTHING;
    }
}

static enum reading ask(int tty, int signal_fd, const char *name,
                        const struct termios *before, struct buf *out)
{
    struct termios now = *before;

    now.c_lflag &= ~(tcflag_t)ECHO;
    tcsetattr(tty, TCSAFLUSH, &now);
    put_prompt(tty, name);
    enum reading reading = read_password(tty, signal_fd, out);
    tcsetattr(tty, TCSAFLUSH, before);
    dprintf(tty, "\n");
    return reading;
}

/* A signal waits until the terminal is as it was; it may end the program. One
 * that only stopped it for a while is followed by another prompt. */
static bool ask_until_told(int tty, const char *name, struct buf *out)
{
    size_t len = out->len;
    enum reading reading;
    struct termios before;
    sigset_t set, old;

    if (tcgetattr(tty, &before))
        return false;
    find_signals(&set);
    do {
        sigprocmask(SIG_BLOCK, &set, &old);
        int signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
        out->len = len; /* not what was typed before */
        reading = ask(tty, signal_fd, name, &before, out);
        if (signal_fd >= 0)
            close(signal_fd);
        sigprocmask(SIG_SETMASK, &old, NULL);
    } while (reading == READ_SIGNAL);
    return reading == READ_LINE;
}

bool password_ask(const char *name, struct buf *out)
{
    int tty = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (tty < 0)
        return false;
    bool good = ask_until_told(tty, name, out);
    close(tty);
    return good;
}
