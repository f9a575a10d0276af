/* crawler report --check-external: a crawl of the pages of other sites
 * that a site links to, each once. It has the pauses, the limits and the rules
 * of robots.txt of any crawl; its record is in a temporary directory. It asks
 * for heads (HEAD), and by GET where the answer to that says too little; of
 * these answers, too, only the heads are read. Only a page that links name a
 * part of is read to its end, for its ids. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "cli/plan.h"
#include "cli/signals.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"
#include "page/mime.h"
#include "report/findings.h"

/* URLs of one crawl. They come sorted, so that a host is rarely in two. */
enum { BATCH_MAX = 20000, ERROR_MAX = 4096, PATH_LEN_MAX = 4096 };

struct check {
    struct findings *findings;
    const struct list *recorded, *now; /* options */
    char dir_path[PATH_LEN_MAX];
    struct arena arena; /* of a batch */
    struct str url[BATCH_MAX];
    size_t count;
    struct hashtable wanted; /* pages whose ids are wanted, by their hash */
};

/* --- the temporary directory --------------------------------------------- */

static int make_directory(struct check *check)
{
    const char *where = getenv("TMPDIR");
    int len =
        snprintf(check->dir_path, sizeof(check->dir_path),
                 "%s/crawler-check-XXXXXX", where && where[0] ? where : "/tmp");

    if (len >= (int)sizeof(check->dir_path) || !mkdtemp(check->dir_path))
        return complain_failure("cannot make a temporary directory in '%s': %s",
                                where && where[0] ? where : "/tmp",
                                strerror(errno));
    return 0;
}

/* It has files, and no directories. */
static void empty_directory(const struct check *check)
{
    int fd = open(check->dir_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    while (dir && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(fd, entry->d_name, 0);
    if (dir)
        closedir(dir);
}

/* --- the crawl ----------------------------------------------------------- */

/* Options of the recorded crawl that say how to ask. A header or a login of
 * the user is for the site itself. */
static bool is_kept(const char *given)
{
    static const char *const names[] = {
        "delay",         "ip-delay",      "workers",     "threads",
        "timeout",       "user-agent",    "contact",     "robots-agent",
        "proxy",         "connect-to",    "dns-servers", "cacert",
        "insecure",      "allow-private", "limit-rate",  "keep-connections",
        "max-redirects",
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (option_is_named(given, names[i]))
            return true;
    return false;
}

int check_external_proxy(const struct plan *recorded, const struct list *now)
{
    const struct list *given = &recorded->record.given;
    const char *proxy = NULL;

    for (size_t i = 0; i < given->count; i++)
        if (option_is_named(given->item[i], "proxy"))
            proxy = given->item[i];
    if (option_is_given(now, "proxy"))
        return 0;
    return proxy && crawl_record_is_secret(proxy)
               ? complain("the crawl was begun with --%s; give it again", proxy)
               : state_check_proxy(recorded);
}

/* The proxy that is given now takes the place of the recorded one. */
static bool add_options(struct options *options, const struct check *check,
                        struct buf *error)
{
    const struct list *given = check->recorded, *now = check->now;
    bool has_proxy = option_is_given(now, "proxy");
    static const char *const own[] = {"scope=any", "robots=obey", "retries=0",
                                      "quiet"};
    bool good = true;

    for (size_t i = 0; i < given->count && good; i++)
        if (is_kept(given->item[i]) &&
            !(has_proxy && option_is_named(given->item[i], "proxy")))
            good = options_add(options, given->item[i], error);
    for (size_t i = 0; i < now->count && good; i++)
        if (option_is_named(now->item[i], "proxy"))
            good = options_add(options, now->item[i], error);
    for (size_t i = 0; i < ARRAY_LEN(own) && good; i++)
        good = options_add(options, own[i], error);
    return good;
}

static int make_options(struct options *options, const struct check *check)
{
    static const char depth[] = "0";
    struct buf error;

    options_init(options);
    options->command = COMMAND_CRAWL;
    options->argument =
        arena_new(&options->arena, 2 * sizeof(*options->argument));
    options->argument[0] = check->dir_path;
    options->argument[1] = depth;
    options->argument_count = 2;
    buf_init(&error, ERROR_MAX);
    bool good = add_options(options, check, &error);
    if (!good)
        complain("the options of the crawl: %s", buf_cstr(&error));
    buf_release(&error);
    return good ? 0 : EXIT_FAILURE;
}

/* --- the answers to HEAD ------------------------------------------------- */

static bool is_wanted(void *user, struct str url)
{
    const struct check *check = user;

    return hashtable_get(&check->wanted, hash64(url, 0));
}

static void want(struct check *check, struct str url)
{
    if (!is_wanted(check, url))
        hashtable_put(&check->wanted, hash64(url, 0), check);
}

/* The ids of a page that redirects are those of its target. */
static bool is_enough(void *user, const struct webpage *page)
{
    if (findings_is_head_doubted(page->outcome, page->exchange.status))
        return false;
    if (!is_wanted(user, page->url))
        return true;
    if (page->outcome == REDIRECTED && page->links.count)
        want(user, page->links.link[0].url.href);
    return page->exchange.status != 200 ||
           mime_verdict(str_of(page->exchange.mime)) == MIME_OTHER;
}

/* --- crawl and record ----------------------------------------------------- */

/* `*stopped` is true after a signal. */
static int crawl(struct check *check, const struct options *options,
                 int signal_fd, bool *stopped)
{
    struct stats stats = {0};
    struct plan plan;
    const struct head_check heads = {check, is_enough, is_wanted};
    int status = plan_check(&plan, options, check->url, check->count);

    plan.crawl.signal_fd = signal_fd;
    plan.crawl.head_check = &heads;
    if (!status && !state_begin(&plan))
        status = EXIT_FAILURE;
    if (!status) {
        enum crawl_end end = crawler_run(&plan.crawl, &stats);
        *stopped = end == CRAWL_STOPPED;
        if (end == CRAWL_FAILED)
            status = EXIT_FAILURE;
    }
    plan_release(&plan);
    return status;
}

static int read_answers(struct check *check)
{
    struct store_error error;
    struct store *store =
        store_open(store_name_in(check->dir_path, &check->arena), STORE_READ,
                   crawler_codes(), &error);
    bool good = store && findings_judge_crawled(check->findings, check->url,
                                                check->count, store, &error);

    if (store)
        store_close(store);
    return good ? 0
                : complain_failure("the answers of other sites cannot be "
                                   "read: %s",
                                   error.text);
}

/* --- all of them --------------------------------------------------------- */

static bool next_batch(struct check *check)
{
    struct str url;

    arena_clear(&check->arena);
    hashtable_release(&check->wanted);
    hashtable_init(&check->wanted);
    check->count = 0;
    while (check->count < BATCH_MAX &&
           findings_next_outside(check->findings, &url)) {
        check->url[check->count++] = arena_copy(&check->arena, url);
        if (findings_wants_ids(check->findings, url))
            want(check, url);
    }
    return check->count > 0;
}

static int check_all(struct check *check, const struct options *options)
{
    int signal_fd = signals_open(NULL, 0), status = 0;
    bool stopped = false;

    while (!status && !stopped && next_batch(check)) {
        status = crawl(check, options, signal_fd, &stopped);
        if (!status)
            status = read_answers(check);
        empty_directory(check);
    }
    close(signal_fd);
    return status;
}

int check_external(struct findings *findings, const struct plan *recorded,
                   const struct list *now)
{
    struct check *check = mem_new(sizeof(*check));
    struct options options;
    int status;

    check->findings = findings;
    check->recorded = &recorded->record.given;
    check->now = now;
    arena_init(&check->arena);
    hashtable_init(&check->wanted);
    if (!pagefetcher_setup())
        status = complain_failure("libcurl cannot start");
    else if (!(status = make_directory(check))) {
        status = make_options(&options, check);
        if (!status)
            status = check_all(check, &options);
        options_release(&options);
        empty_directory(check);
        rmdir(check->dir_path);
        pagefetcher_teardown();
    }
    hashtable_release(&check->wanted);
    arena_release(&check->arena);
    free(check);
    return status;
}
