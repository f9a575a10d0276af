#include "cli/plan.h"

#include <errno.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/input.h"
#include "cli/usage.h"

/* Trust the origin of a URL that the user wants to start from. A login in the
 * URL itself goes before that of --user, and that before --netrc. */
static void trust_start(struct plan *plan, const struct url *url)
{
    const struct login *known;
    struct login login;

    origins_add(&plan->origins, url);
    if (origins_login(&plan->origins, url))
        return;
    if (plan->user) {
        login = login_read(&plan->arena, str_of(plan->user));
        origins_add_login(&plan->origins, url, &login);
    } else if ((known = netrc_login(&plan->netrc, url_host(url)))) {
        origins_add_login(&plan->origins, url, known);
    }
}

/* `named` is false for a search result: the user did not write it. */
static void add(struct plan *plan, const struct page_link *seed, bool named)
{
    enum scope_kind kind = plan_scope_kind(plan);

    plan->seeds = mem_grow(plan->seeds, plan->seed_count, &plan->seed_room,
                           sizeof(*plan->seeds));
    plan->seeds[plan->seed_count] = *seed;
    plan->seeds[plan->seed_count++].named = named;
    if (kind != SCOPE_KINDS && !plan->is_begun)
        scope_add_seed(plan->scope, kind, &seed->url);
    if (named)
        trust_start(plan, &seed->url);
}

/* A seed that makes its own scope need not be in one. */
static bool is_internal(const struct plan *plan, const struct page_link *seed)
{
    return (plan_scope_kind(plan) != SCOPE_KINDS && !plan->is_begun) ||
           scope_contains(plan->scope, &seed->url);
}

static enum err parse(struct plan *plan, struct page_link *seed,
                      struct str text)
{
    return pagescanner_link(seed, &plan->arena, text, NULL, NULL,
                            &plan->crawl.worker.scan);
}

/* --- seeds that a person wrote ------------------------------------------ */

/* Does a host stand where a URL should begin: "example.org",
 * "localhost:8080/path", "[::1]/"? Any other word without a dot is taken for a
 * mistake. */
static bool begins_with_host(struct str text)
{
    size_t end = 0;

    while (end < text.len && !strchr("/\\?#", text.ptr[end]))
        end++;
    struct str authority = str_first(text, end);
    size_t bracket = str_find(authority, ']');
    size_t from = bracket < authority.len ? bracket : 0;
    size_t colon = from + str_find(str_skip(authority, from), ':');
    struct str host = str_first(authority, colon);
    struct str port = str_skip(authority, colon);
    uint64_t number;

    if (port.len && !str_to_u64(str_skip(port, 1), &number))
        return false; /* "mailto:a@example.org" */
    if (str_find(host, '@') < host.len || str_starts(host, STR(".")))
        return false;
    return str_find(host, '.') < host.len || from ||
           str_eq_nocase(host, STR("localhost"));
}

/* A person may leave http:// out. */
static enum err parse_written(struct plan *plan, struct page_link *seed,
                              struct str text)
{
    struct buf whole;

    if (!begins_with_host(text))
        return parse(plan, seed, text);
    buf_init(&whole, URL_LEN_MAX);
    enum err err = buf_put(&whole, STR("http://")) && buf_put(&whole, text)
                       ? parse(plan, seed, buf_str(&whole))
                       : ERR_URL_TOO_LONG;
    buf_release(&whole);
    return err;
}

/* Add the seed, or say why not. In the course's contract a URL with a login is
 * another URL; else the login is for its origin. */
static const char *add_written(struct plan *plan, struct str text)
{
    bool course = plan_is_course(plan);
    struct login login = {0};
    struct page_link seed;

    if (!course)
        login_cut(&plan->arena, text, &text, &login);
    enum err err = parse_written(plan, &seed, text);
    if (err)
        return err_message(err);
    if (seed.not_html_name)
        return "not the name of an HTML page; --scope or --internal crawl any "
               "name";
    if (plan->is_begun && login.name.ptr)
        return "a name and password cannot be added to a crawl that has begun";
    if (plan->is_begun && !is_internal(plan, &seed))
        return "outside of the scope that the crawl was begun with";
    if (!is_internal(plan, &seed))
        return course ? "not internal: it must begin with " COURSE_PREFIX
                        "; --scope or --internal crawl elsewhere"
                      : "not internal: it must begin with a prefix of "
                        "--internal";
    if (login.name.ptr && !origins_add_login(&plan->origins, &seed.url, &login))
        return "another name or password for an origin that has one";
    add(plan, &seed, true);
    return NULL;
}

int seeds_add_argument(struct plan *plan, const char *text)
{
    /* The course's contract takes whole URLs only. */
    const char *why = plan_is_course(plan) && begins_with_host(str_of(text))
                          ? err_message(ERR_URL_RELATIVE)
                          : add_written(plan, str_of(text));

    return why ? complain("seedURL '%s' cannot be crawled: %s",
                          login_hide(&plan->arena, text), why)
               : 0;
}

struct seeds_file {
    struct plan *plan;
    size_t lines;
};

static void add_line(void *user, struct str line)
{
    struct seeds_file *file = user;

    if (!file->lines++ && str_starts(line, STR("\xEF\xBB\xBF")))
        line = str_skip(line, 3); /* a byte order mark */
    struct str text = str_trim(line);
    if (!text.len || text.ptr[0] == '#')
        return;
    const char *why = add_written(file->plan, text);
    if (why)
        complain("%s:%zu: skipped: %s", file->plan->options->seeds, file->lines,
                 why);
}

static int cannot_read_file(struct plan *plan)
{
    int why = errno;

    return complain("--seeds '%s': %s",
                    login_hide(&plan->arena, plan->options->seeds),
                    strerror(why));
}

int seeds_add_file(struct plan *plan)
{
    const struct options *options = plan->options;
    struct seeds_file file = {.plan = plan};

    if (!input_lines(options->seeds, add_line, &file))
        return cannot_read_file(plan);
    if (!plan->seed_count && !options->search && !options->sitemap.count)
        return complain("--seeds '%s' has no URL to start from",
                        options->seeds);
    return 0;
}

/* --- others ------------------------------------------------------------- */

void seeds_add_result(struct plan *plan, struct str url)
{
    struct page_link seed;

    if (!parse(plan, &seed, url) && !seed.not_html_name &&
        is_internal(plan, &seed))
        add(plan, &seed, false);
}

/* Before the crawl was stopped, seeds had redirected to these. */
static void add_moved(struct plan *plan)
{
    const struct facts_list *moved = &plan->record.facts.moved;
    enum scope_kind kind = plan_scope_kind(plan);
    struct page_link *links =
        arena_new(&plan->arena, (moved->count + 1) * sizeof(*links));
    size_t count = 0;

    for (size_t i = 0; i < moved->count; i++) {
        if (parse(plan, &links[count], str_of(moved->item[i])))
            continue;
        if (kind != SCOPE_KINDS)
            scope_add_seed(plan->scope, kind, &links[count].url);
        count++;
    }
    plan->crawl.moved = links;
    plan->crawl.moved_count = count;
}

void seeds_add_record(struct plan *plan)
{
    const struct facts *facts = &plan->record.facts;
    struct page_link seed;

    for (size_t i = 0; i < facts->seeds; i++)
        if ((plan->options->remembered || !facts->seed[i].named) &&
            !parse(plan, &seed, facts->seed[i].url))
            add(plan, &seed, facts->seed[i].named);
    add_moved(plan);
}

int seeds_plan_sitemaps(struct plan *plan)
{
    const struct list *sitemap = &plan->options->sitemap;

    plan->sitemaps =
        arena_new(&plan->arena, (sitemap->count + 1) * sizeof(*plan->sitemaps));
    for (size_t i = 0; i < sitemap->count; i++) {
        int status =
            plan_url(plan, "--sitemap", sitemap->item[i], &plan->sitemaps[i]);
        if (status)
            return status;
        trust_start(plan, &plan->sitemaps[i]);
    }
    return 0;
}

void seeds_scope_of_sitemaps(struct plan *plan)
{
    enum scope_kind kind = plan_scope_kind(plan);
    const struct url *url;

    for (size_t i = 0; !plan->seed_count && kind != SCOPE_KINDS &&
                       (url = plan_start(plan, i));
         i++)
        scope_add_seed(plan->scope, kind, url);
}

/* --- before any of them ------------------------------------------------- */

int seeds_check(struct plan *plan)
{
    const struct options *options = plan->options;
    int status = seeds_plan_sitemaps(plan);
    struct url url;

    if (!status && options->search)
        status = plan_url(plan, "--search-url", options->search_url, &url);
    if (!status && options->search && !strstr(options->search_url, "{query}"))
        status = complain("--search-url '%s' must have {query} in it",
                          login_hide(&plan->arena, options->search_url));
    if (!status && options->search && !options->search[0])
        status = complain("--search needs words to search for");
    if (!status && options->seeds && !options->remembered &&
        strcmp(options->seeds, "-") != 0 && access(options->seeds, R_OK))
        status = cannot_read_file(plan);
    return status;
}
