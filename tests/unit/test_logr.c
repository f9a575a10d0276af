#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "crawler/logr.h"
#include "page/pagefiles.h"
#include "support/json.h"
#include "support/tempdir.h"

/* A log that is written to memory. */
struct memory_log {
    struct logr log;
    int fd;
    char *text;
};

static void open_log(struct memory_log *memory, enum log_kind kind,
                     bool verbose, const struct pagesaver *saver)
{
    memory->text = NULL;
    memory->fd = memfd_create("log", MFD_CLOEXEC);
    logr_init(&memory->log, memory->fd, kind, verbose, saver);
}

static void close_log(struct memory_log *memory)
{
    logr_release(&memory->log);
    close(memory->fd);
    free(memory->text);
}

static const char *read_log(struct memory_log *memory)
{
    assert_true(logr_flush(&memory->log));
    size_t len = (size_t)lseek(memory->fd, 0, SEEK_CUR);
    free(memory->text);
    memory->text = calloc(1, len + 1);
    assert_int_equal(pread(memory->fd, memory->text, len, 0), len);
    return memory->text;
}

static struct webpage page_of(const char *url, uint32_t depth, bool want_links)
{
    return (struct webpage){
        .url = str_of(url),
        .depth = depth,
        .want_links = want_links,
        .outcome = FETCHED,
        .exchange = {.status = 200, .mime = "text/html"},
    };
}

/* The sample in the course's own form. */
static void course_lines(void **state)
{
    struct memory_log memory;
    struct webpage index = page_of("U/index.html", 0, true);
    struct webpage a = page_of("U/A.html", 1, true);
    struct webpage last = page_of("U/B.html", 10, false);

    (void)state;
    open_log(&memory, LOG_TSE, false, NULL);
    logr_page(&memory.log, &index, 1);
    logr_link(&memory.log, &index, STR("U/A.html"), ACCEPT);
    logr_page_end(&memory.log, &index, &(struct target){.referrer_id = 0}, 1,
                  &(struct tally){{0}}, 0);
    logr_page(&memory.log, &a, 2);
    logr_link(&memory.log, &a, STR("U/index.html"), DUPLICATE);
    logr_link(&memory.log, &a, STR("http://x.example/"), EXTERNAL);
    logr_page(&memory.log, &last, 3);
    assert_string_equal(read_log(&memory),
                        " 0   Fetched: U/index.html\n"
                        " 0  Scanning: U/index.html\n"
                        " 0     Found: U/A.html\n"
                        " 0     Added: U/A.html\n"
                        " 1    Fetched: U/A.html\n"
                        " 1   Scanning: U/A.html\n"
                        " 1      Found: U/index.html\n"
                        " 1    IgnDupl: U/index.html\n"
                        " 1      Found: http://x.example/\n"
                        " 1   IgnExtrn: http://x.example/\n"
                        "10             Fetched: U/B.html\n");
    close_log(&memory);
}

static void outcomes(void **state)
{
    (void)state;
    for (int i = 0; i < OUTCOMES; i++) {
        struct webpage page = page_of("http://a.example/", 0, true);
        struct memory_log memory;
        char expected[200];

        page.outcome = (enum outcome)i;
        open_log(&memory, LOG_TSE, false, NULL);
        logr_page(&memory.log, &page, 0);
        snprintf(expected, sizeof(expected), " 0 %9s: %s\n%s",
                 outcome_word(page.outcome), page.url.ptr,
                 i == FETCHED ? " 0  Scanning: http://a.example/\n" : "");
        assert_string_equal(read_log(&memory), expected);
        close_log(&memory);
    }
}

/* The word "Saved" is ours and comes only when asked for. */
static void verbose(void **state)
{
    struct webpage page = page_of("U", 2, true);
    struct memory_log memory;

    (void)state;
    open_log(&memory, LOG_TSE, true, NULL);
    logr_page(&memory.log, &page, 7);
    assert_string_equal(read_log(&memory), " 2     Fetched: U\n"
                                           " 2       Saved: U\n"
                                           " 2    Scanning: U\n");
    close_log(&memory);
}

/* Indentation ends somewhere; the depth in front does not. */
static void very_deep(void **state)
{
    struct webpage page = page_of("U", UINT32_MAX, false);
    struct memory_log memory;

    (void)state;
    open_log(&memory, LOG_TSE, false, NULL);
    logr_page(&memory.log, &page, 0);
    const char *line = read_log(&memory);
    assert_memory_equal(line, "4294967295 ", 11);
    assert_in_range(strlen(line), 20, 200);
    close_log(&memory);
}

static void no_log(void **state)
{
    struct webpage page = page_of("U", 0, true);
    struct memory_log memory;

    (void)state;
    open_log(&memory, LOG_NONE, false, NULL);
    logr_page(&memory.log, &page, 1);
    logr_link(&memory.log, &page, STR("V"), ACCEPT);
    logr_retry(&memory.log, &page, 1000);
    logr_page_end(&memory.log, &page, &(struct target){.referrer_id = 0}, 1,
                  &(struct tally){{0}}, 0);
    assert_string_equal(read_log(&memory), "");
    close_log(&memory);
}

static void json_objects(void **state)
{
    struct tally tally = {{[ACCEPT] = 2, [DUPLICATE] = UINT64_MAX}};
    struct webpage page = page_of("http://a.example/\"\\", 3, true);
    struct memory_log memory;
    struct tempdir temp;
    struct pagedir dir;
    struct pagesaver files;

    (void)state;
    tempdir_make(&temp);
    tempdir_write(&temp, "7", STR("http://a.example/from\n0\n"));
    assert_true(pagedir_open(&dir, temp.path));
    pagefiles_init(&files, &dir);
    page.exchange.body_len = 1234;
    page.exchange.start_ms = 1000;
    page.exchange.end_ms = 1042;
    open_log(&memory, LOG_JSON, false, &files);
    logr_page(&memory.log, &page, 9);
    logr_link(&memory.log, &page, STR("V"), ACCEPT);
    logr_page_end(&memory.log, &page, &(struct target){.referrer_id = 7}, 9,
                  &tally, 1714979289123);
    assert_string_equal(
        read_log(&memory),
        "{\"time\":\"2024-05-06T07:08:09.123Z\","
        "\"url\":\"http://a.example/\\\"\\\\\",\"depth\":3,"
        "\"outcome\":\"fetched\",\"id\":9,\"status\":200,"
        "\"mime\":\"text/html\",\"bytes\":1234,\"ms\":42,"
        "\"referrer\":\"http://a.example/from\","
        "\"links\":{\"accept\":2,\"duplicate\":18446744073709551615}}\n");
    close_log(&memory);

    page = page_of("http://a.example/", 0, true);
    page.outcome = NO_DNS;
    page.exchange.status = 0;
    page.exchange.mime[0] = '\0';
    open_log(&memory, LOG_JSON, false, &files);
    /* Page 7 of machine 2 is not our page 7. */
    logr_page_end(&memory.log, &page,
                  &(struct target){.referrer_id = 7, .referrer_machine = 2}, 0,
                  &(struct tally){{0}}, 0);
    assert_string_equal(read_log(&memory),
                        "{\"time\":\"1970-01-01T00:00:00.000Z\","
                        "\"url\":\"http://a.example/\",\"depth\":0,"
                        "\"outcome\":\"no-dns\",\"id\":null,\"status\":0,"
                        "\"mime\":\"\",\"bytes\":0,\"ms\":0,"
                        "\"referrer\":null,\"links\":{}}\n");
    close_log(&memory);
    pagedir_close(&dir);
    tempdir_remove(&temp);
}

/* The worst that a server and a file can put into a line: it is still one
 * line and one object. */
static void json_at_its_largest(void **state)
{
    static char url[8193];
    struct webpage page = page_of("x", UINT32_MAX, true);
    struct tally tally;
    struct memory_log memory;
    struct tempdir temp;
    struct pagedir dir;
    struct pagesaver files;
    struct arena arena;

    (void)state;
    memset(&tally, 0xff, sizeof(tally));
    memset(url, '"', 8192);
    page.url = str_of(url);
    memset(page.exchange.mime, '\x1f', MIME_MAX);
    tempdir_make(&temp);
    memset(url, '\x1f', 8192);
    tempdir_write(&temp, "1", (struct str){url, 8193});
    memset(url, '"', 8192);
    assert_true(pagedir_open(&dir, temp.path));
    pagefiles_init(&files, &dir);
    open_log(&memory, LOG_JSON, false, &files);
    logr_page_end(&memory.log, &page, &(struct target){.referrer_id = 1}, 1,
                  &tally, UINT64_MAX);
    arena_init(&arena);
    const struct json *json = json_parse(&arena, str_of(read_log(&memory)));
    assert_true(json_is(json, JSON_OBJECT));
    assert_true(str_eq(json_str(json_get(json, "url")), page.url));
    assert_int_equal(json_count(json_get(json, "links")), VERDICTS);
    arena_release(&arena);
    close_log(&memory);
    pagedir_close(&dir);
    tempdir_remove(&temp);
}

/* --- a reader that fails --------------------------------------------- */

static void full_disk(void **state)
{
    struct webpage page = page_of("http://a.example/", 0, true);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct logr log;

    (void)state;
    assert_true(full >= 0);
    logr_init(&log, full, LOG_TSE, false, NULL);
    logr_page(&log, &page, 1);
    assert_false(logr_flush(&log));
    assert_int_equal(errno, ENOSPC);
    logr_release(&log);
    close(full);
}

static void lines_lost_on_the_way(void **state)
{
    struct webpage page = page_of("http://a.example/", 0, true);
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct logr log;

    (void)state;
    logr_init(&log, full, LOG_TSE, false, NULL);
    for (int i = 0; i < 10000; i++)
        logr_link(&log, &page, STR("http://a.example/some/page"), ACCEPT);
    assert_int_equal(outlet_kept(&log.out), 0);
    assert_false(logr_flush(&log));
    logr_release(&log);
    close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(course_lines),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(verbose),
        cmocka_unit_test(very_deep),
        cmocka_unit_test(no_log),
        cmocka_unit_test(json_objects),
        cmocka_unit_test(json_at_its_largest),
        cmocka_unit_test(full_disk),
        cmocka_unit_test(lines_lost_on_the_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
