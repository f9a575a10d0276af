#include "testserver/play.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "testserver/dns.h"
#include "testserver/files.h"
#include "testserver/hostile.h"
#include "testserver/letters.h"
#include "testserver/options.h"
#include "testserver/serve.h"
#include "testserver/site.h"
#include "testserver/tell.h"
#include "testserver/web_source.h"

enum { MAX_SOURCES = 3 * OPTIONS_MAX_LIST + 3 }; /* hostile, letters, web */

struct play {
    struct options options;
    struct source source[MAX_SOURCES];
    struct record record;
    struct serve serve;
    struct dns_server *dns; /* NULL: none */
};

static bool fail(const char *what, const char *why)
{
    fprintf(stderr, "playground: %s: %s\n", what, why);
    return false;
}

/* SIGTERM and SIGINT make the returned file descriptor readable. */
static int catch_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* A server that a test forgot must not go on running. */
static void end_with_parent(pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        raise(SIGTERM);
}

static void raise_file_limit(void)
{
    struct rlimit limit;

    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static struct source *next_source(struct play *play)
{
    return &play->source[play->serve.source_count++];
}

static bool open_sites(struct play *play, const struct option_list *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct source source = {0};
        char problem[SITE_PROBLEM] = "";
        if (!site_source(files->item[i], &source, problem))
            return fail(files->item[i], problem);
        *next_source(play) = source;
    }
    return true;
}

static bool open_sources(struct play *play)
{
    const struct options *options = &play->options;

    /* Sites first: they may replace single pages of the others. Those with a
     * port of their own before all: listen_alone finds them there. */
    if (!open_sites(play, &options->site_alone) ||
        !open_sites(play, &options->site))
        return false;
    if (options->hostile) {
        struct source source = {0};
        char problem[SITE_PROBLEM] = "";
        if (!hostile_source(options->hostile, &source, problem))
            return fail(options->hostile, problem);
        *next_source(play) = source;
    }
    if (options->letters)
        *next_source(play) = letters_source();
    for (size_t i = 0; i < options->root.count; i++) {
        struct source source = {0};
        if (!files_source(options->root.item[i], &source))
            return fail(options->root.item[i], strerror(errno));
        *next_source(play) = source;
    }
    if (options->web.seed) {
        const char *problem = NULL;
        struct source source = {0};
        if (!web_source(&options->web, &source, &problem))
            return fail("--web", problem);
        *next_source(play) = source;
    }
    play->serve.sources = play->source;
    return true;
}

/* Listen on a port for each site that has one of its own, the first sources. */
static bool listen_alone(struct play *play)
{
    struct serve *serve = &play->serve;
    const char *problem = NULL;
    size_t before = 0;

    while (http_server_address(serve->server, before).len)
        before++;
    for (size_t i = 0; i < play->options.site_alone.count; i++) {
        if (!serve_listen(serve, STR("127.0.0.1:0"), &problem))
            return fail("127.0.0.1:0", problem);
        play->source[i].only_at =
            http_server_address(serve->server, before + i);
    }
    return true;
}

static bool open_server(struct play *play)
{
    const struct options *options = &play->options;
    const char *problem = NULL;

    if (!record_open(&play->record, options->record, options->record_headers))
        return fail(options->record, strerror(errno));
    play->serve.record = &play->record;
    if (!serve_init(&play->serve))
        return fail("epoll", strerror(errno));
    for (size_t i = 0; i < options->listen.count; i++) {
        const char *where = options->listen.item[i];
        if (!serve_listen(&play->serve, str_of(where), &problem))
            return fail(where, problem);
    }
    return listen_alone(play);
}

/* It leads everybody to the first address that is listened on. */
static bool open_dns(struct play *play)
{
    const struct options *options = &play->options;
    struct dns_options dns = {
        .delay_ms = options->dns_delay_ms,
        .loss = options->dns_loss,
        .names = options->dns_names,
        .record = options->dns_record,
        .web = options->web,
        .listen = options->listen.item[0],
    };
    char problem[DNS_PROBLEM] = "";

    if (!options->dns)
        return !dns.names && !dns.record && !dns.delay_ms && !dns.loss
                   ? true
                   : fail("--dns PORT", "is missing");
    if (!str_to_u64(str_of(options->dns), &dns.port) || dns.port > UINT16_MAX)
        return fail("--dns", "it takes a port");
    play->dns = dns_server_start(&dns, problem);
    return play->dns || fail(dns.names ? dns.names : "--dns", problem);
}

static void announce(const struct play *play)
{
    struct str address;

    for (size_t i = 0;
         (address = http_server_address(play->serve.server, i)).len; i++)
        printf("listening on %.*s\n", (int)address.len, address.ptr);
    if (play->dns)
        printf("name server on 127.0.0.1:%u\n", dns_server_port(play->dns));
    fflush(stdout);
}

static int serve(struct play *play)
{
    pid_t parent = getppid();
    int stop_fd = catch_signals();
    uint64_t lifetime_ms = play->options.lifetime_ms;
    bool good = false;

    raise_file_limit();
    play->record.fd = -1;
    if (open_sources(play) && open_server(play) && open_dns(play)) {
        if (!play->options.outlive_parent)
            end_with_parent(parent);
        announce(play);
        serve_run(&play->serve, stop_fd,
                  lifetime_ms ? clock_mono_us() + lifetime_ms * 1000 : 0);
        good = true;
    }
    dns_server_stop(play->dns);
    serve_release(&play->serve);
    if (!record_close(&play->record))
        good = fail(play->options.record, strerror(errno));
    for (size_t i = 0; i < play->serve.source_count; i++)
        if (play->source[i].free)
            play->source[i].free(play->source[i].self);
    close(stop_fd);
    return good ? 0 : 1;
}

static int tell_outcomes(const char *path)
{
    char problem[SITE_PROBLEM] = "standard output cannot be written";

    return hostile_tell(path, stdout, problem) || fail(path, problem) ? 0 : 2;
}

int play_main(int argc, char **argv)
{
    struct play play = {0};
    char problem[OPTIONS_PROBLEM] = "";

    if (!play_parse(argc, argv, &play.options, problem)) {
        fprintf(stderr, "playground: %s\n", problem);
        return 2;
    }
    if (play.options.help) {
        play_help(stdout);
        return 0;
    }
    if (play.options.command == COMMAND_OUTCOMES)
        return tell_outcomes(play.options.hostile);
    if (play.options.command != COMMAND_SERVE)
        return tell_main(&play.options);
    return serve(&play);
}
