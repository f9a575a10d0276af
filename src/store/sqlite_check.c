#include <endian.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/sqlite.h"

/* --- the journal -------------------------------------------------------- */

/* SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html#walformat):
 * a head, then frames of a page each. SQLite takes them up to the first that
 * does not fit its checksum, as after a power cut, and says nothing of those
 * behind it. A frame that ends a commit there means that commits are lost. */

enum { HEAD_LEN = 32, FRAME_HEAD_LEN = 24, PAGE_MAX = 65536 };

struct wal {
    int fd;
    uint32_t page_size;
    uint32_t salt[2], sum[2];
    bool big_endian; /* words of the checksum */
    uint8_t *frame;
};

static uint32_t word(const uint8_t *at, bool big_endian)
{
    uint32_t word;

    memcpy(&word, at, sizeof(word));
    return big_endian ? be32toh(word) : le32toh(word);
}

static void add_to_sum(struct wal *wal, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i + 8 <= len; i += 8) {
        wal->sum[0] += word(bytes + i, wal->big_endian) + wal->sum[1];
        wal->sum[1] += word(bytes + i + 4, wal->big_endian) + wal->sum[0];
    }
}

static bool has_sum(const struct wal *wal, const uint8_t *at)
{
    return word(at, true) == wal->sum[0] && word(at + 4, true) == wal->sum[1];
}

static bool read_head(struct wal *wal)
{
    uint8_t head[HEAD_LEN];

    if (pread(wal->fd, head, HEAD_LEN, 0) != HEAD_LEN)
        return false;
    uint32_t magic = word(head, true);
    wal->big_endian = magic & 1;
    wal->page_size = word(head + 8, true);
    for (size_t i = 0; i < 2; i++)
        wal->salt[i] = word(head + 16 + 4 * i, true);
    add_to_sum(wal, head, 24);
    return (magic & ~1u) == 0x377f0682 && wal->page_size >= 512 &&
           wal->page_size <= PAGE_MAX && has_sum(wal, head + 24);
}

static bool read_frame(struct wal *wal, uint64_t index)
{
    size_t len = FRAME_HEAD_LEN + wal->page_size;

    return pread(wal->fd, wal->frame, len,
                 (off_t)(HEAD_LEN + index * (uint64_t)len)) == (ssize_t)len;
}

/* Is the frame of this log, not of one that the file held before? */
static bool is_of_this_log(const struct wal *wal)
{
    return word(wal->frame + 8, true) == wal->salt[0] &&
           word(wal->frame + 12, true) == wal->salt[1];
}

static bool ends_a_commit(const struct wal *wal)
{
    return is_of_this_log(wal) && word(wal->frame + 4, true);
}

static bool fits(struct wal *wal)
{
    if (!is_of_this_log(wal))
        return false;
    add_to_sum(wal, wal->frame, 8);
    add_to_sum(wal, wal->frame + FRAME_HEAD_LEN, wal->page_size);
    return has_sum(wal, wal->frame + 16);
}

static bool frames_are_whole(struct wal *wal)
{
    uint64_t at = 0;

    if (!read_head(wal))
        return false;
    wal->frame = mem_new(FRAME_HEAD_LEN + (size_t)wal->page_size);
    while (read_frame(wal, at) && fits(wal))
        at++;
    bool whole = true;
    for (; whole && read_frame(wal, at); at++)
        whole = !ends_a_commit(wal);
    free(wal->frame);
    return whole;
}

static bool is_whole(const char *path)
{
    struct wal wal = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)};
    struct stat st;

    if (wal.fd < 0)
        return true;
    bool whole =
        fstat(wal.fd, &st) || st.st_size <= HEAD_LEN || frames_are_whole(&wal);
    close(wal.fd);
    return whole;
}

static bool check_journal(const struct sqlite_store *store,
                          struct store_error *error)
{
    const char *path = sqlite3_db_filename(store->db, "main");
    char name[4200];

    snprintf(name, sizeof(name), "%s-wal", path ? path : "");
    return is_whole(name) ||
           store_fail(error, STORE_DAMAGED,
                      "the journal of the state is damaged: commits are lost");
}

/* --- the file ----------------------------------------------------------- */

/* The first line that says something, of a report such as
 * "*** in database main ***\nPage 5: ...". */
static struct str first_finding(struct str report)
{
    struct str_pair lines = str_cut(report, '\n');

    while (lines.tail.len && str_starts(lines.head, STR("***")))
        lines = str_cut(lines.tail, '\n');
    return lines.head;
}

static bool check_file(struct sqlite_store *store, struct store_error *error)
{
    sqlite3_stmt *stmt =
        sqlite_prepare(store, error, "PRAGMA integrity_check(1)");
    bool good = stmt && sqlite_step(store, stmt, error);
    struct str finding = str_of(error->text);

    if (good) {
        finding = first_finding(sqlite_text(stmt, 0));
        good = str_eq(finding, STR("ok"));
        error->status = STORE_DAMAGED;
    }
    if (!good && error->status == STORE_DAMAGED) {
        char text[sizeof(error->text)];
        snprintf(text, sizeof(text), "%.*s", (int)finding.len, finding.ptr);
        store_fail(error, STORE_DAMAGED, "the state is damaged: %s", text);
    }
    sqlite3_finalize(stmt);
    return good;
}

/* --- all of it ---------------------------------------------------------- */

/* Report damage. False only if the check itself failed. */
static bool report(bool good, const struct store_error *error,
                   void (*found)(void *user, const char *text), void *user)
{
    if (good || error->status != STORE_DAMAGED)
        return good;
    found(user, error->text);
    return true;
}

bool sqlite_check(struct store *base,
                  void (*found)(void *user, const char *text), void *user,
                  struct store_error *error)
{
    struct sqlite_store *store = sqlite_of(base);
    struct seal seal[ROW_KINDS];
    bool good = report(check_journal(store, error), error, found, user) &&
                report(check_file(store, error), error, found, user);

    if (!good || store->version < SQLITE_SEALED_SINCE)
        return good;
    sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL);
    good = report(sqlite_check_views(store, error), error, found, user) &&
           report(sqlite_check_settings(store, error), error, found, user) &&
           report(sqlite_read_seals(store, seal, error), error, found, user);
    for (enum row_kind kind = 0; kind < ROW_KINDS && good; kind++)
        good =
            kind == ROW_setting ||
            report(sqlite_check_kind(store, kind, error), error, found, user);
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
    return good;
}
