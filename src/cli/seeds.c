#include "cli/seeds.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/usage.h"

/* A place where the user wants to start. Its URL's own login goes before that
 * of --user. */
static void name_start(struct plan *plan, const struct options *options,
                       const struct url *url)
{
    origins_add(&plan->origins, url);
    if (options->user && !origins_login(&plan->origins, url)) {
        struct login login = login_read(&plan->arena, str_of(options->user));
        origins_add_login(&plan->origins, url, &login);
    }
}

/* Only what the user wrote is named; a search result is not. */
static void add(struct plan *plan, const struct options *options,
                const struct page_link *seed, bool named)
{
    enum scope_kind kind = plan_scope_kind(options);

    if (plan->seed_count == plan->seed_room) {
        plan->seed_room = plan->seed_room ? 2 * plan->seed_room : 16;
        plan->seeds =
            mem_resize(plan->seeds, plan->seed_room * sizeof(*plan->seeds));
    }
    plan->seeds[plan->seed_count++] = *seed;
    if (kind != SCOPE_KINDS)
        scope_add_seed(plan->scope, kind, &seed->url);
    if (named)
        name_start(plan, options, &seed->url);
}

/* A seed that makes its own scope need not be in one. */
static bool is_internal(const struct plan *plan, const struct options *options,
                        const struct page_link *seed)
{
    return plan_scope_kind(options) != SCOPE_KINDS ||
           scope_contains(plan->scope, &seed->url);
}

/* "example.org", "localhost:8080/path", "[::1]/": a host where a URL should
 * begin. A word without a dot is rather a mistake. */
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

static enum err parse(struct plan *plan, struct page_link *seed,
                      struct str text)
{
    return pagescanner_link(seed, &plan->arena, text, NULL, NULL,
                            &plan->crawl.worker.scan);
}

/* The same for what a person wrote, who may leave http:// out and put a login
 * in; in the course's contract a URL with a login is another one. */
static enum err parse_written(struct plan *plan, const struct options *options,
                              struct page_link *seed, struct str text,
                              struct login *login)
{
    struct buf whole;

    *login = (struct login){0};
    if (!plan_is_course(options))
        login_cut(&plan->arena, text, &text, login);
    if (!begins_with_host(text))
        return parse(plan, seed, text);
    buf_init(&whole, URL_LEN_MAX);
    enum err err = buf_put(&whole, STR("http://")) && buf_put(&whole, text)
                       ? parse(plan, seed, buf_str(&whole))
                       : ERR_URL_TOO_LONG;
    buf_release(&whole);
    return err;
}

static bool add_login(struct plan *plan, const struct page_link *seed,
                      const struct login *login)
{
    return !login->name.ptr ||
           origins_add_login(&plan->origins, &seed->url, login);
}

int seeds_add_argument(struct plan *plan, const struct options *options,
                       const char *text)
{
    const char *shown = login_hide(&plan->arena, text);
    struct page_link seed;
    struct login login = {0};
    /* The course's contract takes whole URLs only. */
    enum err err =
        plan_is_course(options)
            ? parse(plan, &seed, str_of(text))
            : parse_written(plan, options, &seed, str_of(text), &login);

    if (err)
        return complain("seedURL '%s' cannot be crawled: %s", shown,
                        err_message(err));
    if (seed.not_html_name)
        return complain("seedURL '%s' does not have the name of an HTML "
                        "page; --scope or --internal crawl any name",
                        shown);
    if (!is_internal(plan, options, &seed))
        return complain("seedURL '%s' is not internal: it must begin with "
                        "%s",
                        shown,
                        plan_is_course(options) ? COURSE_PREFIX
                            "; --scope or --internal crawl elsewhere"
                                                : "a prefix of --internal");
    if (!add_login(plan, &seed, &login))
        return complain("seedURL '%s' and an option have two names or "
                        "passwords for the same origin",
                        shown);
    add(plan, options, &seed, true);
    return 0;
}

/* --- a file ------------------------------------------------------------- */

static const char *why_not(struct plan *plan, const struct options *options,
                           struct page_link *seed, struct str text)
{
    struct login login;
    enum err err = parse_written(plan, options, seed, text, &login);

    if (err)
        return err_message(err);
    if (seed->not_html_name)
        return "not the name of an HTML page";
    if (!is_internal(plan, options, seed))
        return "not internal";
    if (!add_login(plan, seed, &login))
        return "another name or password for an origin that has one";
    return NULL;
}

static void add_line(struct plan *plan, const struct options *options,
                     struct str line, size_t number)
{
    struct page_link seed;

    if (number == 1 && str_starts(line, STR("\xEF\xBB\xBF")))
        line = str_skip(line, 3); /* a byte order mark */
    struct str text = str_trim(line);
    if (!text.len || text.ptr[0] == '#')
        return;
    const char *why = why_not(plan, options, &seed, text);
    if (why)
        complain("%s:%zu: skipped: %s", options->seeds, number, why);
    else
        add(plan, options, &seed, true);
}

int seeds_add_file(struct plan *plan, const struct options *options)
{
    bool is_stdin = !strcmp(options->seeds, "-");
    FILE *file = is_stdin ? stdin : fopen(options->seeds, "r");
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    if (!file)
        return complain("--seeds '%s': %s", options->seeds, strerror(errno));
    for (size_t number = 1; (len = getline(&line, &room, file)) >= 0; number++)
        add_line(plan, options, (struct str){line, (size_t)len}, number);
    bool good = !ferror(file);
    int why = errno;
    free(line);
    if (!is_stdin)
        fclose(file);
    if (!good)
        return complain("--seeds '%s': %s", options->seeds, strerror(why));
    if (!plan->seed_count && !options->search && !options->sitemap.count)
        return complain("--seeds '%s' has no URL to start from",
                        options->seeds);
    return 0;
}

void seeds_add_result(struct plan *plan, const struct options *options,
                      struct str url)
{
    struct page_link seed;

    if (!parse(plan, &seed, url) && !seed.not_html_name &&
        is_internal(plan, options, &seed))
        add(plan, options, &seed, false);
}

void seeds_add_record(struct plan *plan, const struct options *options)
{
    const struct facts *facts = &plan->record.facts;
    struct page_link seed;

    for (size_t i = 0; i < facts->seeds; i++)
        if ((options->remembered || !facts->seed[i].named) &&
            !parse(plan, &seed, facts->seed[i].url))
            add(plan, options, &seed, facts->seed[i].named);
}

/* --- before any of them ------------------------------------------------- */

static int check_url(struct plan *plan, const char *option, const char *text,
                     struct url *url)
{
    enum err err = url_parse(url, &plan->arena, str_of(text), NULL, NULL);

    if (err)
        return complain("%s '%s': %s", option, login_hide(&plan->arena, text),
                        err_message(err));
    origins_add(&plan->origins, url);
    return 0;
}

static int check_sitemaps(struct plan *plan, const struct options *options)
{
    struct url url;

    for (size_t i = 0; i < options->sitemap.count; i++) {
        int status =
            check_url(plan, "--sitemap", options->sitemap.item[i], &url);
        if (status)
            return status;
        name_start(plan, options, &url);
    }
    return 0;
}

void seeds_add_sitemaps_to(struct scope *scope, enum scope_kind kind,
                           const struct options *options)
{
    struct arena arena;
    struct url url;

    arena_init(&arena);
    for (size_t i = 0; i < options->sitemap.count; i++)
        if (!url_parse(&url, &arena, str_of(options->sitemap.item[i]), NULL,
                       NULL))
            scope_add_seed(scope, kind, &url);
    arena_release(&arena);
}

void seeds_scope_of_sitemaps(struct plan *plan, const struct options *options)
{
    enum scope_kind kind = plan_scope_kind(options);

    if (!plan->seed_count && kind != SCOPE_KINDS)
        seeds_add_sitemaps_to(plan->scope, kind, options);
}

int seeds_check(struct plan *plan, const struct options *options)
{
    int status = check_sitemaps(plan, options);
    struct url url;

    if (!status && options->search)
        status = check_url(plan, "--search-url", options->search_url, &url);
    if (!status && options->search && !strstr(options->search_url, "{query}"))
        status = complain("--search-url '%s' must have {query} in it",
                          login_hide(&plan->arena, options->search_url));
    if (!status && options->search && !options->search[0])
        status = complain("--search needs words to search for");
    if (!status && options->seeds && !options->remembered &&
        strcmp(options->seeds, "-") != 0 && access(options->seeds, R_OK))
        status = complain("--seeds '%s': %s", options->seeds, strerror(errno));
    return status;
}
