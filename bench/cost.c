/* What a program costs:
 *
 *     bench/cost FILE COMMAND...
 *
 * runs it and writes to FILE, in one line: user and system time in
 * microseconds, peak memory in kilobytes, its exit status (128 and more: a
 * signal). A small program for itself, because the kernel counts the memory of
 * whoever starts a program as its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long micros(struct timeval time)
{
    return (long)time.tv_sec * 1000000 + (long)time.tv_usec;
}

int main(int argc, char *argv[])
{
    struct rusage use;
    int status;

    if (argc < 3) {
        fprintf(stderr, "usage: cost FILE COMMAND...\n");
        return 2;
    }
    pid_t child = fork();
    if (!child) {
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &use) < 0) {
        perror("cost");
        return 1;
    }
    int result =
        WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    FILE *file = fopen(argv[1], "w");
    if (!file) {
        perror(argv[1]);
        return 1;
    }
    fprintf(file, "%ld %ld %ld %d\n", micros(use.ru_utime),
            micros(use.ru_stime), use.ru_maxrss, result);
    return fclose(file) ? 1 : 0;
}
