/* The options: one table (name, type, default, bounds, help line) that drives
 * parsing, --help and the man page. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "web/url.h"

/* The commands. An option belongs to a set of them. */
enum command {
    COMMAND_CRAWL = 1,
    COMMAND_URL = 2,
    COMMAND_LINKS = 4,
    COMMAND_ROBOTS = 8,
    COMMAND_STATUS = 16,
    COMMAND_WHY = 32,
    COMMAND_VERIFY = 64,
    COMMAND_EXPORT = 128,
    COMMAND_WARC = 256,
    COMMAND_SERVE = 512,
    COMMAND_FLEET = 1024, /* pause, continue, stop, lost */
    COMMAND_ADD = 4096,
    COMMAND_REPORT = 2048,
    COMMAND_CTL = 1 << 16,
    COMMAND_WATCH = 1 << 17,
    COMMAND_COMPLETION = 32768,
    COMMAND_ANY = 0xffffff,
};

/* A repeatable option's values, NULL at the end; never NULL itself. */
struct list {
    const char **item;
    size_t count;
};

/* A name and a password that stood in the URL of an option. */
struct option_login {
    struct option_login *next;
    struct str url; /* without them */
    struct login login;
};

/* The values of --save. */
enum save { SAVE_BY_DEFAULT, SAVE_PAGES, SAVE_ARCHIVE, SAVE_BOTH };

/* The value of a limit that is lifted: "none". */
#define OPTION_NONE UINT64_MAX

struct options {
    enum command command;
    const struct arguments *arguments; /* that the program was started with */
    struct list internal, headers, connect_to, sitemap, warc_headers;
    struct list include, exclude, exclude_from; /* their order: `given` */
    struct list strip_query;
    const char *user_agent, *contact, *proxy, *cacert, *base, *charset;
    const char *search, *search_url, *seeds, *agent, *robots_agent, *user;
    const char *listen;
    const char *dns_servers, *warc_file, *warc_dedup, *from, *output, *write_ca;
    const char *types, *cookies, *save_cookies;
    const char *fleet, *name;
    uint64_t delay_ms, timeout_ms, max_time_ms, save_every_ms;
    uint64_t ip_delay_ms; /* UINT64_MAX: not given */
    uint64_t lease_ms, partitions;
    uint64_t ledger; /* 0: on, 1: off */
    uint64_t per_host, workers, threads, keep_connections, max_pages, max_size,
        retries, max_redirects, max_per_domain, queue_memory;
    uint64_t max_depth; /* with --resume; 0: as it was */
    struct list seed;   /* with --resume: more of them */
    uint64_t max_bytes;
    uint64_t limit_rate;    /* bytes a second */
    uint64_t scope;         /* enum scope_kind + 1; 0: not given */
    uint64_t log;           /* enum log_kind + 1; 0: not given */
    uint64_t order;         /* enum ranking_kind + 1; 0: not given */
    uint64_t robots;        /* 0: not given, 1: obey, 2: ignore */
    uint64_t state;         /* 0: file, 1: none */
    uint64_t format;        /* enum export_format; 0: not given */
    uint64_t report_format; /* enum report_format; 0: not given */
    const char *fail_on, *report_output;
    uint64_t slow_ms, large;
    bool check_external;
    uint64_t part; /* of a sitemap; 0: not given */
    uint64_t port; /* 0: any */
    uint64_t warc_max_size, warc_compress;
    uint64_t warc_digest; /* enum digest_kind */
    uint64_t save;        /* enum save; 0: not given */
    bool metrics_open;
    bool canonical;
    bool create, resume, retry_failed, restart, links, warc, wacz, requisites;
    bool cookie_jar, netrc;
    bool sitemaps, insecure, allow_private, quiet, verbose, json, xhtml, help,
        version, check;

    struct arena arena;
    const char **argument; /* the words that are no options */
    size_t argument_count;
    struct list given; /* the options as given: "name" or "name=value" */
    struct option_login *logins; /* not part of `given` */
    bool remembered;             /* read from a record, whose seeds count */
    bool is_over;                /* ... and whose crawl has ended */
    bool joins; /* the crawl of its fleet is there, and these are whole */
};

/* Add to a list of these options; the text is borrowed. */
void options_list_add(struct options *options, struct list *list,
                      const char *text);

/* Set all defaults. */
void options_init(struct options *options);
void options_release(struct options *options);

/* Add an option of a crawl, "name" or "name=value". False as below. */
bool options_add(struct options *options, const char *given, struct buf *error);

/* Read the command line after the command's name into new options. False with
 * one line in `error`, without a newline. */
bool options_parse(struct options *options, enum command command, int argc,
                   char *const argv[], struct buf *error);

/* Is an option as given ("name" or "name=value") fixed once the crawl has
 * begun? Does it only change what a run shows? Is this its name? */
bool option_is_fixed(const char *given);
bool option_is_for_display(const char *given);
bool option_is_ordered(const char *given); /* among others of this kind */
bool option_is_named(const char *given, const char *name);

/* Does it hold on when the same command is given again without it? */
bool option_is_kept(const char *given);

/* Is there an option of this name? */
bool option_is_given(const struct list *given, const char *name);

/* Print the options of a command for --help. */
void options_print_help(FILE *out, enum command command);

#endif
