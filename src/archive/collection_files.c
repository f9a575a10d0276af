#include "archive/collection_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/archive_name.h"
#include "base/mem.h"

#define NO_WARC "it is no WARC file"

void collection_files_init(struct collection_files *files)
{
    *files = (struct collection_files){0};
}

static void close_file(struct collection_open *open)
{
    if (!open->reader)
        return;
    warc_reader_free(open->reader);
    close(open->fd);
    *open = (struct collection_open){0};
}

void collection_files_release(struct collection_files *files)
{
    for (size_t i = 0; i < COLLECTION_OPEN_MAX; i++)
        close_file(&files->open[i]);
    for (size_t i = 0; i < files->count; i++)
        free(files->file[i].path);
    free(files->file);
}

struct warc_reader *collection_files_reader(struct collection_files *files,
                                            uint32_t file)
{
    struct collection_open *oldest = &files->open[0];

    if (file >= files->count) {
        errno = EINVAL;
        return NULL;
    }
    for (size_t i = 0; i < COLLECTION_OPEN_MAX; i++) {
        struct collection_open *one = &files->open[i];
        if (one->reader && one->file == file) {
            one->used = ++files->uses;
            return one->reader;
        }
        if (one->used < oldest->used)
            oldest = one;
    }
    const struct collection_file *wanted = &files->file[file];
    int fd = open(wanted->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    close_file(oldest);
    *oldest = (struct collection_open){
        .file = file,
        .fd = fd,
        .reader = warc_reader_open(fd, wanted->from, wanted->len),
        .used = ++files->uses,
    };
    return oldest->reader;
}

/* --- reading a file through --------------------------------------------- */

void collection_files_note(const struct collection_listener *listener,
                           const char *path, uint64_t at, const char *what)
{
    char text[600];

    if (!listener->note)
        return;
    snprintf(text, sizeof(text), "%s: at byte %llu: %s", path,
             (unsigned long long)at, what);
    listener->note(listener->note_user, text);
}

/* A fault before the first record is reported when a record comes. */
struct first_fault {
    const char *what; /* NULL: none, or it was reported */
    uint64_t at;
};

static void tell_first(const struct collection_listener *listener,
                       const char *path, struct first_fault *first)
{
    if (first->what)
        collection_files_note(listener, path, first->at, first->what);
    first->what = NULL;
}

bool collection_files_read(struct collection_files *files, uint32_t file,
                           const struct collection_listener *listener,
                           bool *is_warc)
{
    struct warc_reader *reader = collection_files_reader(files, file);
    const char *path = files->file[file].path;
    struct first_fault first = {0};
    struct warc_record record;
    enum warc_got got;
    bool has_record = false;

    if (!reader)
        return false;
    warc_reader_seek(reader, 0, 0);
    while ((got = warc_read(reader, &record)) == WARC_RECORD ||
           got == WARC_BROKEN) {
        if (got == WARC_RECORD) {
            has_record = true;
            tell_first(listener, path, &first);
            listener->each(listener->each_user, file, &record);
        } else if (has_record) {
            collection_files_note(listener, path, record.at,
                                  warc_reader_problem(reader));
        } else if (!first.what) {
            first.what = warc_reader_problem(reader);
            first.at = record.at;
        }
    }
    *is_warc = !first.what;
    if (got == WARC_CUT && *is_warc)
        collection_files_note(listener, path, record.at,
                              "the record is cut off");
    return got != WARC_FAILED;
}

bool collection_files_take(struct collection_files *files, uint32_t file,
                           const struct collection_listener *listener)
{
    bool is_warc;

    if (!collection_files_read(files, file, listener, &is_warc))
        return false;
    if (!is_warc)
        collection_files_note(listener, files->file[file].path, 0, NO_WARC);
    return true;
}

/* --- adding files ------------------------------------------------------- */

bool collection_files_fail(struct collection_error *error, const char *path,
                           const char *why)
{
    snprintf(error->text, sizeof(error->text), "%.480s: %.100s", path, why);
    return false;
}

uint32_t collection_files_put(struct collection_files *files, const char *path,
                              uint64_t from, uint64_t len)
{
    files->file = mem_grow(files->file, files->count, &files->room,
                           sizeof(struct collection_file));
    files->file[files->count] = (struct collection_file){
        .path = mem_checked(strdup(path)),
        .from = from,
        .len = len,
        .source = files->source,
    };
    return (uint32_t)files->count++;
}

uint32_t collection_files_elsewhere(struct collection_files *files,
                                    const char *path)
{
    for (size_t i = files->count; i-- && files->file[i].is_elsewhere;)
        if (!strcmp(files->file[i].path, path))
            return (uint32_t)i;
    uint32_t number = collection_files_put(files, path, 0, 0);
    files->file[number].is_elsewhere = true;
    return number;
}

static bool add_file(struct collection_files *files, const char *path,
                     const struct collection_listener *listener,
                     struct collection_error *error)
{
    uint32_t file = collection_files_put(files, path, 0, 0);
    bool is_warc;

    if (!collection_files_read(files, file, listener, &is_warc))
        return collection_files_fail(error, path, strerror(errno));
    return is_warc || collection_files_fail(error, path, NO_WARC);
}

/* One file of several: the others may be good. */
static bool add_found(struct collection_files *files, const char *path,
                      const struct collection_listener *listener,
                      struct collection_error *error)
{
    return collection_files_take(files, collection_files_put(files, path, 0, 0),
                                 listener) ||
           collection_files_fail(error, path, strerror(errno));
}

bool collection_files_is_warc(struct str name)
{
    if (str_ends(name, STR(ARCHIVE_OPEN_SUFFIX)))
        name.len -= strlen(ARCHIVE_OPEN_SUFFIX);
    return str_ends(name, STR(".warc")) || str_ends(name, STR(".warc.gz"));
}

static int is_archive_file(const struct dirent *entry)
{
    return collection_files_is_warc(str_of(entry->d_name));
}

/* The bytes decide, whatever the locale says. */
static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool add_directory(struct collection_files *files, const char *path,
                          const struct collection_listener *listener,
                          struct collection_error *error)
{
    char folder[4096], name[4096];
    struct dirent **entry;
    bool good = true;

    if (snprintf(folder, sizeof(folder), "%s/" ARCHIVE_DIR, path) >=
        (int)sizeof(folder))
        return collection_files_fail(error, path, strerror(ENAMETOOLONG));
    int count = scandir(folder, &entry, is_archive_file, compare_names);
    if (count < 0)
        return collection_files_fail(error, folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        if (snprintf(name, sizeof(name), "%s/%s", folder, entry[i]->d_name) >=
            (int)sizeof(name))
            good = good &&
                   collection_files_fail(error, folder, strerror(ENAMETOOLONG));
        good = good && add_found(files, name, listener, error);
        free(entry[i]);
    }
    free(entry);
    return count ? good
                 : collection_files_fail(error, folder,
                                         "there is no WARC file in it");
}

bool collection_files_add_path(struct collection_files *files, const char *path,
                               const struct collection_listener *listener,
                               struct collection_error *error)
{
    struct stat about;
    char magic[2] = "";

    if (stat(path, &about) < 0)
        return collection_files_fail(error, path, strerror(errno));
    if (S_ISDIR(about.st_mode))
        return add_directory(files, path, listener, error);
    if (!S_ISREG(about.st_mode))
        return collection_files_fail(error, path, "it is no regular file");
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return collection_files_fail(error, path, strerror(errno));
    ssize_t len = pread(fd, magic, sizeof(magic), 0);
    close(fd);
    if (len == sizeof(magic) && !memcmp(magic, "PK", sizeof(magic)))
        return collection_files_add_wacz(files, path, listener, error);
    return add_file(files, path, listener, error);
}
