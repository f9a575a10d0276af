#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "cli/input.h"
#include "cli/output_file.h"
#include "cli/plan.h"
#include "cli/usage.h"

/* Files of cookies, in Netscape's format. What is in them is secret: a message
 * names a line by its number. */

enum {
    FILE_MAX = COOKIES_MAX * (COOKIE_BYTES_MAX + COOKIE_ATTRIBUTE_MAX +
                              COOKIE_DOMAIN_MAX + 64),
};

struct reading {
    struct cookies *cookies;
    uint64_t now_s;
    size_t line, bad_line; /* from 1; 0: none */
};

static void take_line(void *user, struct str line)
{
    struct reading *reading = user;

    reading->line++;
    if (!reading->bad_line &&
        !cookies_take_line(reading->cookies, line, reading->now_s))
        reading->bad_line = reading->line;
}

/* False with errno, or with the number of a line that is no cookie. */
static bool read_lines(struct cookies *cookies, const char *path,
                       size_t *bad_line)
{
    struct reading reading = {
        .cookies = cookies,
        .now_s = clock_wall_ms() / 1000,
    };
    bool good = input_lines(path, take_line, &reading);

    *bad_line = reading.bad_line;
    return good && !reading.bad_line;
}

static int read_file(struct plan *plan, const char *path)
{
    size_t bad_line;

    if (read_lines(plan->cookies, path, &bad_line))
        return 0;
    if (!bad_line)
        return complain("--cookies '%s': %s%s", login_hide(&plan->arena, path),
                        strerror(errno),
                        plan->options->remembered
                            ? "; --cookies '' goes on without it"
                            : "");
    return complain("--cookies '%s': line %zu is no cookie in Netscape's "
                    "format (seven fields with tabs in between)",
                    login_hide(&plan->arena, path), bad_line);
}

static bool has_cookie_header(const struct options *options)
{
    for (size_t i = 0; i < options->headers.count; i++)
        if (str_eq_nocase(str_cut(str_of(options->headers.item[i]), ':').head,
                          STR("cookie")))
            return true;
    return false;
}

/* Only cookies are replaced, or an empty file. */
static bool may_replace(struct plan *plan, const char *path)
{
    struct stat stat_of;
    size_t bad_line;

    if (stat(path, &stat_of))
        return errno == ENOENT;
    if (stat_of.st_size > FILE_MAX)
        return false;
    struct cookies *read = cookies_new(plan->domains, 0);
    bool good = read_lines(read, path, &bad_line);
    cookies_free(read);
    return good;
}

static int open_output(struct plan *plan, struct output_file *out,
                       const char *path)
{
    int status = output_open(out, path, OUTPUT_REPLACE);

    if (status || may_replace(plan, path))
        return status;
    output_discard(out);
    return complain("--save-cookies '%s': the file is there and is no file of "
                    "cookies; name another",
                    path);
}

/* The directory is not yet marked as a crawl's. */
int cookie_files_check(struct plan *plan)
{
    const char *path = plan->options->save_cookies;
    struct output_file out;

    if (!path)
        return 0;
    if (state_owns_file(plan, path))
        return complain("cannot write '%s': the name belongs to the crawl in "
                        "that directory",
                        path);
    int status = open_output(plan, &out, path);
    if (!status)
        output_discard(&out);
    return status;
}

int cookie_files_plan(struct plan *plan)
{
    const struct options *options = plan->options;

    if (!options->cookies && !options->save_cookies && !options->cookie_jar)
        return 0;
    if (options->from)
        return complain("cookies have no effect with --from, which asks no "
                        "server");
    if (has_cookie_header(options))
        return complain("--header Cookie and a cookie jar contradict each "
                        "other; put that cookie into the file of --cookies");
    plan->cookies =
        cookies_new(plan->domains, plan->crawl.worker.scan.fingerprint_seed);
    return options->cookies && options->cookies[0]
               ? read_file(plan, options->cookies)
               : 0;
}

int cookie_files_save(struct plan *plan)
{
    const char *path = plan->options->save_cookies;
    struct output_file out;
    struct buf text;

    if (!path)
        return 0;
    int status = open_output(plan, &out, path);
    if (status)
        return status;
    buf_init(&text, FILE_MAX);
    cookies_put_file(plan->cookies, clock_wall_ms() / 1000, &text);
    /* Restrict the file to its owner before any cookie is written. */
    if (fchmod(out.fd, S_IRUSR | S_IWUSR) ||
        !io_write_all(out.fd, &(struct iovec){text.ptr, text.len}, 1))
        status =
            complain_failure("cannot write '%s': %s", path, strerror(errno));
    buf_release(&text);
    return output_close(&out, status);
}
