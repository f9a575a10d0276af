#include "cli/ask.h"

#include <assert.h>
#include <errno.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/state.h"

/* --- opening ------------------------------------------------------------ */

static int complain(const struct ask *ask, const struct past *past)
{
    const char *path = ask->dir_path, *text = past->error.text;

    switch (past->error.status) {
    case STORE_NONE:
        return usage_error("no crawl is recorded in '%s': %s is %s", path,
                           PAGEDIR_MARKER,
                           !strcmp(text, "empty") ? text : "missing");
    case STORE_FOREIGN:
        return usage_error("no crawl is recorded in '%s': %s is %s", path,
                           PAGEDIR_MARKER, text);
    case STORE_NEWER:
        return usage_error("the state in '%s/%s' was %s", path, PAGEDIR_MARKER,
                           text);
    default:
        return ask_fail(ask, &past->error);
    }
}

int ask_fail(const struct ask *ask, const struct store_error *error)
{
    return usage_error("cannot read the state in '%s/%s': %s", ask->dir_path,
                       PAGEDIR_MARKER, error->text);
}

static bool is_locked(const char *path)
{
    struct pagedir dir;

    if (!pagedir_open_read(&dir, path))
        return false;
    bool locked = pagedir_is_locked(&dir);
    pagedir_close(&dir);
    return locked;
}

/* What the crawl was told, as options, and what follows from them. */
static int recall(struct ask *ask, struct past *past)
{
    struct buf error;
    const char **words;
    int count;

    state_recall(past, ask->dir_path, &ask->arena, &words, &count);
    buf_init(&error, 4096);
    int status = options_parse(&ask->options, COMMAND_CRAWL, count,
                               (char *const *)words, &error)
                     ? 0
                     : usage_error("the options of the crawl in '%s': %s",
                                   ask->dir_path, buf_cstr(&error));
    buf_release(&error);
    ask->options.remembered = true;
    return status ? status : plan_recall(&ask->plan, &ask->options, past);
}

static int read_past(struct ask *ask)
{
    struct past past;

    past_read(&past, ask->dir_path);
    int status = past.error.status == STORE_OK ? recall(ask, &past)
                                               : complain(ask, &past);
    past_release(&past);
    return status;
}

/* A crawl that ends says so before it gives its lock up, so the lock is looked
 * at first; one that begins takes the lock before it says anything. */
int ask_open(struct ask *ask, const char *dir_path)
{
    struct store_error error;
    struct pagedir dir;

    *ask = (struct ask){
        .dir_path = dir_path,
        .now_ms = clock_mono_ms(),
        .wall_ms = clock_wall_ms(),
    };
    ask->plan.dir.fd = -1;
    arena_init(&ask->arena);
    if (!pagedir_open_read(&dir, dir_path))
        return usage_error("pageDirectory '%s': %s", dir_path, strerror(errno));
    pagedir_close(&dir);
    ask->locked = is_locked(dir_path);
    int status = read_past(ask);
    if (status)
        return status;
    if (!ask->locked && ask_state(ask) == ASK_KILLED)
        ask->locked = is_locked(dir_path);
    ask->store =
        store_open(past_path(&ask->arena, dir_path), STORE_READ, &error);
    return ask->store ? 0 : ask_fail(ask, &error);
}

void ask_close(struct ask *ask)
{
    if (ask->loaded)
        validator_release(&ask->validator);
    store_close(ask->store);
    if (ask->plan.scope)
        plan_release(&ask->plan);
    options_release(&ask->options);
    arena_release(&ask->arena);
}

int ask_load(struct ask *ask)
{
    const struct crawl_options *crawl = &ask->plan.crawl;
    const struct resume_options resume = {
        .fingerprint_seed = crawl->hand.scan.fingerprint_seed,
        .robots_agent = crawl->hand.robots_agent,
        .now_ms = ask->now_ms,
        .wall_ms = ask->wall_ms,
    };
    struct store_error error;

    if (ask->loaded)
        return 0;
    validator_init(&ask->validator, ask->plan.scope, crawl->max_depth,
                   &crawl->frontier);
    ask->loaded = true;
    return resume_load(ask->store, &ask->validator, &resume, &ask->resumed,
                       &error)
               ? 0
               : ask_fail(ask, &error);
}

/* --- how it is ---------------------------------------------------------- */

enum ask_state ask_state(const struct ask *ask)
{
    static const struct {
        struct str name;
        enum ask_state state;
    } rows[] = {
        {STR_INIT("finished"), ASK_FINISHED},
        {STR_INIT("nothing"), ASK_NOTHING},
        {STR_INIT("interrupted"), ASK_INTERRUPTED},
        {STR_INIT("max-pages"), ASK_MAX_PAGES},
        {STR_INIT("max-time"), ASK_MAX_TIME},
        {STR_INIT("failed"), ASK_FAILED},
    };

    for (size_t i = 0; i < ARRAY_LEN(rows); i++)
        if (str_eq(ask->plan.past.state, rows[i].name))
            return rows[i].state;
    return ask->locked ? ASK_RUNNING : ASK_KILLED;
}

bool ask_state_is_open(enum ask_state state)
{
    return state != ASK_RUNNING && state != ASK_FINISHED &&
           state != ASK_NOTHING;
}

/* --- words -------------------------------------------------------------- */

void ask_put_time(struct buf *out, uint64_t wall_ms)
{
    char text[CLOCK_ISO_LEN + 1];

    clock_format_iso(wall_ms, text);
    buf_printf(out, "%.10s %.8s UTC", text, text + 11);
}

void ask_put_duration(struct buf *out, uint64_t ms)
{
    unsigned long long s = (ms + 500) / 1000;

    if (ms < 59950)
        buf_printf(out, "%.1f s", (double)ms / 1000);
    else if (s < 3600)
        buf_printf(out, "%llu min %llu s", s / 60, s % 60);
    else if (s < 2 * 24 * 3600)
        buf_printf(out, "%llu h %llu min", s / 3600, s / 60 % 60);
    else
        buf_printf(out, "%llu days", s / (24 * 3600));
}

/* A few names are enough to see what is meant. */
enum { NAMES_SHOWN = 5 };

struct names {
    struct buf *out;
    struct str shown[NAMES_SHOWN];
    size_t count;
    bool more;
};

static void put_name(struct names *names, struct str name)
{
    for (size_t i = 0; i < names->count; i++)
        if (str_eq(names->shown[i], name))
            return;
    if (names->count == NAMES_SHOWN) {
        names->more = true;
        return;
    }
    names->shown[names->count++] = name;
    buf_printf(names->out, "%s%.*s", names->count > 1 ? ", " : "",
               (int)name.len, name.ptr);
}

static struct str directory_of(const struct url *url)
{
    size_t end = url->path_end;

    while (url->href.ptr[end - 1] != '/')
        end--;
    return str_first(url->href, end);
}

/* What the rule of this kind takes from a seed; see url/scope.h. */
static struct str name_of(const struct ask *ask, enum scope_kind kind,
                          const struct url *seed)
{
    switch (kind) {
    case SCOPE_PREFIX:
        return directory_of(seed);
    case SCOPE_HOST:
        return str_between(seed->href.ptr + seed->host_start,
                           seed->href.ptr + seed->path_start);
    case SCOPE_DOMAIN:
        return domain_of_host(ask->plan.domains, url_host(seed));
    case SCOPE_ANY:
    case SCOPE_KINDS:
        break;
    }
    return (struct str){0};
}

/* Where there are no seeds the sitemaps are instead, as in cli/seeds.c. */
static void put_names(const struct ask *ask, enum scope_kind kind,
                      struct names *names)
{
    const struct list *sitemaps = &ask->options.sitemap;
    struct arena arena;
    struct url url;

    for (size_t i = 0; i < ask->plan.seed_count && !names->more; i++)
        put_name(names, name_of(ask, kind, &ask->plan.seeds[i].url));
    arena_init(&arena);
    for (size_t i = 0; !ask->plan.seed_count && i < sitemaps->count; i++)
        if (!url_parse(&url, &arena, str_of(sitemaps->item[i]), NULL, NULL))
            put_name(names, name_of(ask, kind, &url));
    if (names->more)
        buf_put(names->out, STR(" and others"));
    arena_release(&arena);
}

static void put_prefixes(const struct ask *ask, struct buf *out)
{
    struct names names = {.out = out};

    if (plan_is_course(&ask->options))
        put_name(&names, STR(COURSE_PREFIX));
    for (size_t i = 0; i < ask->options.internal.count; i++)
        put_name(&names, str_of(ask->options.internal.item[i]));
    if (names.more)
        buf_put(out, STR(" and others"));
}

void ask_put_scope(const struct ask *ask, struct buf *out)
{
    static const char *const what[] = {
        [SCOPE_PREFIX] = "what begins with ",
        [SCOPE_HOST] = "the host ",
        [SCOPE_DOMAIN] = "the domain ",
        [SCOPE_ANY] = "everything",
    };
    enum scope_kind kind = plan_scope_kind(&ask->options);
    struct names names = {.out = out};

    static_assert(ARRAY_LEN(what) == SCOPE_KINDS, "every kind has its words");
    if (plan_is_course(&ask->options) || ask->options.internal.count) {
        buf_put(out, STR("what begins with "));
        put_prefixes(ask, out);
        if (kind != SCOPE_KINDS)
            buf_put(out, STR("; "));
    }
    if (kind == SCOPE_KINDS)
        return;
    buf_put(out, str_of(what[kind]));
    if (kind != SCOPE_ANY)
        put_names(ask, kind, &names);
}
