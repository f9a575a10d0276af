#include "testserver/options.h"

#include <stddef.h>

#include "base/words.h"

enum kind { FLAG, TEXT, LIST, DURATION, NUMBER, SHARE };

enum {
    SERVE = COMMAND_SERVE,
    TRUTH = COMMAND_TRUTH,
    LISTS = COMMAND_HOSTS | COMMAND_CONNECT_TO,
    OUTCOMES = COMMAND_OUTCOMES,
    WEB = SERVE | TRUTH | LISTS,
};

struct option {
    const char *name;
    const char *value; /* its name in the help; NULL: the option takes none */
    enum kind kind;
    unsigned commands; /* the commands that have this option */
    size_t at;         /* offset in struct options */
    const char *help;
};

#define AT(member) offsetof(struct options, member)

// clang-format off
static const struct option table[] = {
    {"letters", NULL, FLAG, SERVE, AT(letters),
     "the letters site, under /tse/letters/"},
    {"root", "DIR", LIST, SERVE, AT(root),
     "the files of a directory (repeatable)"},
    {"site", "FILE", LIST, SERVE, AT(site),
     "a site described in a text file (repeatable)"},
    {"site-alone", "FILE", LIST, SERVE, AT(site_alone),
     "... on a port of its own, where no other --site is (repeatable)"},
    {"hostile", "FILE", TEXT, SERVE | OUTCOMES, AT(hostile),
     "a site of bad answers, with an index and healthy pages in between"},
    {"listen", "ADDR:PORT", LIST, SERVE | COMMAND_CONNECT_TO, AT(listen),
     "loopback address, port 0 is any free one (repeatable; 127.0.0.1:0)"},
    {"lifetime", "TIME", DURATION, SERVE, AT(lifetime_ms),
     "end after that time (600s); 0 is never"},
    {"record", "FILE", TEXT, SERVE, AT(record),
     "write one line for every request"},
    {"record-headers", NULL, FLAG, SERVE, AT(record_headers),
     "... with the whole request in the last column"},
    {"outlive-parent", NULL, FLAG, SERVE, AT(outlive_parent),
     "do not end with the process that started it"},
    {"dns", "PORT", TEXT, SERVE, AT(dns),
     "a name server on 127.0.0.1, UDP and TCP; port 0 is any free one"},
    {"dns-names", "FILE", TEXT, SERVE, AT(dns_names),
     "... names that do not just lead here, in a text file"},
    {"dns-delay", "TIME", DURATION, SERVE, AT(dns_delay_ms),
     "... that takes so long for each reply over UDP (0)"},
    {"dns-loss", "SHARE", SHARE, SERVE, AT(dns_loss),
     "... and does not answer some queries over UDP (0)"},
    {"dns-record", "FILE", TEXT, SERVE, AT(dns_record),
     "... and writes one line for every query"},

    {"web", "SEED", TEXT, WEB, AT(web.seed),
     "a synthetic web: any text is a seed"},
    {"hosts", "N", NUMBER, WEB, AT(web.hosts),
     "how many hosts (100)"},
    {"pages", "N", NUMBER, WEB, AT(web.pages),
     "how many pages on all of them (10000)"},
    {"skew", "N", NUMBER, WEB, AT(web.skew_percent),
     "pages fall with the N/100th power of the host's rank (100); 0: alike"},
    {"links", "N", NUMBER, WEB, AT(web.links),
     "random links a page, on average (12)"},
    {"size", "N", NUMBER, WEB, AT(web.size),
     "bytes a page, on average (8192)"},
    {"broken", "SHARE", SHARE, WEB, AT(web.broken),
     "dead links, for each page (2%)"},
    {"redirects", "SHARE", SHARE, WEB, AT(web.redirects),
     "redirects, for each page (3%)"},
    {"errors", "SHARE", SHARE, WEB, AT(web.errors),
     "URLs that answer 500 for ever, for each page (0.1%)"},
    {"files", "SHARE", SHARE, WEB, AT(web.files),
     "URLs of other MIME types, for each page (3%)"},
    {"slow", "SHARE", SHARE, WEB, AT(web.slow),
     "pages that are answered late (0.5%)"},
    {"slow-time", "TIME", DURATION, WEB, AT(web.slow_ms),
     "... by so much (200ms)"},
    {"flaky", "SHARE", SHARE, WEB, AT(web.flaky),
     "pages that answer 503 once (0.1%)"},
    {"limited", "SHARE", SHARE, WEB, AT(web.limited),
     "pages that answer 429 with Retry-After once (0.1%)"},
    {"gzip", "SHARE", SHARE, WEB, AT(web.gzip),
     "pages that are compressed if the client accepts it (30%)"},
    {"noindex", "SHARE", SHARE, WEB, AT(web.noindex),
     "pages with a meta robots noindex (0)"},
    {"nofollow", "SHARE", SHARE, WEB, AT(web.nofollow),
     "random links with rel=nofollow (0)"},
    {"rules", "SHARE", SHARE, WEB, AT(web.rules),
     "hosts whose robots.txt forbids something (30%)"},
    {"crawl-delay", "N", NUMBER, WEB, AT(web.crawl_delay_s),
     "... and asks for a pause of N seconds (0: none)"},
    {"traps", "SHARE", SHARE, WEB, AT(web.traps),
     "hosts with an endless calendar, path or session (0)"},

    {"start", "URL", LIST, TRUTH, AT(start),
     "where the crawl begins (repeatable; the first host's root)"},
    {"scope", "WORD", TEXT, TRUTH, AT(scope),
     "prefix, host, domain or any, of the start (any)"},
    {"depth", "N", NUMBER, TRUTH, AT(depth),
     "greatest depth (no limit)"},
    {"ignore-robots", NULL, FLAG, TRUTH, AT(ignore_robots),
     "the truth for a crawler that ignores robots.txt"},
    {"all", NULL, FLAG, TRUTH, AT(all),
     "also list URLs that are found and must not be saved"},

    {"help", NULL, FLAG, WEB | OUTCOMES, AT(help),
     "show this"},
};

static const struct {
    const char *name;
    enum command command;
} commands[] = {
    {"truth", COMMAND_TRUTH},
    {"hosts", COMMAND_HOSTS},
    {"connect-to", COMMAND_CONNECT_TO},
    {"outcomes", COMMAND_OUTCOMES},
};
// clang-format on

/* --- values ------------------------------------------------------------ */

bool play_share(struct str text, uint64_t *share)
{
    enum { PLACES = 6 };
    bool percent = str_ends(text, STR("%"));
    struct str_pair parts = str_cut(str_first(text, text.len - percent), '.');
    uint64_t whole = 0, fraction = 0, unit = percent ? 100 : 1;

    if (!str_to_u64(parts.head, &whole) || whole > unit ||
        parts.tail.len > PLACES)
        return false;
    if (parts.tail.len && !str_to_u64(parts.tail, &fraction))
        return false;
    for (size_t i = 0; i < PLACES; i++) {
        whole *= 10;
        unit *= 10;
        if (i >= parts.tail.len)
            fraction *= 10;
    }
    *share = (whole + fraction) * WEB_ALL / unit;
    return *share <= WEB_ALL;
}

/* --- the command line -------------------------------------------------- */

static const struct option *find(struct str name, enum command command)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if ((table[i].commands & command) &&
            str_eq(str_of(table[i].name), name))
            return &table[i];
    return NULL;
}

static bool set(struct options *options, const struct option *option,
                const char *value)
{
    void *at = (char *)options + option->at;
    struct str text = str_of(value ? value : "");

    switch (option->kind) {
    case FLAG:
        *(bool *)at = true;
        return true;
    case TEXT:
        *(const char **)at = value;
        return true;
    case LIST: {
        struct option_list *list = at;
        if (list->count == OPTIONS_MAX_LIST)
            return false;
        list->item[list->count++] = value;
        return true;
    }
    case DURATION:
        return value_duration_ms(text, at);
    case NUMBER:
        return value_size(text, at);
    case SHARE:
        return play_share(text, at);
    }
    return false;
}

/* Read one option; *argi moves past it and its value. */
static bool parse_one(int argc, char **argv, int *argi, struct options *options,
                      char problem[OPTIONS_PROBLEM])
{
    const char *arg = argv[(*argi)++];
    const char *equals = strchr(arg, '=');
    struct str name = str_of(arg);

    if (equals)
        name.len = (size_t)(equals - arg);
    const struct option *option = NULL;
    if (str_starts(name, STR("--")))
        option = find(str_skip(name, 2), options->command);
    if (!option) {
        snprintf(problem, OPTIONS_PROBLEM,
                 "'%.100s' is not an option here; --help lists them", arg);
        return false;
    }

    const char *value = equals ? equals + 1 : NULL;
    if (option->value && !value && *argi < argc)
        value = argv[(*argi)++];
    if (!option->value != !value) {
        snprintf(problem, OPTIONS_PROBLEM, "--%s takes %s%s", option->name,
                 option->value ? "a value: " : "no value",
                 option->value ? option->value : "");
        return false;
    }
    if (!set(options, option, value)) {
        snprintf(problem, OPTIONS_PROBLEM, "--%s: '%.100s' is no good value",
                 option->name, value);
        return false;
    }
    return true;
}

static enum command find_command(const char *word)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (!strcmp(commands[i].name, word))
            return commands[i].command;
    return COMMAND_SERVE;
}

/* A command that prints something of a web or a site needs that one. */
static bool has_its_source(const struct options *options,
                           char problem[OPTIONS_PROBLEM])
{
    bool of_hostile = options->command == COMMAND_OUTCOMES;

    if (options->command == COMMAND_SERVE || options->help)
        return true;
    if (of_hostile ? options->hostile : options->web.seed)
        return true;
    snprintf(problem, OPTIONS_PROBLEM, "%s is missing",
             of_hostile ? "--hostile FILE" : "--web SEED");
    return false;
}

bool play_parse(int argc, char **argv, struct options *options,
                char problem[OPTIONS_PROBLEM])
{
    int argi = 1;

    *options = (struct options){
        .command = argc > 1 ? find_command(argv[1]) : COMMAND_SERVE,
        .lifetime_ms = 600 * 1000,
        .scope = "any",
        .depth = UINT64_MAX,
    };
    web_defaults(&options->web);
    argi += options->command != COMMAND_SERVE;
    while (argi < argc)
        if (!parse_one(argc, argv, &argi, options, problem))
            return false;
    if (!options->listen.count)
        options->listen = (struct option_list){{"127.0.0.1:0"}, 1};
    return has_its_source(options, problem);
}

static void help_on(FILE *out, unsigned with, unsigned without,
                    const char *title)
{
    fprintf(out, "\n%s\n", title);
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        char left[32];

        if (!(table[i].commands & with) || (table[i].commands & without))
            continue;
        snprintf(left, sizeof(left), "--%s %s", table[i].name,
                 table[i].value ? table[i].value : "");
        fprintf(out, "  %-22s %s\n", left, table[i].help);
    }
}

void play_help(FILE *out)
{
    fputs("usage: playground [options]\n"
          "       playground truth --web SEED [options]\n"
          "       playground hosts --web SEED [options]\n"
          "       playground connect-to --web SEED --listen ADDR:PORT "
          "[options]\n"
          "       playground outcomes --hostile FILE\n\n"
          "A web server for tests, on loopback addresses only; and what a "
          "crawl of its\nsynthetic web must find, its hosts, and where they "
          "are; and how the fetches\nof a hostile site must end.\n",
          out);
    help_on(out, SERVE, TRUTH, "Serving:");
    help_on(out, TRUTH & WEB, 0, "The synthetic web, and its truth:");
}
