#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/collection.h"
#include "base/io.h"
#include "cli/add_archive.h"
#include "cli/options.h"
#include "cli/output_file.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "replay/certificate_authority.h"
#include "replay/replay.h"

/* crawler serve WHAT... */

enum { PATH_ROOM = 4096, CERTIFICATE_MAX = 1 << 20 };

/* --- the archive --------------------------------------------------------- */

/* Warn about a file that is cut off. Its whole records are still served. */
static void warn(void *user, const char *text)
{
    (void)user;
    complain("%s", text);
}

static int add_all(struct collection *collection, const struct options *options)
{
    struct collection_error error;

    for (size_t i = 0; i < options->argument_count; i++)
        if (!add_archive(collection, options->argument[i], warn, NULL, &error))
            return complain("%s", error.text);
    if (!collection_count(collection))
        return complain("there is no capture in '%s'%s", options->argument[0],
                        options->argument_count > 1 ? " and the others" : "");
    return 0;
}

/* If the file is a WACZ, serve it as the package. False if it is not one. */
static bool use_wacz(struct own_pages *own, const char *path)
{
    char first[4];
    struct stat stat_of;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && !fstat(fd, &stat_of) && S_ISREG(stat_of.st_mode) &&
        pread(fd, first, sizeof(first), 0) == sizeof(first) &&
        !memcmp(first, "PK\3\4", sizeof(first))) {
        own->package_fd = fd;
        own->package_len = (uint64_t)stat_of.st_size;
        return true;
    }
    if (fd >= 0)
        close(fd);
    return false;
}

/* A file without a name: nothing is left when the program ends, whatever ends
 * it. -1 with errno. */
static int open_nameless(const char *temp)
{
    char path[PATH_ROOM];
    int fd = open(temp, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return fd;
    snprintf(path, sizeof(path), "%s/crawler-serve-XXXXXX", temp);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0)
        unlink(path);
    return fd;
}

/* The package of a page directory, as `crawler export` makes it. */
static int make_package(void *user)
{
    const char *dir_path = user, *temp = getenv("TMPDIR");

    if (!temp || !*temp)
        temp = "/tmp";
    int fd = open_nameless(temp);
    if (fd < 0) {
        complain("cannot write /archive.wacz in '%s': %s", temp,
                 strerror(errno));
    } else if (record_package_to(dir_path, fd, "/archive.wacz")) {
        close(fd);
        fd = -1;
    }
    return fd;
}

static bool is_directory(const char *path)
{
    struct stat stat_of;

    return !stat(path, &stat_of) && S_ISDIR(stat_of.st_mode);
}

static void find_package(struct own_pages *own, const struct options *options)
{
    const char *path = options->argument[0];

    if (options->argument_count > 1) {
        own->why_no_package = "there is a package only if one WACZ or one page "
                              "directory is served";
    } else if (is_directory(path)) {
        own->make_package = make_package;
        own->make_user = (void *)path;
    } else if (!use_wacz(own, path)) {
        own->why_no_package =
            "WARC files are no package; crawler export --format wacz makes one";
    }
}

/* --- serving ------------------------------------------------------------- */

/* Only what an earlier run wrote is replaced, or an empty file. */
static int check_replaced(const char *path)
{
    struct buf text;

    buf_init(&text, CERTIFICATE_MAX);
    bool good = io_read_file(path, &text) || errno == ENOENT;
    int why = errno;
    bool is_ours = !text.len || certificate_authority_made(buf_str(&text));
    buf_release(&text);
    if (!good && why != EFBIG)
        return complain("--write-ca '%s': %s", path, strerror(why));
    return good && is_ours
               ? 0
               : complain("--write-ca '%s': the file is there and is not a "
                          "certificate that 'crawler serve' wrote, alone",
                          path);
}

static int write_authority(const char *path, struct str pem)
{
    struct iovec part = {(void *)pem.ptr, pem.len};
    struct output_file out;
    int status = output_open(&out, path, OUTPUT_REPLACE);

    if (status)
        return status;
    status = check_replaced(path);
    if (!status && !io_write_all(out.fd, &part, 1))
        status = complain("--write-ca '%s': %s", path, strerror(errno));
    return output_close(&out, status);
}

static int listen_on(struct replay *replay, unsigned port)
{
    const char *problem;

    if (replay_listen(replay, port, &problem))
        return 0;
    return complain("cannot listen on 127.0.0.1:%u: %s%s", port, problem,
                    port ? "; --port 0 takes any free port" : "");
}

static int run(struct replay *replay)
{
    struct str address = replay_address(replay);
    unsigned long long captures = replay_own_pages(replay)->captures;
    int signals = signals_open(NULL, 0);

    printf("listening on http://%.*s/ with %llu capture%s\n", STR_ARGS(address),
           captures, captures == 1 ? "" : "s");
    if (fflush(stdout))
        return complain_failure("cannot write: %s", strerror(errno));
    if (signals < 0 || !replay_run(replay, signals))
        return complain_failure("cannot wait for signals: %s", strerror(errno));
    close(signals);
    return 0;
}

static int serve(struct replay *replay, const struct options *options)
{
    int status = listen_on(replay, (unsigned)options->port);

    if (!status && options->write_ca)
        status =
            write_authority(options->write_ca, replay_own_pages(replay)->pem);
    return status ? status : run(replay);
}

int command_serve(const struct options *options)
{
    if (!options->argument_count)
        return complain("serve takes a page directory, a WACZ or WARC files");

    struct collection *collection = collection_new();
    int status = add_all(collection, options);
    struct replay *replay = status ? NULL : replay_new(collection);
    if (replay) {
        find_package(replay_own_pages(replay), options);
        replay_list_first_pages(replay);
        status = serve(replay, options);
        replay_free(replay);
    } else if (!status) {
        status = complain_failure("cannot make a certificate authority");
    }
    collection_free(collection);
    return status;
}
