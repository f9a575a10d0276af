#include "cli/plan.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/usage.h"
#include "crawler/record_codes.h"

/* The options of an archive, and what its files say of the crawl. */

enum { NAME_MAX_LEN = 80, ID_LEN = 8, INFO_MAX = 1 << 16 };

#define DEFAULT_NAME "crawl"

static bool is_wanted(const struct options *options)
{
    return options->warc || options->warc_file || options->wacz;
}

/* --- is it right? ------------------------------------------------------- */

static bool is_name(const char *text)
{
    if (!ascii_is_alnum(text[0]) || strlen(text) > NAME_MAX_LEN)
        return false;
    for (; *text; text++)
        if (!ascii_is_alnum(*text) && !strchr("-_.", *text))
            return false;
    return true;
}

/* One line "name: value", without control characters. */
static bool is_info_line(const char *text)
{
    size_t colon = str_find(str_of(text), ':');

    if (!colon || !text[colon] || !str_trim(str_of(text + colon + 1)).len)
        return false;
    for (size_t i = 0; text[i]; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f ||
            (i < colon && !ascii_is_alnum(text[i]) &&
             !strchr("!#$%&'*+-.^_`|~", text[i])))
            return false;
    return true;
}

static int check_headers(const struct list *headers)
{
    size_t bytes = 0;

    for (size_t i = 0; i < headers->count; i++) {
        if (!is_info_line(headers->item[i]))
            return complain("--warc-header must be 'name: value' in one line "
                            "without control characters");
        bytes += strlen(headers->item[i]) + 2;
    }
    return bytes > INFO_MAX / 2
               ? complain("the lines of --warc-header are longer than %d bytes",
                          INFO_MAX / 2)
               : 0;
}

/* Options that have no effect without an archive. */
static int check_alone(const struct options *options)
{
    static const char *const names[] = {"warc-max-size", "warc-compress",
                                        "warc-digest",   "warc-header",
                                        "warc-dedup",    "requisites"};

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (option_is_given(&options->given, names[i]))
            return complain("--%s needs --warc", names[i]);
    if (options->save == SAVE_ARCHIVE || options->save == SAVE_BOTH)
        return complain("--save %s needs --warc",
                        options->save == SAVE_BOTH ? "both" : "archive");
    return 0;
}

int archiving_check(struct plan *plan)
{
    const struct options *options = plan->options;

    if (!is_wanted(options))
        return check_alone(options);
    if (options->save == SAVE_PAGES)
        return complain("--save pages keeps no archive, and --warc does; leave "
                        "one of them out");
    if (options->wacz && options->state)
        return complain("--wacz needs the record of the crawl, so it cannot be "
                        "used with --state none");
    if (options->warc_file && !is_name(options->warc_file))
        return complain("--warc-file must be a name of at most %d letters, "
                        "digits, '-', '_' and '.' that begins with a letter or "
                        "a digit, without a directory, not '%.100s'",
                        NAME_MAX_LEN,
                        login_hide(&plan->arena, options->warc_file));
    return check_headers(&options->warc_headers);
}

/* --- what the files say ------------------------------------------------- */

static void put_line(struct buf *out, const char *name, struct str value)
{
    buf_printf(out, "%s: %.*s\r\n", name, STR_ARGS(value));
}

static struct str make_info(struct plan *plan)
{
    const struct list *headers = &plan->options->warc_headers;
    struct buf info;

    buf_init(&info, INFO_MAX);
    put_line(&info, "software", STR("crawler " CRAWLER_VERSION));
    put_line(&info, "format", STR("WARC File Format 1.1"));
    put_line(&info, "conformsTo",
             STR("http://iipc.github.io/warc-specifications/specifications/"
                 "warc-format/warc-1.1/"));
    put_line(&info, "http-header-user-agent", fetching_user_agent(plan));
    put_line(&info, "robots",
             plan_obeys_robots(plan) ? STR("obey") : STR("ignore"));
    put_line(
        &info, "request-records",
        STR("without headers that may be secret (Authorization, Cookie and "
            "others)"));
    for (size_t i = 0; i < headers->count; i++)
        buf_printf(&info, "%s\r\n", headers->item[i]);
    struct str kept = arena_copy(&plan->arena, buf_str(&info));
    buf_release(&info);
    return kept;
}

/* --- the plan ----------------------------------------------------------- */

static int plan_dedup(struct plan *plan)
{
    const char *path = plan->options->warc_dedup;
    char problem[DEDUP_PROBLEM_MAX];
    int replaced_fd = -1;

    if (!path)
        return 0;
    if (plan->options->restart) {
        if (state_is_own_directory(plan, path))
            return complain("--warc-dedup '%.200s': --restart replaces the "
                            "archive there",
                            path);
        replaced_fd =
            openat(plan->dir.fd, ARCHIVE_DIR, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    plan->dedup =
        dedup_open(path, plan->crawl.frontier.hash_seed, replaced_fd, problem);
    if (replaced_fd >= 0)
        close(replaced_fd);
    if (!plan->dedup)
        return complain("--warc-dedup '%.200s': %s", path, problem);
    return 0;
}

static void plan_style(struct plan *plan, struct warc_style *style)
{
    const struct options *options = plan->options;

    *style = (struct warc_style){
        .digest = (enum digest_kind)options->warc_digest,
        .level = (int)options->warc_compress,
    };
    if (getrandom(style->id_seed, sizeof(style->id_seed), 0) !=
        sizeof(style->id_seed)) {
        style->id_seed[0] = plan->crawl.frontier.hash_seed;
        style->id_seed[1] = clock_wall_ms();
    }
}

/* Where the archive goes there must be a directory or nothing, and no package
 * but the one of the crawl that is recorded. */
static int check_place(struct plan *plan)
{
    const char *dir_path = plan->crawl.dir_path;
    struct stat about;

    if (fstatat(plan->dir.fd, ARCHIVE_DIR, &about, AT_SYMLINK_NOFOLLOW))
        return 0;
    if (!S_ISDIR(about.st_mode) ||
        faccessat(plan->dir.fd, ARCHIVE_DIR, W_OK | X_OK, AT_EACCESS))
        return complain("'%s/" ARCHIVE_DIR "' must be a directory that can be "
                        "written, or not be there",
                        dir_path);
    if (plan->options->wacz && record_has_package(dir_path) &&
        !option_is_given(&plan->record.given, "wacz"))
        return complain("'%s/" ARCHIVE_DIR "/%s' is there, and not of this "
                        "crawl; move it away",
                        dir_path, record_package_name(dir_path, &plan->arena));
    return 0;
}

/* The id of the crawl, or of the machine of a fleet. */
static void format_id(const struct plan *plan, char id[ID_LEN + 1])
{
    bool goes_on = plan->action == ACTION_RESUME;
    uint64_t number = goes_on ? plan->record.facts.number[FACT_ID] : plan->id;

    if (plan->options->fleet)
        snprintf(id, ID_LEN + 1, "%.*s", ID_LEN, plan->fleet.directory);
    else
        snprintf(id, ID_LEN + 1, "%08x", (unsigned)(uint32_t)number);
}

/* Files of several crawls, or of all machines of a fleet, may come together in
 * one index or package, so their names differ: "crawl-3f2a9c1b". A crawl that
 * an earlier version began has no id, and its files have none in their names.
 */
static const char *name_of_files(struct plan *plan)
{
    const char *name =
        plan->options->warc_file ? plan->options->warc_file : DEFAULT_NAME;
    char *with_id, id[ID_LEN + 1];

    if (!plan->options->fleet && plan->action == ACTION_RESUME &&
        !plan->record.facts.number[FACT_ID])
        return name;
    format_id(plan, id);
    with_id = arena_new(&plan->arena, NAME_MAX_LEN + ID_LEN + 2);
    snprintf(with_id, NAME_MAX_LEN + ID_LEN + 2, "%.*s-%s", NAME_MAX_LEN, name,
             id);
    return with_id;
}

static uint64_t begun_ms(const struct plan *plan)
{
    if (plan->options->fleet)
        return plan->fleet.begun_ms;
    return plan->action == ACTION_RESUME
               ? plan->record.facts.number[FACT_STARTED_MS]
               : clock_wall_ms();
}

int archiving_plan(struct plan *plan)
{
    const struct options *options = plan->options;
    uint64_t now_ms = clock_mono_ms();

    if (!is_wanted(options) || plan->action == ACTION_NONE)
        return 0;
    int status = check_place(plan);
    if (!status)
        status = plan_dedup(plan);
    if (status)
        return status;
    plan->archive = (struct archive_options){
        .dir_fd = plan->dir.fd,
        .name = name_of_files(plan),
        .file_max = options->warc_max_size,
        .info = make_info(plan),
        .dedup = plan->dedup,
        .hash_seed = plan->crawl.frontier.hash_seed,
        .begun_ms = begun_ms(plan),
        .may_be_set_back = options->fleet,
    };
    plan_style(plan, &plan->archive.style);
    pagerecorder_init(&plan->recorder, &plan->archive.style,
                      (int64_t)clock_wall_at(now_ms) - (int64_t)now_ms,
                      &plan->body_budget);
    plan->crawl.archive = &plan->archive;
    plan->crawl.worker.recorder = &plan->recorder;
    plan->crawl.worker.scan.want_title |= !plan->options->state;
    if (options->save == SAVE_ARCHIVE) {
        plan->crawl.worker.saver = &plan->numbers.saver;
        plan->crawl.worker.archive_only = true;
    }
    return 0;
}

void archiving_release(struct plan *plan)
{
    pagenumbers_release(&plan->numbers);
    dedup_free(plan->dedup);
}

/* --- a crawl that others finished ---------------------------------------- */

static bool settle_file(void *user, const struct store_archive *row)
{
    return archivist_add_file(user, row);
}

static bool settle_capture(void *user, const struct store_capture *row)
{
    return archivist_add_capture(user, row);
}

int archiving_settle(struct plan *plan)
{
    const struct options *options = plan->options;
    const struct archive_options archive = {
        .dir_fd = plan->dir.fd,
        .name = name_of_files(plan),
        .begun_ms = begun_ms(plan),
        .may_be_set_back = true,
    };
    char problem[ARCHIVIST_PROBLEM_MAX] = "";
    struct store_error error = {.status = STORE_OK};

    if (!is_wanted(options) || !plan->fleet.node ||
        faccessat(plan->dir.fd, ARCHIVE_DIR, F_OK, 0))
        return 0;
    struct store *store =
        fleet_open_machine(options->fleet, options->name, &plan->fleet.crawl,
                           plan->fleet.node, crawler_codes());
    struct archivist *archivist = archivist_new(&archive);
    const struct store_reader reader = {
        .user = archivist, .archive = settle_file, .capture = settle_capture};
    bool good = store_load(store, 0, &reader, &error) &&
                archivist_resume(archivist, problem);
    if (good)
        archivist_end(archivist, true);
    archivist_free(archivist);
    store_close(store);
    return good ? 0
                : complain_failure("cannot put the archive in '%s' right: %s",
                                   plan->crawl.dir_path,
                                   *problem ? problem : error.text);
}

/* --- the crawl before --------------------------------------------------- */

static bool note_file(void *user, const struct store_archive *row)
{
    struct plan *plan = user;
    struct archive_old *old = arena_new(&plan->arena, sizeof(*old));

    /* A name that we would not write is not ours: remove nothing. */
    if (!archive_name_is_safe(row->name) ||
        !str_ends(row->name, STR(ARCHIVE_SUFFIX)))
        return false;
    old->name = arena_copy(&plan->arena, row->name).ptr;
    old->next = plan->crawl.old_archive;
    plan->crawl.old_archive = old;
    return true;
}

/* The package that --wacz made. */
static void note_package(struct plan *plan)
{
    struct archive_old *old = arena_new(&plan->arena, sizeof(*old));

    if (!option_is_given(&plan->record.given, "wacz"))
        return;
    old->name = record_package_name(plan->crawl.dir_path, &plan->arena);
    old->next = plan->crawl.old_archive;
    plan->crawl.old_archive = old;
}

/* If the record cannot be read, no file is removed. */
void archiving_note_old(struct plan *plan)
{
    const struct store_reader reader = {.user = plan, .archive = note_file};
    struct store_error error;

    if (plan->record.error.status != STORE_OK)
        return;
    struct store *store =
        store_open(plan->store_name, STORE_READ, crawler_codes(), &error);
    if (!store || !store_load(store, 0, &reader, &error))
        plan->crawl.old_archive = NULL;
    else
        note_package(plan);
    store_close(store);
}
