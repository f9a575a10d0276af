#include "cli/usage.h"

#include <stdarg.h>

#include "base/escape.h"
#include "cli/arguments.h"
#include "cli/filtering.h"
#include "cli/options.h"

enum { ERROR_MAX = 4096 };

/* --- the commands ------------------------------------------------------- */

struct command_row {
    const char *name;
    enum command command;
    int (*run)(const struct options *options);
    size_t arguments;
    const char *takes; /* the arguments, for a message; NULL: `run` counts */
    const char *synopsis;
    const char *help;
};

// clang-format off
static const struct command_row commands[] = {
    {"", COMMAND_CRAWL, command_crawl, 0, NULL,
     "[options] seedURL pageDirectory maxDepth\n"
     "       crawler [options] --search QUERY pageDirectory maxDepth\n"
     "       crawler [options] --seeds FILE pageDirectory maxDepth\n"
     "       crawler --resume pageDirectory",
     "Crawl from seedURL along links, maxDepth hops at most, and save every\n"
     "page in pageDirectory as 1, 2, 3, ... Without --internal or --scope the\n"
     "crawl is of the CS50 playground, http://cs50tse.cs.dartmouth.edu/tse/,\n"
     "and maxDepth is 0 to 10.\n"},
    {"status", COMMAND_STATUS, command_record, 1,
     "one argument, pageDirectory or the engine of a fleet (postgres://...)",
     "status [--json] pageDirectory\n"
     "       crawler status [--name NAME] postgres://...",
     "Tell how the crawl in pageDirectory is: finished, running or stopped, its\n"
     "pages and its queue, its failures by kind, what it waits for, its largest\n"
     "domains; or how a fleet is: its machines, partitions and mail.\n"},
    {"why", COMMAND_WHY, command_record, 2,
     "two arguments, pageDirectory or the engine of a fleet (postgres://...), and URL",
     "why pageDirectory URL\n"
     "       crawler why [-v] [--name NAME] postgres://... URL",
     "Tell why the crawl in pageDirectory, or that of a fleet, fetched or did not\n"
     "fetch URL.\n"},
    {"verify", COMMAND_VERIFY, command_record, 0, NULL,
     "verify pageDirectory\n"
     "       crawler verify [--name NAME] postgres://... [pageDirectory]",
     "Read it all again: pages, numbers, depths, pauses. Exit status 1 and a\n"
     "list where something is not as it was recorded. Of a fleet the record is\n"
     "read, and the page files of the machine whose directory is named.\n"},
    {"watch", COMMAND_WATCH, command_watch, 1,
     "one argument, pageDirectory",
     "watch pageDirectory",
     "Show the crawl that is at work in pageDirectory: its figures, its hosts and\n"
     "what each waits for, drawn again every second on a terminal.\n"},
    {"ctl", COMMAND_CTL, command_ctl, 0, NULL,
     "ctl pageDirectory pause|resume|stop|stop-now\n"
     "       crawler ctl pageDirectory delay HOST SECONDS|-\n"
     "       crawler ctl pageDirectory drop|retry HOST\n"
     "       crawler ctl pageDirectory exclude|allow PATTERN\n"
     "       crawler ctl pageDirectory seed URL",
     "Give an order to the crawl that is at work in pageDirectory: pause it, go\n"
     "on, stop it; change the pause of a host, drop it, try it again; refuse URLs\n"
     "that match a pattern, or let them through again; add a seed.\n"},
    {"export", COMMAND_EXPORT, command_export, 0, NULL,
     "export --format jsonl|csv|links|sitemap [--part N] pageDirectory\n"
     "       crawler export --format cdxj pageDirectory...|FILE...\n"
     "       crawler export --format wacz --output FILE pageDirectory...|FILE...\n"
     "       crawler export --format cdxj [--name NAME] postgres://...\n"
     "           [pageDirectory...]\n"
     "       crawler export --format wacz --output FILE [--name NAME] postgres://...\n"
     "           pageDirectory...\n"
     "       crawler export --format pages --output DIRECTORY pageDirectory|FILE...\n"
     "       crawler export --format jsonl|csv|links|sitemap postgres://...\n"
     "       crawler export --format sqlite --output FILE postgres://...",
     "Print the pages of a crawl, or its links if it was run with --links; or\n"
     "print the index of its archive, or write the archive into one file. WARC\n"
     "files of any program can be indexed and packaged too. The archives of a\n"
     "fleet's machines, whose engine stands before their page directories, make\n"
     "one index or one package. Page files can be made out of the archive of a\n"
     "crawl, of WACZ and of WARC files. The record of a fleet can be printed\n"
     "too, or written into a file of SQLite.\n"},
    {"report", COMMAND_REPORT, command_report, 1,
     "one argument, pageDirectory",
     "report [--format text|json|html|junit] [--output FILE]\n"
     "               [--fail-on KIND,...] [--check-external [--proxy URL]]\n"
     "               pageDirectory",
     "Tell what is wrong with the site that was crawled with --links: broken links\n"
     "with every page that has them, redirects, links to ids that are not there,\n"
     "pages that only the sitemap knows, equal pages and titles, mixed content,\n"
     "slow and large pages, links that robots.txt forbids.\n"},
    {"warc", COMMAND_WARC, command_warc, 0, NULL,
     "warc FILE...",
     "List the records of WARC files, one JSON object a line. Exit status 1 where\n"
     "a file is cut off or damaged.\n"},
    {"serve", COMMAND_SERVE, command_serve, 0, NULL,
     "serve [--port N] [--write-ca FILE] WHAT...",
     "Serve recorded pages on 127.0.0.1: a proxy that answers what was recorded\n"
     "and never asks the network. WHAT is a page directory of a crawl with\n"
     "--warc, a WACZ or WARC files. The page at the address that is printed\n"
     "says how to look at them.\n"},
    {"pause", COMMAND_FLEET, command_fleet_pause, 1,
     "one argument, the engine of a fleet (postgres://...)",
     "pause [--name NAME] postgres://...",
     "Let every machine of a fleet end its fetches and wait, also machines that\n"
     "come later, until crawler continue.\n"},
    {"continue", COMMAND_FLEET, command_fleet_continue, 1,
     "one argument, the engine of a fleet (postgres://...)",
     "continue [--name NAME] postgres://...",
     "Let a fleet go on that was told to pause or to stop.\n"},
    {"stop", COMMAND_FLEET, command_fleet_stop, 1,
     "one argument, the engine of a fleet (postgres://...)",
     "stop [--name NAME] postgres://...",
     "Let every machine of a fleet leave; crawler continue takes that back.\n"},
    {"lost", COMMAND_FLEET, command_fleet_lost, 2,
     "two arguments, the engine of a fleet (postgres://...) and a machine",
     "lost [--name NAME] postgres://... MACHINE",
     "Tell a fleet that the page files of a machine are gone: its pages are\n"
     "fetched again. The machine must not be at work.\n"},
    {"add", COMMAND_ADD, command_fleet_add, 0, NULL,
     "add [--name NAME] [--seeds FILE] postgres://... [URL...]",
     "Give a fleet more seeds, also one that is finished: it goes on when machines\n"
     "join again.\n"},
    {"url", COMMAND_URL, command_url, 0,
     "no argument (references are read from standard input, one a line)",
     "url [--base URL] [--strip-query KEYS] [--check RULE...]",
     "Read references from standard input, one a line, and print each as the\n"
     "URL that would be fetched, or '!' and the reason. With --check also print\n"
     "whether --include and --exclude let it in: included, excluded or\n"
     "undecided, the rule that decides ('-' for none), the URL.\n"},
    {"links", COMMAND_LINKS, command_links, 1,
     "one argument, FILE ('-' is standard input)",
     "links [--base URL] [--charset LABEL] [--xhtml] [--json] FILE",
     "Print the links of an HTML file ('-' is standard input) as a crawl\n"
     "would see them: absolute, in document order, repeats included.\n"},
    {"robots", COMMAND_ROBOTS, command_robots, 1,
     "one argument, FILE (URLs are read from standard input, one a line)",
     "robots [--agent TOKEN] [-U TEXT] FILE",
     "Read URLs from standard input, one a line, and print what the robots.txt\n"
     "in FILE says of each: allow or disallow, the number of the line that\n"
     "decided (0 for none), the URL.\n"},
    {"completion", COMMAND_COMPLETION, command_completion, 1,
     "one argument, bash, zsh or fish",
     "completion bash|zsh|fish",
     "Print the script that makes this shell complete commands and options.\n"},
};
// clang-format on

const char *usage_command(size_t number, unsigned *command, const char **help)
{
    if (number >= ARRAY_LEN(commands))
        return NULL;
    *command = commands[number].command;
    *help = commands[number].help;
    return commands[number].name;
}

static const char crawl_end_text[] =
    "\n"
    "Durations: 500ms, 10s, 5m, 2h. Sizes: 64K, 16M. The value none lifts a\n"
    "limit that may have it, also when a crawl goes on.\n"
    "Exit status: 0 finished; 1 cannot go on; 2 wrong arguments; 3 stopped\n"
    "before the end; 4 not a single page. See crawler(1) for the rest.\n";

/* --- running one -------------------------------------------------------- */

/* The user's own words are part of it; terminal_vline() keeps it one line. */
int complain(const char *format, ...)
{
    va_list args;

    fputs("crawler: ", stderr);
    va_start(args, format);
    terminal_vline(stderr, format, args);
    va_end(args);
    return EXIT_USAGE;
}

static void print_help(const struct command_row *row)
{
    bool crawl = row->command == COMMAND_CRAWL;

    printf("usage: crawler %s\n", row->synopsis);
    for (size_t i = 1; crawl && i < ARRAY_LEN(commands); i++)
        printf("       crawler %s\n", commands[i].synopsis);
    printf("\n%s", row->help);
    options_print_help(stdout, row->command);
    if (crawl)
        fputs(crawl_end_text, stdout);
}

static int run(const struct command_row *row, struct options *options)
{
    if (options->help) {
        print_help(row);
        return 0;
    }
    if (options->version) {
        puts("crawler " CRAWLER_VERSION);
        return 0;
    }
    if (row->takes && options->argument_count != row->arguments)
        return complain("%s takes %s, not %zu", row->name, row->takes,
                        options->argument_count);
    int status = filtering_read_files(options);
    return status ? status : row->run(options);
}

int usage_run(const struct arguments *arguments)
{
    int argc = arguments->count;
    char *const *argv = arguments->words;
    const struct command_row *row = &commands[0];
    struct options options = {0};
    struct buf error;

    for (size_t i = 1; i < ARRAY_LEN(commands) && argc > 1; i++)
        if (!strcmp(argv[1], commands[i].name))
            row = &commands[i];
    /* The first word is the command's name, unless it is a crawl; none at all
     * may have been given, not even the program's name. */
    int words = argc < 1 ? 0 : 1 + (row != &commands[0]);
    buf_init(&error, ERROR_MAX);
    bool good = options_parse(&options, row->command, argc - words,
                              argv + words, &error);
    options.arguments = arguments;
    int status = good ? run(row, &options) : complain("%s", buf_cstr(&error));
    if (!status && (fflush(stdout) || ferror(stdout))) {
        perror("crawler: cannot write");
        status = 1;
    }
    buf_release(&error);
    options_release(&options);
    return status;
}
