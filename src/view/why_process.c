#include "view/why_process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child has no signal blocked; its two outputs are the pipe. */
static int spawn(pid_t *pid, int out, char *const argv[])
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;

    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null",
                                     O_RDONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    int why = posix_spawn(pid, "/proc/self/exe", &actions, &attributes, argv,
                          environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return why;
}

bool why_start(struct why_process *why, const char *directory, const char *url,
               uint64_t now_us)
{
    char *const argv[] = {(char *)"crawler", (char *)"why", (char *)"--",
                          (char *)directory, (char *)url,   NULL};
    int pipe_fd[2];

    if (pipe2(pipe_fd, O_CLOEXEC))
        return false;
    fcntl(pipe_fd[0], F_SETFL, O_NONBLOCK);
    int problem = spawn(&why->pid, pipe_fd[1], argv);
    close(pipe_fd[1]);
    if (problem) {
        why->pid = 0;
        close(pipe_fd[0]);
        errno = problem;
        return false;
    }
    why->fd = pipe_fd[0];
    why->until_us = now_us + (uint64_t)WHY_TIME_MAX_S * 1000 * 1000;
    return true;
}

bool why_read(struct why_process *why, struct buf *out, uint64_t now_us)
{
    char bytes[4096];
    ssize_t n;

    while ((n = read(why->fd, bytes, sizeof(bytes))) > 0)
        if (!buf_put(out, (struct str){bytes, (size_t)n}))
            return true;
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return now_us >= why->until_us;
    return true;
}

void why_end(struct why_process *why)
{
    if (!why->pid)
        return;
    kill(why->pid, SIGKILL);
    while (waitpid(why->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(why->fd);
    *why = (struct why_process){0};
}
