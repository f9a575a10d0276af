/* The archivist: where records go, what a commit, a kill and the end make of
 * the files. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "crawler/archive_copies.h"
#include "crawler/archivist.h"
#include "support/tempdir.h"

/* 2024-05-06 07:08:09 */
#define T0    1714979289000
#define NAME0 "a-20240506070809-00000.warc.gz"
#define NAME1 "a-20240506070809-00001.warc.gz"

enum { ROWS_MAX = 64 };

struct fixture {
    struct tempdir temp;
    struct archive_options options;
    struct archivist *archivist;
    struct webpage page;
    uint64_t counter;
    /* the rows, and how many of them are committed */
    struct store_archive file[ROWS_MAX];
    char name[ROWS_MAX][100];
    struct store_capture capture[ROWS_MAX];
    char digest[ROWS_MAX][DIGEST_TEXT_MAX + 1];
    size_t files, captures;
    const struct rlimit *must_fail; /* the next record cannot be written */
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    tempdir_make(&fixture->temp);
    fixture->options = (struct archive_options){
        .dir_fd = fixture->temp.fd,
        .name = "a",
        .file_max = 1 << 30,
        .style = {.digest = DIGEST_SHA1, .level = 1, .id_seed = {1, 2}},
        .info = STR("software: test\r\n"),
        .begun_ms = T0,
    };
    fixture->archivist = archivist_new(&fixture->options);
    webpage_init(&fixture->page);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    char command[100];

    archivist_free(fixture->archivist);
    webpage_release(&fixture->page);
    snprintf(command, sizeof(command), "rm -rf '%s/archive'",
             fixture->temp.path);
    assert_int_equal(system(command), 0);
    tempdir_remove(&fixture->temp);
    free(fixture);
    return 0;
}

static void note_rows(struct fixture *fixture, const struct kept_rows *rows,
                      const char *digest)
{
    if (rows->file.number) {
        struct store_archive *file = &fixture->file[fixture->files];
        *file = rows->file;
        snprintf(fixture->name[fixture->files], 100, "%.*s",
                 STR_ARGS(file->name));
        file->name = str_of(fixture->name[fixture->files++]);
    }
    struct store_capture *capture = &fixture->capture[fixture->captures];
    *capture = rows->capture;
    strcpy(fixture->digest[fixture->captures], digest);
    capture->digest = str_of(fixture->digest[fixture->captures++]);
}

/* A page of so many bytes, which depend on `byte`; in a spool if there are
 * any. */
static void keep_as(struct fixture *fixture, struct spools *spools, char byte,
                    size_t len, enum warc_cut cut)
{
    struct webpage *page = &fixture->page;
    char *body = malloc(len + 1);
    struct kept_rows rows;
    struct warc_pair pair;
    struct spool *spool = NULL;

    for (size_t i = 0; i < len; i++)
        body[i] = (char)(byte + (char)(i * i % 61));
    webpage_ask(page, STR("http://a/"), 0, false);
    page->exchange.status = 200;
    struct warc_exchange exchange = {
        .url = page->url,
        .date_ms = T0,
        .request_head = STR("GET / HTTP/1.1\r\n\r\n"),
        .response_head = STR("HTTP/1.1 200 OK\r\n\r\n"),
        .body = {body, len},
        .is_dense = spools,
        .cut = cut,
    };
    if (spools) {
        exchange.spooled = spool = spool_new(spools);
        assert_true(spool_put(spool, exchange.body));
        exchange.body = (struct str){0};
    }
    warc_pair_init(&pair);
    assert_true(warc_pair_make(&pair, &fixture->options.style, &exchange,
                               ++fixture->counter));
    spool_free(spool);
    free(body);
    page->pair = &pair;
    if (fixture->must_fail)
        assert_int_equal(setrlimit(RLIMIT_FSIZE, fixture->must_fail), 0);
    bool good = archivist_keep(fixture->archivist, page, T0, &rows);
    assert_int_equal(good, !fixture->must_fail);
    page->pair = NULL;
    if (good)
        note_rows(fixture, &rows, pair.payload_digest);
    warc_pair_release(&pair);
}

static void keep_cut(struct fixture *fixture, char byte, size_t len,
                     enum warc_cut cut)
{
    keep_as(fixture, NULL, byte, len, cut);
}

static void keep_spooled(struct fixture *fixture, struct spools *spools,
                         char byte, size_t len)
{
    keep_as(fixture, spools, byte, len, WARC_WHOLE);
}

static void keep(struct fixture *fixture, char byte, size_t len)
{
    keep_cut(fixture, byte, len, WARC_WHOLE);
}

/* Hand a batch over; commit it and all before it. */
static void commit(struct fixture *fixture)
{
    assert_true(archivist_flush(fixture->archivist));
    archivist_batch_closed(fixture->archivist);
    archivist_committed(fixture->archivist, 0);
}

/* A new archivist that has read so many rows. */
static bool resume(struct fixture *fixture, size_t files, size_t captures,
                   char problem[ARCHIVIST_PROBLEM_MAX])
{
    archivist_free(fixture->archivist);
    fixture->archivist = archivist_new(&fixture->options);
    fixture->files = files;
    fixture->captures = captures;
    for (size_t i = 0; i < files; i++)
        assert_true(archivist_add_file(fixture->archivist, &fixture->file[i]));
    for (size_t i = 0; i < captures; i++)
        assert_true(
            archivist_add_capture(fixture->archivist, &fixture->capture[i]));
    return archivist_resume(fixture->archivist, problem);
}

static void assert_files(const struct fixture *fixture, const char *expected)
{
    struct tempdir archive = fixture->temp;
    char path[100];

    snprintf(path, sizeof(path), "%s/archive", fixture->temp.path);
    if (access(path, F_OK)) {
        assert_string_equal("", expected);
        return;
    }
    snprintf(archive.path, sizeof(archive.path), "%.50s/archive",
             fixture->temp.path);
    assert_string_equal(tempdir_list(&archive), expected);
}

static uint64_t size_of(const struct fixture *fixture, const char *name)
{
    char path[200];
    struct stat st;

    snprintf(path, sizeof(path), "%s/archive/%s", fixture->temp.path, name);
    assert_int_equal(stat(path, &st), 0);
    return (uint64_t)st.st_size;
}

static uint64_t end_of(const struct store_capture *row)
{
    return row->at + row->length + row->request_length;
}

/* --- cases -------------------------------------------------------------- */

static void records_stand_side_by_side(void **state)
{
    struct fixture *fixture = *state;

    assert_files(fixture, ""); /* nothing is made before there is something */
    keep(fixture, 'a', 2000);
    keep(fixture, 'b', 2000);
    keep(fixture, 'a', 2000);
    keep(fixture, 'a', 1000); /* too short to be referred to */
    keep(fixture, 'a', 1000);
    assert_int_equal(fixture->files, 1);
    assert_int_equal(fixture->capture[0].at, fixture->file[0].start);
    for (size_t i = 1; i < 5; i++)
        assert_int_equal(fixture->capture[i].at,
                         end_of(&fixture->capture[i - 1]));
    static const uint8_t kinds[] = {0, 0, 1, 0, 0};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(fixture->capture[i].kind, kinds[i]);
    assert_int_equal(fixture->capture[2].refers, 1);
    assert_files(fixture, NAME0 ".open ");
    commit(fixture);
    assert_int_equal(size_of(fixture, NAME0 ".open"),
                     end_of(&fixture->capture[4]));
    archivist_end(fixture->archivist, true);
    assert_files(fixture, NAME0 " ");
}

/* The row of a response does not say that it was cut. */
static void a_cut_response_is_no_original(void **state)
{
    struct fixture *fixture = *state;
    char problem[ARCHIVIST_PROBLEM_MAX];

    keep_cut(fixture, 'a', 2000, WARC_CUT_BY_LENGTH);
    keep(fixture, 'b', 2000);
    commit(fixture);
    assert_true(resume(fixture, 1, 2, problem));
    keep(fixture, 'a', 2000);
    assert_int_equal(fixture->capture[2].kind, CAPTURE_RESPONSE);
    keep(fixture, 'a', 2000);
    assert_int_equal(fixture->capture[3].refers, 3);
    keep(fixture, 'b', 2000);
    assert_int_equal(fixture->capture[4].refers, 2);
}

/* --- large records -------------------------------------------------------- */

enum { LARGE = 1 << 20 };

static struct spools spools_of(const struct fixture *fixture)
{
    return (struct spools){.dir_fd = fixture->temp.fd, .max = 10};
}

static void do_nothing(void *user)
{
    (void)user;
}

/* The records of the last file, unpacked: gzip must find each whole. */
static bool is_whole(const struct fixture *fixture, const char *name)
{
    char command[300];

    snprintf(command, sizeof(command), "gzip -t <'%s/archive/%s' 2>'%s/said'",
             fixture->temp.path, name, fixture->temp.path);
    return system(command) == 0;
}

static void a_large_record_gets_its_place_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct spools spools = spools_of(fixture);
    struct archive_copies *copies = archivist_leave_copies(fixture->archivist);

    keep(fixture, 'a', 2000);
    keep_spooled(fixture, &spools, 'b', LARGE);
    keep(fixture, 'c', 2000);
    for (size_t i = 1; i < 3; i++)
        assert_int_equal(fixture->capture[i].at,
                         end_of(&fixture->capture[i - 1]));
    assert_true(fixture->capture[1].length > LARGE);
    assert_true(archivist_flush(fixture->archivist));
    assert_int_equal(size_of(fixture, NAME0 ".open"),
                     end_of(&fixture->capture[2]));
    assert_false(is_whole(fixture, NAME0 ".open"));
    assert_true(archive_copies_wait(copies));
    assert_int_equal(spools.count, 1);
    assert_true(archive_copies_write(copies, do_nothing, NULL));
    assert_int_equal(spools.count, 0);
    commit(fixture);
    archivist_end(fixture->archivist, true);
    assert_true(is_whole(fixture, NAME0));
    assert_int_equal(size_of(fixture, NAME0), end_of(&fixture->capture[2]));
}

/* Also before its bytes are there. */
static void a_large_record_is_an_original(void **state)
{
    struct fixture *fixture = *state;
    struct spools spools = spools_of(fixture);
    struct archive_copies *copies = archivist_leave_copies(fixture->archivist);

    keep_spooled(fixture, &spools, 'b', LARGE);
    keep_spooled(fixture, &spools, 'b', LARGE);
    assert_int_equal(fixture->capture[1].kind, CAPTURE_REVISIT);
    assert_int_equal(fixture->capture[1].refers, 1);
    assert_int_equal(spools.count, 1);
    assert_true(archive_copies_write(copies, do_nothing, NULL));
    commit(fixture);
    archivist_end(fixture->archivist, true);
    assert_true(is_whole(fixture, NAME0));
}

/* The next file begins before the bytes are there. */
static void a_large_record_is_the_last_of_its_file(void **state)
{
    struct fixture *fixture = *state;
    struct spools spools = spools_of(fixture);
    struct archive_copies *copies = archivist_leave_copies(fixture->archivist);

    fixture->options.file_max = 5000;
    keep_spooled(fixture, &spools, 'b', LARGE);
    keep(fixture, 'c', 2000);
    assert_int_equal(fixture->files, 2);
    assert_true(archivist_flush(fixture->archivist));
    assert_true(archive_copies_write(copies, do_nothing, NULL));
    archivist_batch_closed(fixture->archivist);
    archivist_committed(fixture->archivist, 0);
    archivist_end(fixture->archivist, true);
    assert_true(is_whole(fixture, NAME0));
    assert_true(is_whole(fixture, NAME1));
}

/* A kill before the bytes are there: the row was not committed. */
static void a_large_record_without_its_bytes_is_cut_off(void **state)
{
    struct fixture *fixture = *state;
    struct spools spools = spools_of(fixture);
    char problem[ARCHIVIST_PROBLEM_MAX];

    archivist_leave_copies(fixture->archivist);
    keep(fixture, 'a', 2000);
    commit(fixture);
    keep_spooled(fixture, &spools, 'b', LARGE);
    keep(fixture, 'c', 2000);
    assert_true(archivist_flush(fixture->archivist));
    assert_true(resume(fixture, 1, 1, problem));
    assert_int_equal(spools.count, 0);
    assert_int_equal(size_of(fixture, NAME0 ".open"),
                     end_of(&fixture->capture[0]));
    assert_true(is_whole(fixture, NAME0 ".open"));
}

/* Without a record there is nobody to whom the bytes could be left. */
static void without_a_record_it_is_written_at_once(void **state)
{
    struct fixture *fixture = *state;
    struct spools spools = spools_of(fixture);
    const struct rlimit small = {LARGE / 2, RLIM_INFINITY};
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};

    keep(fixture, 'a', 2000);
    keep_spooled(fixture, &spools, 'b', LARGE / 3);
    assert_int_equal(spools.count, 0);
    assert_true(archivist_flush(fixture->archivist));
    assert_true(is_whole(fixture, NAME0 ".open"));
    uint64_t end = size_of(fixture, NAME0 ".open");
    /* One that does not fit leaves the file as it was. */
    signal(SIGXFSZ, SIG_IGN);
    fixture->must_fail = &small;
    keep_spooled(fixture, &spools, 'c', LARGE);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    assert_int_equal(archivist_error(fixture->archivist), EFBIG);
    assert_false(archivist_flush(fixture->archivist));
    archivist_end(fixture->archivist, false);
    assert_int_equal(size_of(fixture, NAME0), end);
    assert_true(is_whole(fixture, NAME0));
    assert_int_equal(spools.count, 0);
}

/* The error of who commits is the archive's. */
static void a_copy_that_fails_is_told(void **state)
{
    struct fixture *fixture = *state;
    struct spools spools = spools_of(fixture);
    struct archive_copies *copies = archivist_leave_copies(fixture->archivist);
    const struct rlimit small = {LARGE / 2, RLIM_INFINITY};
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};

    keep_spooled(fixture, &spools, 'b', LARGE);
    assert_int_equal(archivist_error(fixture->archivist), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    assert_false(archive_copies_write(copies, do_nothing, NULL));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    assert_int_equal(archivist_error(fixture->archivist), EFBIG);
    archivist_end(fixture->archivist, true);
    assert_files(fixture, NAME0 ".open ");
}

static void a_file_is_complete_when_its_last_record_is_committed(void **state)
{
    struct fixture *fixture = *state;

    fixture->options.file_max = 5000;
    fixture->options.style.level = 0;
    keep(fixture, 'a', 4000);
    keep(fixture, 'b', 4000);
    keep(fixture, 'c', 9000); /* larger than a file may be */
    assert_true(fixture->files >= 2);
    assert_files(fixture, fixture->files == 2 ? NAME0 ".open " NAME1 ".open "
                                              : NAME0
                              ".open " NAME1 ".open "
                              "a-20240506070809-00002.warc.gz.open ");
    assert_true(archivist_flush(fixture->archivist));
    archivist_batch_closed(fixture->archivist);
    archivist_committed(fixture->archivist, 1); /* it waits for the disk */
    struct stat st;
    char path[200];
    snprintf(path, sizeof(path), "%s/archive/" NAME0, fixture->temp.path);
    assert_int_not_equal(stat(path, &st), 0);
    archivist_committed(fixture->archivist, 0);
    assert_int_equal(stat(path, &st), 0);
    archivist_end(fixture->archivist, true);
    for (size_t i = 0; i < fixture->files; i++)
        assert_true(size_of(fixture, fixture->name[i]) > 0);
}

static void what_was_not_committed_is_cut_off(void **state)
{
    struct fixture *fixture = *state;
    char problem[ARCHIVIST_PROBLEM_MAX];

    keep(fixture, 'a', 2000);
    commit(fixture);
    keep(fixture, 'b', 2000);
    assert_true(archivist_flush(fixture->archivist));
    assert_int_equal(size_of(fixture, NAME0 ".open"),
                     end_of(&fixture->capture[1]));
    /* A kill: the second row is lost. */
    assert_true(resume(fixture, 1, 1, problem));
    assert_int_equal(size_of(fixture, NAME0 ".open"),
                     end_of(&fixture->capture[0]));
    keep(fixture, 'c', 2000);
    keep(fixture, 'a', 2000);
    assert_int_equal(fixture->capture[1].at, end_of(&fixture->capture[0]));
    assert_int_equal(fixture->capture[2].refers, 1);
}

/* A batch was handed over, and nobody knows whether it is committed. */
static void the_end_keeps_what_may_be_committed(void **state)
{
    struct fixture *fixture = *state;
    char problem[ARCHIVIST_PROBLEM_MAX];

    fixture->options.file_max = 4500;
    fixture->options.style.level = 0;
    keep(fixture, 'a', 2000);
    commit(fixture);
    keep(fixture, 'b', 2000); /* in a second file */
    keep(fixture, 'b', 2000); /* a revisit */
    assert_int_equal(fixture->files, 2);
    assert_true(archivist_flush(fixture->archivist));
    archivist_batch_closed(fixture->archivist);
    uint64_t whole = end_of(&fixture->capture[2]);
    archivist_end(fixture->archivist, true);
    assert_files(fixture, NAME0 ".open " NAME1 ".open ");
    assert_int_equal(size_of(fixture, NAME1 ".open"), whole);
    assert_false(archivist_flush(fixture->archivist));
    /* It is committed. */
    assert_true(resume(fixture, 2, 3, problem));
    assert_files(fixture, NAME0 " " NAME1 ".open ");
    assert_int_equal(size_of(fixture, NAME1 ".open"), whole);
    /* It is not. */
    assert_true(resume(fixture, 1, 1, problem));
    assert_files(fixture, NAME0 " ");
    assert_int_equal(size_of(fixture, NAME0), end_of(&fixture->capture[0]));
}

static void a_cut_counts_only_if_it_could_be_made(void **state)
{
    struct fixture *fixture = *state;
    const struct rlimit small = {4000, RLIM_INFINITY};
    const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
    char path[200];

    fixture->options.style.level = 0;
    keep(fixture, 'a', 2000);
    assert_true(archivist_flush(fixture->archivist));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    keep(fixture, 'b', 4000);
    assert_false(archivist_flush(fixture->archivist));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
    snprintf(path, sizeof(path), "%s/archive/" NAME0 ".open",
             fixture->temp.path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/null", path), 0);
    archivist_end(fixture->archivist, false);
    assert_files(fixture, NAME0 ".open ");
}

static void a_file_that_is_too_short_is_refused(void **state)
{
    struct fixture *fixture = *state;
    char problem[ARCHIVIST_PROBLEM_MAX], path[200];

    keep(fixture, 'a', 2000);
    commit(fixture);
    snprintf(path, sizeof(path), "%s/archive/" NAME0 ".open",
             fixture->temp.path);
    assert_int_equal(truncate(path, 100), 0);
    assert_false(resume(fixture, 1, 1, problem));
    assert_non_null(strstr(problem, "has 100 bytes"));
    archivist_end(fixture->archivist, true); /* changes nothing */
    assert_int_equal(size_of(fixture, NAME0 ".open"), 100);
}

static void set_file(const struct fixture *fixture, struct str bytes)
{
    char path[200];

    snprintf(path, sizeof(path), "%s/archive/" NAME0 ".open",
             fixture->temp.path);
    int fd = open(path, O_WRONLY | O_TRUNC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
    close(fd);
}

/* The file of a killed crawl ends at any byte of its last two records, or has
 * any number of bytes behind what is committed: a resume leaves exactly what is
 * committed, or refuses and changes nothing. */
static void a_file_may_end_at_every_byte(void **state)
{
    enum { RUBBISH_MAX = 4096 };
    struct fixture *fixture = *state;
    char problem[ARCHIVIST_PROBLEM_MAX], path[200];
    struct buf file;

    keep(fixture, 'a', 300);
    keep(fixture, 'b', 300);
    keep(fixture, 'c', 300);
    commit(fixture);
    uint64_t last = fixture->capture[1].at;
    uint64_t committed = end_of(&fixture->capture[2]);
    uint64_t earlier = end_of(&fixture->capture[0]);

    buf_init(&file, 1 << 20);
    snprintf(path, sizeof(path), "%s/archive/" NAME0 ".open",
             fixture->temp.path);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && buf_reserve(&file, committed + RUBBISH_MAX));
    assert_int_equal(read(fd, file.ptr, committed), committed);
    close(fd);
    for (size_t i = committed; i < committed + RUBBISH_MAX; i++)
        file.ptr[i] = (char)(i * i % 251);
    for (uint64_t len = last; len <= committed + RUBBISH_MAX;
         len += len < committed + 32 ? 1 : 61) {
        /* All three are committed, or only the first: every time the disk is
         * synced. */
        set_file(fixture, (struct str){file.ptr, len});
        assert_int_equal(resume(fixture, 1, 3, problem), len >= committed);
        assert_int_equal(size_of(fixture, NAME0 ".open"),
                         len < committed ? len : committed);
        if (len % 16)
            continue;
        assert_true(resume(fixture, 1, 1, problem));
        assert_int_equal(size_of(fixture, NAME0 ".open"), earlier);
    }
    buf_release(&file);
}

static void files_without_a_row_are_removed_if_they_are_ours(void **state)
{
    static const char *const names[] = {
        "b-20240506070809-00007.warc.gz.open", /* another name */
        "a-20240506070808-00007.warc.gz.open", /* older than the crawl */
        "a-20240506070809-00007.warc.gz",      /* complete */
        "a-20240506070809-0000x.warc.gz.open", /* not our form */
        "a-b-20240506070809-00007.warc.gz.open",
    };
    struct fixture *fixture = *state;
    char problem[ARCHIVIST_PROBLEM_MAX], name[200];

    keep(fixture, 'a', 2000);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        snprintf(name, sizeof(name), "archive/%s", names[i]);
        tempdir_write(&fixture->temp, name, STR("mine"));
    }
    assert_true(resume(fixture, 0, 0, problem));
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        assert_int_equal(size_of(fixture, names[i]), 4);
    snprintf(name, sizeof(name), "%s/archive/" NAME0 ".open",
             fixture->temp.path);
    assert_int_not_equal(access(name, F_OK), 0);
}

/* The engine of a fleet may come back with an older record. */
static void a_record_that_was_set_back_cuts_complete_files_too(void **state)
{
    struct fixture *fixture = *state;
    char problem[ARCHIVIST_PROBLEM_MAX];

    keep(fixture, 'a', 2000);
    commit(fixture);
    uint64_t first = end_of(&fixture->capture[0]);
    keep(fixture, 'b', 2000);
    fixture->options.file_max = 1;
    keep(fixture, 'c', 4000);
    commit(fixture);
    archivist_end(fixture->archivist, true);
    assert_files(fixture, NAME0 " " NAME1 " ");
    /* The record of a single machine cannot be older: nothing is touched. */
    assert_true(resume(fixture, 1, 1, problem));
    assert_files(fixture, NAME0 " " NAME1 " ");
    assert_true(size_of(fixture, NAME0) > first);
    fixture->options.may_be_set_back = true;
    assert_true(resume(fixture, 1, 1, problem));
    assert_files(fixture, NAME0 " ");
    assert_int_equal(size_of(fixture, NAME0), first);
    /* It goes on behind it, and a revisit refers to what was left. */
    keep(fixture, 'a', 2000);
    commit(fixture);
    assert_int_equal(fixture->capture[1].kind, CAPTURE_REVISIT);
    assert_int_equal(fixture->capture[1].refers, 1);
    archivist_end(fixture->archivist, true);
    assert_files(fixture, NAME0 " " NAME1 " ");
    /* A file of another name, or from before, stays. */
    fixture->options.name = "b";
    assert_true(resume(fixture, 0, 0, problem));
    fixture->options.name = "a";
    fixture->options.begun_ms = T0 + 1000;
    assert_true(resume(fixture, 0, 0, problem));
    assert_files(fixture, NAME0 " " NAME1 " ");
}

static void rows_that_cannot_be_are_refused(void **state)
{
    struct fixture *fixture = *state;
    struct archivist *archivist = fixture->archivist;

    assert_false(
        archivist_add_file(archivist, &(struct store_archive){2, STR("x"), 1}));
    assert_false(archivist_add_file(
        archivist, &(struct store_archive){1, STR("../x"), 1}));
    assert_false(
        archivist_add_file(archivist, &(struct store_archive){1, STR(""), 1}));
    assert_true(
        archivist_add_file(archivist, &(struct store_archive){1, STR("x"), 9}));
    const struct store_capture good = {
        .number = 1, .archive = 1, .at = 9, .length = 1, .url = STR("u")};
    struct store_capture bad = good;
    bad.archive = 2;
    assert_false(archivist_add_capture(archivist, &bad));
    bad = good;
    bad.at = 8;
    assert_false(archivist_add_capture(archivist, &bad));
    bad = good;
    bad.kind = 2;
    assert_false(archivist_add_capture(archivist, &bad));
    assert_true(archivist_add_capture(archivist, &good));
    assert_false(archivist_add_capture(archivist, &good)); /* twice */
}

static void a_crawl_that_replaced_nothing_leaves_nothing(void **state)
{
    struct fixture *fixture = *state;

    fixture->options.file_max = 3000;
    keep(fixture, 'a', 4000);
    keep(fixture, 'b', 4000);
    commit(fixture);
    archivist_discard(fixture->archivist);
    assert_files(fixture, "");
    assert_true(archivist_flush(fixture->archivist));
}

static void no_archive_is_no_trouble(void **state)
{
    char problem[ARCHIVIST_PROBLEM_MAX];

    (void)state;
    assert_null(archivist_new(NULL));
    assert_true(archivist_flush(NULL));
    assert_true(archivist_resume(NULL, problem));
    archivist_batch_closed(NULL);
    archivist_committed(NULL, 0);
    archivist_end(NULL, true);
    archivist_discard(NULL);
    archivist_free(NULL);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(records_stand_side_by_side),
        CASE(a_cut_response_is_no_original),
        CASE(a_large_record_gets_its_place_at_once),
        CASE(a_large_record_is_an_original),
        CASE(a_large_record_is_the_last_of_its_file),
        CASE(a_large_record_without_its_bytes_is_cut_off),
        CASE(without_a_record_it_is_written_at_once),
        CASE(a_copy_that_fails_is_told),
        CASE(a_file_is_complete_when_its_last_record_is_committed),
        CASE(what_was_not_committed_is_cut_off),
        CASE(the_end_keeps_what_may_be_committed),
        CASE(a_cut_counts_only_if_it_could_be_made),
        CASE(a_file_that_is_too_short_is_refused),
        CASE(a_file_may_end_at_every_byte),
        CASE(files_without_a_row_are_removed_if_they_are_ours),
        CASE(a_record_that_was_set_back_cuts_complete_files_too),
        CASE(rows_that_cannot_be_are_refused),
        CASE(a_crawl_that_replaced_nothing_leaves_nothing),
        cmocka_unit_test(no_archive_is_no_trouble),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
