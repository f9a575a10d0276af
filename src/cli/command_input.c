#include <errno.h>
#include <stdio.h>

#include "base/escape.h"
#include "base/json.h"
#include "cli/filtering.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/usage.h"
#include "page/pagescanner.h"
#include "web/robots.h"

enum { HTML_MAX = 1 << 30, ROBOTS_MAX = 16 << 20, LINE_MAX_LEN = 256 * 1024 };

/* The value of --base; without one `*url` is empty. Status 0, or another after
 * one line. */
static int parse_base(const struct options *options, struct arena *arena,
                      struct url *url)
{
    *url = (struct url){0};
    if (!options->base)
        return 0;
    enum err err = url_parse(url, arena, str_of(options->base), NULL, NULL);
    return err ? complain("--base '%s': %s", login_hide(arena, options->base),
                          err_message(err))
               : 0;
}

static int cannot_read(const struct options *options)
{
    struct arena arena;
    int why = errno;

    arena_init(&arena);
    complain("%s: %s", login_hide(&arena, options->argument[0]), strerror(why));
    arena_release(&arena);
    return EXIT_USAGE;
}

/* --- lines of standard input -------------------------------------------- */

/* They are resolved against `base`, if there is one, and looked up in `robots`
 * or judged by `filter`, if there is one. */
struct url_lines {
    const struct url *base;
    const struct robots *robots;
    struct filter *filter;
    const struct query_keys *strip;
    struct arena arena;
};

static void print_checked(struct filter *filter, struct str href)
{
    static const char *const words[] = {
        [FILTER_INCLUDED] = "included",
        [FILTER_EXCLUDED] = "excluded",
        [FILTER_UNDECIDED] = "undecided",
    };
    struct filter_answer answer = filter_judge(filter, href);

    printf("%s\t", words[answer.verdict]);
    if (answer.pattern.ptr)
        printf("%s %.*s", filter_option(answer.kind), STR_ARGS(answer.pattern));
    else
        fputs("-", stdout);
    printf("\t%.*s\n", STR_ARGS(href));
}

static void print_url(void *user, struct str line)
{
    struct url_lines *lines = user;
    struct url url;
    unsigned rule = 0;

    arena_clear(&lines->arena);
    enum err err = url_parse(&url, &lines->arena, line, lines->base, NULL);
    if (!err && lines->strip)
        query_strip(lines->strip, &url, &lines->arena);
    if (err) {
        printf("! %s\n", err_message(err));
    } else if (lines->filter) {
        print_checked(lines->filter, url.href);
    } else if (!lines->robots) {
        printf("%.*s\n", STR_ARGS(url.href));
    } else {
        bool allowed =
            robots_allows(lines->robots, url_path_query(&url), &rule);
        printf("%s\t%u\t%.*s\n", allowed ? "allow" : "disallow", rule,
               STR_ARGS(line));
    }
}

static int print_urls(struct url_lines *lines)
{
    arena_init(&lines->arena);
    bool good = input_lines("-", print_url, lines);
    if (!good)
        perror("crawler: cannot read standard input");
    arena_release(&lines->arena);
    return good ? 0 : 1;
}

/* --- crawler url: references in, URLs as they would be fetched out ------- */

static int check_rules(const struct options *options)
{
    if (options->check && !filtering_has_rules(options))
        return complain("--check needs --include or --exclude");
    if (!options->check && filtering_has_rules(options))
        return complain("--include and --exclude need --check here");
    return 0;
}

int command_url(const struct options *options)
{
    struct filter *filter = NULL;
    struct query_keys *strip = NULL;
    struct arena arena;
    struct url base;

    arena_init(&arena);
    int status = parse_base(options, &arena, &base);
    if (!status)
        status = check_rules(options);
    if (!status)
        status = filtering_make(options, &filter, &strip);
    if (!status)
        status = print_urls(&(struct url_lines){
            .base = base.href.len ? &base : NULL,
            .filter = filter,
            .strip = strip,
        });
    filter_free(filter);
    query_keys_free(strip);
    arena_release(&arena);
    return status;
}

/* --- crawler links: HTML in, its links as a crawl would see them out ----- */

static void print_json(struct buf *line, const struct page_link *link)
{
    buf_clear(line);
    json_open(line, NULL);
    json_add_str(line, "url", link->url.href);
    json_add_str(line, "kind", str_of(html_link_kind_name(link->html->kind)));
    json_add_str(line, "text", link->html->text);
    json_add_str(line, "rel", str_first(link->html->rel, LINE_MAX_LEN / 8));
    json_close(line);
    buf_put_char(line, '\n');
    fwrite(line->ptr, 1, line->len, stdout);
}

static void print_links(struct webpage *page, bool json)
{
    const struct scan_options scan = {.want_text = json};
    struct buf line;

    pagescanner_scan(page, &scan);
    buf_init(&line, LINE_MAX_LEN);
    for (size_t i = 0; i < page->links.count; i++) {
        const struct page_link *link = &page->links.link[i];
        if (json)
            print_json(&line, link);
        else
            printf("%.*s\n", STR_ARGS(link->url.href));
    }
    buf_release(&line);
    if (page->links.baseless)
        terminal_line(stderr,
                      "crawler: %zu relative link%s left out; --base URL "
                      "says what they are relative to",
                      page->links.baseless,
                      page->links.baseless == 1 ? "" : "s");
}

/* Set what a server would have said: the URL of the page, its type and its
 * charset. Status 0, or another after one line. */
static int set_context(struct webpage *page, const struct options *options)
{
    struct exchange *exchange = &page->exchange;
    const char *charset = options->charset;
    struct url base;
    int status = parse_base(options, &page->arena, &base);

    page->url = base.href;
    if (options->xhtml)
        snprintf(exchange->mime, sizeof(exchange->mime),
                 "application/xhtml+xml");
    if (!charset || status)
        return status;
    if (!charset_find(str_of(charset)) || strlen(charset) > CHARSET_LABEL_MAX)
        return complain("--charset '%s' is no label of an encoding",
                        login_hide(&page->arena, charset));
    snprintf(exchange->charset_label, sizeof(exchange->charset_label), "%s",
             charset);
    return 0;
}

int command_links(const struct options *options)
{
    struct webpage page;
    struct buf html;

    webpage_init(&page);
    page.want_links = true;
    buf_init(&html, HTML_MAX);
    int status = set_context(&page, options);
    if (!status && !input_read(options->argument[0], &html))
        status = cannot_read(options);
    if (!status) {
        page.exchange.body = buf_str(&html);
        print_links(&page, options->json);
    }
    buf_release(&html);
    webpage_release(&page);
    return status;
}

/* --- crawler robots: a robots.txt and URLs in, what it says of each out -- */

/* The name that a crawl with these options would have; empty if none. */
static struct str agent_of(const struct options *options)
{
    if (options->agent)
        return str_of(options->agent);
    return options->user_agent ? robots_token_of(str_of(options->user_agent))
                               : STR("crawler");
}

int command_robots(const struct options *options)
{
    struct str agent = agent_of(options);
    struct buf file;
    int status;

    if (!agent.len && !options->agent)
        return complain("the User-Agent '%s' has no name that robots.txt could "
                        "have, of letters, '-' and '_'; give one with --agent",
                        options->user_agent);
    buf_init(&file, ROBOTS_MAX);
    if (input_read(options->argument[0], &file)) {
        struct robots *robots = robots_new(buf_str(&file), agent);
        status = print_urls(&(struct url_lines){.robots = robots});
        robots_free(robots);
    } else {
        status = cannot_read(options);
    }
    buf_release(&file);
    return status;
}
