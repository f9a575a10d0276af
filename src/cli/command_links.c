#include <errno.h>
#include <stdio.h>

#include "base/json.h"
#include "base/terminal.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/usage.h"
#include "page/pagescanner.h"

/* crawler links: an HTML file in, its links as a crawl would offer them out. */

enum { FILE_MAX = 1 << 30, LINE_MAX_LEN = 256 * 1024 };

static void print_json(struct buf *line, const struct page_link *link)
{
    buf_clear(line);
    buf_put(line, STR("{\"url\":"));
    json_put_str(line, link->url.href);
    buf_printf(line, ",\"kind\":\"%s\",\"text\":",
               html_link_kind_name(link->html->kind));
    json_put_str(line, link->html->text);
    buf_put(line, STR(",\"rel\":"));
    json_put_str(line, str_first(link->html->rel, LINE_MAX_LEN / 8));
    buf_put(line, STR("}\n"));
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
            printf("%.*s\n", (int)link->url.href.len, link->url.href.ptr);
    }
    buf_release(&line);
    if (page->links.baseless)
        terminal_line(stderr,
                      "crawler: %zu relative link%s left out; --base URL "
                      "says what they are relative to",
                      page->links.baseless,
                      page->links.baseless == 1 ? "" : "s");
}

/* What the HTTP header and the address line would have said. */
static bool set_context(struct webpage *page, const struct options *options)
{
    struct url base;

    if (options->base) {
        enum err err =
            url_parse(&base, &page->arena, str_of(options->base), NULL, NULL);
        if (err) {
            complain("--base '%s': %s", options->base, err_message(err));
            return false;
        }
        page->url = base.href;
    }
    if (options->xhtml)
        snprintf(page->exchange.mime, sizeof(page->exchange.mime),
                 "application/xhtml+xml");
    if (options->charset) {
        if (!charset_find(str_of(options->charset)) ||
            strlen(options->charset) > CHARSET_LABEL_MAX) {
            complain("--charset '%s' is no label of an encoding",
                     options->charset);
            return false;
        }
        snprintf(page->exchange.charset_label,
                 sizeof(page->exchange.charset_label), "%s", options->charset);
    }
    return true;
}

static int run(const struct options *options)
{
    struct webpage page;
    struct buf html;
    int status = 0;

    if (options->argument_count != 1)
        return complain("links needs one FILE ('-' is standard input), "
                        "not %zu arguments",
                        options->argument_count);
    webpage_init(&page);
    page.want_links = true;
    buf_init(&html, FILE_MAX);
    if (!set_context(&page, options)) {
        status = EXIT_USAGE;
    } else if (!input_read(options->argument[0], &html)) {
        status = complain("%s: %s", options->argument[0], strerror(errno));
    } else {
        page.exchange.body = buf_str(&html);
        print_links(&page, options->json);
    }
    buf_release(&html);
    webpage_release(&page);
    return usage_flush(status);
}

int command_links(int argc, char *const argv[])
{
    return usage_run(COMMAND_LINKS, argc, argv, run);
}
