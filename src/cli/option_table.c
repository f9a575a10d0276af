#include "cli/option_table.h"

#include <stddef.h>

#define AT(field) offsetof(struct options, field)

enum { DAY_MS = 24 * 3600 * 1000 };

// clang-format off
const struct option_row option_table[] = {
    {"internal", 0, OPTION_LIST, AT(internal), COMMAND_CRAWL, "What to crawl",
     .argument = "PREFIX",
     .help = "crawl URLs that begin with PREFIX; may be repeated"},
    {"scope", 0, OPTION_CHOICE, AT(scope), COMMAND_CRAWL, "What to crawl",
     .argument = "SCOPE", .choices = "|prefix|host|domain|any",
     .help = "crawl the seed's directory (prefix), host, registrable domain, or anything (any)"},
    {"max-pages", 0, OPTION_COUNT, AT(max_pages), COMMAND_CRAWL, "What to crawl",
     .argument = "N", .min = 1, .max = UINT64_MAX,
     .help = "stop after N pages are saved"},
    {"max-time", 0, OPTION_DURATION, AT(max_time_ms), COMMAND_CRAWL, "What to crawl",
     .argument = "D", .min = 1, .max = UINT64_MAX,
     .help = "stop after this long"},
    {"max-size", 0, OPTION_SIZE, AT(max_size), COMMAND_CRAWL, "What to crawl",
     .argument = "S", .initial = "16M", .min = 1, .max = (uint64_t)1 << 31,
     .help = "do not save pages larger than S"},
    {"max-redirects", 0, OPTION_COUNT, AT(max_redirects), COMMAND_CRAWL, "What to crawl",
     .argument = "N", .initial = "10", .max = 100,
     .help = "follow at most N redirects in a row"},

    {"delay", 0, OPTION_DURATION, AT(delay_ms), COMMAND_CRAWL, "How fast",
     .argument = "D", .initial = "1s", .max = DAY_MS,
     .help = "pause between two fetches from a host"},
    {"per-host", 0, OPTION_COUNT, AT(per_host), COMMAND_CRAWL, "How fast",
     .argument = "N", .initial = "1", .min = 1, .max = 1000,
     .help = "fetches in flight per host"},
    {"workers", 0, OPTION_COUNT, AT(workers), COMMAND_CRAWL, "How fast",
     .argument = "N", .initial = "80", .min = 1, .max = 10000,
     .help = "fetches in flight over all hosts"},
    {"threads", 0, OPTION_COUNT, AT(threads), COMMAND_CRAWL, "How fast",
     .argument = "N", .min = 1, .max = 256,
     .help = "worker threads; one per core by default"},
    {"timeout", 0, OPTION_DURATION, AT(timeout_ms), COMMAND_CRAWL, "How fast",
     .argument = "D", .initial = "30s", .min = 1, .max = DAY_MS,
     .help = "give a fetch up after this long"},
    {"retries", 0, OPTION_COUNT, AT(retries), COMMAND_CRAWL, "How fast",
     .argument = "N", .initial = "2", .max = 100,
     .help = "try again after network errors and 5xx, with growing pauses"},

    {"user-agent", 'U', OPTION_TEXT, AT(user_agent), COMMAND_CRAWL, "What to send",
     .argument = "TEXT",
     .help = "send this User-Agent instead of crawler/VERSION (+CONTACT)"},
    {"contact", 0, OPTION_TEXT, AT(contact), COMMAND_CRAWL, "What to send",
     .argument = "TEXT",
     .help = "whom a site's owner can ask; default is $EMAIL, else user@host"},
    {"header", 'H', OPTION_LIST, AT(headers), COMMAND_CRAWL, "What to send",
     .argument = "'NAME: VALUE'",
     .help = "send this header too; may be repeated"},

    {"proxy", 0, OPTION_TEXT, AT(proxy), COMMAND_CRAWL, "How to connect",
     .argument = "URL",
     .help = "fetch through this proxy (http, https, socks5)"},
    {"connect-to", 0, OPTION_LIST, AT(connect_to), COMMAND_CRAWL, "How to connect",
     .argument = "HOST1:PORT1:HOST2:PORT2",
     .help = "connect to HOST2:PORT2 instead; empty parts match all; may be repeated"},
    {"cacert", 0, OPTION_TEXT, AT(cacert), COMMAND_CRAWL, "How to connect",
     .argument = "FILE",
     .help = "trust the certificates in FILE"},
    {"insecure", 0, OPTION_FLAG, AT(insecure), COMMAND_CRAWL, "How to connect",
     .help = "do not verify certificates"},
    {"allow-private", 0, OPTION_FLAG, AT(allow_private), COMMAND_CRAWL, "How to connect",
     .help = "connect to private addresses also for hosts not named here"},

    {"log", 0, OPTION_CHOICE, AT(log), COMMAND_CRAWL, "What to show",
     .argument = "FORM", .initial = "tse", .choices = "tse|json|none",
     .help = "log on standard output: the course's lines, JSON, or none"},
    {"quiet", 'q', OPTION_FLAG, AT(quiet), COMMAND_CRAWL, "What to show",
     .help = "no log and no progress, only errors"},
    {"verbose", 'v', OPTION_FLAG, AT(verbose), COMMAND_CRAWL, "What to show",
     .help = "also tell what is saved and why fetches failed"},

    {"base", 0, OPTION_TEXT, AT(base), COMMAND_URL | COMMAND_LINKS, "Input",
     .argument = "URL",
     .help = "resolve references against URL"},
    {"charset", 0, OPTION_TEXT, AT(charset), COMMAND_LINKS, "Input",
     .argument = "LABEL",
     .help = "the charset that the HTTP header would name"},
    {"json", 0, OPTION_FLAG, AT(json), COMMAND_LINKS, "Output",
     .help = "one object a line: url, kind, text, rel"},

    {"help", 'h', OPTION_FLAG, AT(help), COMMAND_ANY, "About",
     .help = "show this and exit"},
    {"version", 0, OPTION_FLAG, AT(version), COMMAND_ANY, "About",
     .help = "show the version and exit"},
    /* For tools/update-man; it has no help line and is not shown. */
    {"help-man", 0, OPTION_FLAG, AT(help_man), COMMAND_CRAWL, "About",
     .help = NULL},
};
// clang-format on

const size_t option_count = sizeof(option_table) / sizeof(option_table[0]);
