#include "testserver/tell.h"

#include <inttypes.h>
#include <stdio.h>

#include "testserver/address.h"
#include "testserver/truth.h"
#include "testserver/web_random.h"

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "playground: %s: %s\n", what, why);
    return 2;
}

static void print_found(void *context, uint64_t depth, struct str url,
                        const char *kind)
{
    (void)context;
    printf("%" PRIu64 "\t%.*s\t%s\n", depth, (int)url.len, url.ptr, kind);
}

static int tell_truth(const struct options *options, const struct web *web)
{
    struct truth_options truth_options = {
        .depth = options->depth,
        .ignore_robots = options->ignore_robots,
        .all = options->all,
    };

    if (!truth_parse_scope(str_of(options->scope), &truth_options.scope))
        return fail(options->scope, "a scope is prefix, host, domain or any");
    if (options->web.traps && options->depth == UINT64_MAX)
        return fail("--traps", "a web with traps has no end without --depth");
    for (size_t i = 0; i < options->start.count; i++) {
        const char *url = options->start.item[i];
        struct web_target *start = &truth_options.start[i];

        if (!truth_parse_url(web, str_of(url), start) ||
            (start->kind != WEB_PAGE && start->kind != WEB_REDIRECT))
            return fail(url, "not the URL of a page of this web");
        truth_options.start_count++;
    }
    if (!truth_options.start_count)
        truth_options.start[truth_options.start_count++] =
            (struct web_target){.kind = WEB_PAGE};
    truth(web, &truth_options, print_found, NULL);
    return 0;
}

static int tell_hosts(const struct web *web)
{
    static const char *const rules[] = {
        [WEB_NO_RULES] = "open",
        [WEB_NO_SECTION] = "section",
        [WEB_NO_SECTION_BUT] = "section-but",
        [WEB_NO_SECTION_HTML] = "section-html",
        [WEB_CLOSED] = "closed",
    };
    struct buf name;
    unsigned section;

    buf_init(&name, 100);
    for (uint32_t host = 0; host < web->options.hosts; host++) {
        buf_clear(&name);
        web_put_host(web, host, &name);
        printf("%s\td%" PRIu32 ".example\t%" PRIu64 "\t%s\n", buf_cstr(&name),
               web_domain(host), web_pages(web, host),
               rules[web_rules(web, host, &section)]);
    }
    buf_release(&name);
    return 0;
}

/* Which of `count` addresses a host is on. */
static int tell_connections(const struct options *options,
                            const struct web *web)
{
    struct address address;
    char text[HTTP_ADDRESS_TEXT];
    const char *problem = NULL;
    struct buf name;

    if (!address_parse(str_of(options->listen.item[0]), &address, &problem))
        return fail(options->listen.item[0], problem);
    if (!address_port(&address))
        return fail("--listen", "the port of the running server is needed");
    buf_init(&name, 100);
    for (uint32_t host = 0; host < web->options.hosts; host++) {
        uint64_t key = web_key(web, FOR_ADDRESS, host, 0);

        address_format(&address, (uint32_t)(key % address.count), text);
        buf_clear(&name);
        web_put_host(web, host, &name);
        printf("%s::%s\n", buf_cstr(&name), text);
    }
    buf_release(&name);
    return 0;
}

int tell_main(const struct options *options)
{
    struct web web;
    const char *problem = NULL;
    int status = 2;

    if (!web_init(&web, &options->web, &problem))
        return fail("--web", problem);
    switch (options->command) {
    case COMMAND_TRUTH:
        status = tell_truth(options, &web);
        break;
    case COMMAND_HOSTS:
        status = tell_hosts(&web);
        break;
    case COMMAND_CONNECT_TO:
        status = tell_connections(options, &web);
        break;
    case COMMAND_SERVE:
    case COMMAND_OUTCOMES:
        break;
    }
    web_release(&web);
    if (fflush(stdout) || ferror(stdout))
        return fail("standard output", "cannot be written");
    return status;
}
