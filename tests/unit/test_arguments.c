/* The words of the command line: what others see of them, and what a program
 * that starts itself again gets. It does so with this program: see main. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/io.h"
#include "cli/arguments.h"

enum { WORDS_MAX = 16 };

/* Words of a process, of a text in which '|' is between them. */
struct process {
    char *argv[WORDS_MAX + 1];
    int argc;
    char text[400];
};

static void split(struct process *process, const char *words)
{
    char *rest = process->text;

    snprintf(process->text, sizeof(process->text), "%s", words);
    for (process->argc = 0; rest; process->argc++)
        process->argv[process->argc] = strsep(&rest, "|");
    process->argv[process->argc] = NULL;
}

static void join(char *const *words, char out[400])
{
    out[0] = '\0';
    for (; *words; words++)
        snprintf(out + strlen(out), 400 - strlen(out), "%s%s",
                 out[0] ? "|" : "", *words);
}

static void others_see_no_secret(void **state)
{
    static const struct {
        const char *words, *shown;
    } rows[] = {
        {"crawler|http://a.test/|dir|1", "crawler|http://a.test/|dir|1"},
        {"crawler|--user|bob:pw|x", "crawler|--user|******|x"},
        {"crawler|--user=bob:pw|x", "crawler|--user=******|x"},
        {"crawler|-H|X-Key: pw|x", "crawler|-H|*********|x"},
        {"crawler|-HX-Key: pw|x", "crawler|-H*********|x"},
        {"crawler|-qvH|X-Key: pw|x", "crawler|-qvH|*********|x"},
        {"crawler|--header=X-Key: pw", "crawler|--header=*********"},
        {"crawler|http://me:pw@a.test/|d", "crawler|http://*****@a.test/|d"},
        {"crawler|http://token@a.test/|d", "crawler|http://*****@a.test/|d"},
        {"crawler|http://me:p@w@a.test/", "crawler|http://******@a.test/"},
        {"crawler|--proxy|http://me:pw@a.test:1",
         "crawler|--proxy|http://*****@a.test:1"},
        {"crawler|--proxy=http://me:pw@a.test:1",
         "crawler|--proxy=http://*****@a.test:1"},
        {"crawler|--proxy|me:pw@a.test:1", "crawler|--proxy|*****@a.test:1"},
        {"crawler|--internal|https://me:pw@a.test/",
         "crawler|--internal|https://*****@a.test/"},
        {"crawler|--sitemap=http://me:pw@a.test/map",
         "crawler|--sitemap=http://*****@a.test/map"},
        {"crawler|--fleet|postgres://me:pw@a.test/db",
         "crawler|--fleet|postgres://*****@a.test/db"},
        {"crawler|status|postgres://me:pw@a.test/db",
         "crawler|status|postgres://*****@a.test/db"},
        {"crawler|--|--user|http://me:pw@a.test/",
         "crawler|--|--user|http://*****@a.test/"},
        {"crawler|--user", "crawler|--user"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct process process;
        struct arguments arguments;
        char text[400];

        split(&process, rows[i].words);
        arguments_take(&arguments, process.argc, process.argv);
        join(process.argv, text);
        assert_string_equal(text, rows[i].shown);
        join(arguments.words, text);
        assert_string_equal(text, rows[i].words);
        assert_int_equal(arguments.count, process.argc);
        arguments_release(&arguments);
    }
}

/* What the program that is started again prints: its words, and what others see
 * of them. */
static int print_words(int argc, char *argv[])
{
    struct arguments arguments;
    char text[400];

    arguments_take(&arguments, argc, argv);
    join(arguments.words, text);
    puts(text);
    join(argv, text);
    puts(text);
    arguments_release(&arguments);
    return 0;
}

static void start_again(const char *words, int changed, size_t at,
                        const char *now, struct buf *out)
{
    int pipe_fd[2], status;

    assert_int_equal(pipe(pipe_fd), 0);
    pid_t child = fork();
    if (!child) {
        struct process process;
        struct arguments arguments;

        dup2(pipe_fd[1], STDOUT_FILENO);
        close(pipe_fd[0]);
        split(&process, words);
        arguments_take(&arguments, process.argc, process.argv);
        arguments_start_again(
            &arguments, now ? str_of(arguments.words[changed] + at) : STR(""),
            now ? str_of(now) : STR(""));
        _exit(9);
    }
    close(pipe_fd[1]);
    assert_true(io_read_all(pipe_fd[0], out));
    close(pipe_fd[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_program_that_starts_again_has_its_words(void **state)
{
    static const struct {
        const char *words;
        int changed;
        size_t at;
        const char *now, *printed;
    } rows[] = {
        {"crawler|a||b", 0, 0, NULL, "crawler|a||b\ncrawler|a||b\n"},
        {"crawler|--user|me:pw|x", 0, 0, NULL,
         "crawler|--user|me:pw|x\ncrawler|--user|*****|x\n"},
        /* It was typed. */
        {"crawler|--user|me|x", 2, 0, "me:typed",
         "crawler|--user|me:typed|x\ncrawler|--user|**|x\n"},
        {"crawler|--user=me|x", 1, 7, "me:typed",
         "crawler|--user=me:typed|x\ncrawler|--user=**|x\n"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf out;

        buf_init(&out, 4096);
        start_again(rows[i].words, rows[i].changed, rows[i].at, rows[i].now,
                    &out);
        assert_string_equal(buf_cstr(&out), rows[i].printed);
        buf_release(&out);
    }
}

/* Somebody sets the variable, with a file of his own or none. */
static void only_what_was_handed_over_is_taken(void **state)
{
    static const char *const values[] = {"",   "0", "1",          "99999",
                                         "-1", "x", "99999999999"};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        struct process process;
        struct arguments arguments;
        char text[400];

        setenv("CRAWLER_ARGUMENTS_FD", values[i], 1);
        split(&process, "crawler|a");
        arguments_take(&arguments, process.argc, process.argv);
        join(arguments.words, text);
        assert_string_equal(text, "crawler|a");
        arguments_release(&arguments);
    }
    unsetenv("CRAWLER_ARGUMENTS_FD");
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(others_see_no_secret),
        cmocka_unit_test(a_program_that_starts_again_has_its_words),
        cmocka_unit_test(only_what_was_handed_over_is_taken),
    };

    if (getenv("CRAWLER_ARGUMENTS_FD"))
        return print_words(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
