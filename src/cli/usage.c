#include "cli/usage.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/terminal.h"
#include "cli/commands.h"

enum { ERROR_MAX = 4096 };

/* What the user typed is part of it, and it must stay one line. */
int complain(const char *format, ...)
{
    va_list args;

    fputs("crawler: ", stderr);
    va_start(args, format);
    terminal_vline(stderr, format, args);
    va_end(args);
    return EXIT_USAGE;
}

static const char crawl_text[] =
    "usage: crawler [options] seedURL pageDirectory maxDepth\n"
    "       crawler url [--base URL]\n"
    "       crawler [options] --search QUERY pageDirectory maxDepth\n"
    "       crawler [options] --seeds FILE pageDirectory maxDepth\n"
    "       crawler links [--base URL] [--charset LABEL] [--xhtml] [--json] "
    "FILE\n"
    "       crawler --resume pageDirectory\n"
    "       crawler status pageDirectory\n"
    "       crawler why pageDirectory URL\n"
    "       crawler verify pageDirectory\n"
    "       crawler export --format FORMAT pageDirectory\n"
    "       crawler robots [--agent TOKEN] [-U TEXT] FILE\n"
    "\n"
    "Crawl from seedURL along links, maxDepth hops at most, and save every\n"
    "page in pageDirectory as 1, 2, 3, ... Without --internal or --scope the\n"
    "crawl is of the CS50 playground, http://cs50tse.cs.dartmouth.edu/tse/,\n"
    "and maxDepth is 0 to 10.\n";

static const char crawl_end_text[] =
    "\n"
    "Durations: 500ms, 10s, 5m, 2h. Sizes: 64K, 16M. A limit that may be none\n"
    "can be lifted so, also when a crawl goes on.\n"
    "Exit status: 0 finished; 1 cannot go on; 2 wrong arguments; 3 stopped\n"
    "before the end; 4 not a single page. See crawler(1) for the rest.\n";

static const char url_text[] =
    "usage: crawler url [--base URL]\n"
    "\n"
    "Read references from standard input, one a line, and print each as the\n"
    "URL that would be fetched, or '!' and the reason.\n";

static const char links_text[] =
    "usage: crawler links [--base URL] [--charset LABEL] [--xhtml] [--json] "
    "FILE\n"
    "\n"
    "Print the links of an HTML file ('-' is standard input) as a crawl\n"
    "would see them: absolute, in document order, repeats included.\n";

static const char robots_text[] =
    "usage: crawler robots [--agent TOKEN] [-U TEXT] FILE\n"
    "\n"
    "Read URLs from standard input, one a line, and print what the robots.txt\n"
    "in FILE says of each: allow or disallow, the number of the line that\n"
    "decided (0 for none), the URL.\n";

static const char status_text[] =
    "usage: crawler status pageDirectory\n"
    "\n"
    "Tell how the crawl in pageDirectory is: finished, running or stopped, "
    "its\n"
    "pages and its queue, what it waits for, its largest domains.\n";

static const char why_text[] =
    "usage: crawler why pageDirectory URL\n"
    "\n"
    "Tell why the crawl in pageDirectory fetched or did not fetch URL.\n";

static const char verify_text[] =
    "usage: crawler verify pageDirectory\n"
    "\n"
    "Read it all again: pages, numbers, depths, pauses. Exit status 1 and a\n"
    "list where something is not as it was recorded.\n";

static const char export_text[] =
    "usage: crawler export --format jsonl|csv|links|sitemap [--part N]\n"
    "       pageDirectory\n"
    "\n"
    "Print the pages of a crawl, or its links if it was run with --links.\n";

static const char *text_of(enum command command)
{
    switch (command) {
    case COMMAND_URL:
        return url_text;
    case COMMAND_LINKS:
        return links_text;
    case COMMAND_ROBOTS:
        return robots_text;
    case COMMAND_STATUS:
        return status_text;
    case COMMAND_WHY:
        return why_text;
    case COMMAND_VERIFY:
        return verify_text;
    case COMMAND_EXPORT:
        return export_text;
    default:
        return crawl_text;
    }
}

static void print_help(enum command command)
{
    fputs(text_of(command), stdout);
    options_print_help(stdout, command);
    if (command == COMMAND_CRAWL)
        fputs(crawl_end_text, stdout);
}

int usage_flush(int status)
{
    if (!fflush(stdout) || status)
        return status;
    perror("crawler: cannot write");
    return 1;
}

int usage_run(enum command command, int argc, char *const argv[],
              int (*run)(const struct options *options))
{
    struct options options;
    struct buf error;
    int status = 0;

    buf_init(&error, ERROR_MAX);
    if (!options_parse(&options, command, argc, argv, &error))
        status = complain("%s", buf_cstr(&error));
    else if (options.help)
        print_help(command);
    else if (options.help_man)
        options_print_man(stdout, command);
    else if (options.version)
        puts("crawler " CRAWLER_VERSION);
    else
        status = run(&options);
    if (!status && (fflush(stdout) || ferror(stdout))) {
        perror("crawler: cannot write");
        status = 1;
    }
    buf_release(&error);
    options_release(&options);
    return status;
}
