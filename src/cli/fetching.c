#include "cli/fetching.h"
#include "base/terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/usage.h"
#include "page/trust.h"
#include "robots/agent.h"

/* --- headers ------------------------------------------------------------ */

static bool is_header(const char *text)
{
    size_t colon = str_find(str_of(text), ':');

    if (!colon || !text[colon] || strpbrk(text, "\r\n"))
        return false;
    for (size_t i = 0; i < colon; i++)
        if (!ascii_is_alnum(text[i]) && !strchr("!#$%&'*+-.^_`|~", text[i]))
            return false;
    return true;
}

/* These are between libcurl and the server: they say where a request ends and
 * what becomes of the connection, and a wrong word there spoils the next
 * request, which may be for another page. */
static bool is_of_connection(struct str name)
{
    static const struct str names[] = {
        STR_INIT("connection"),       STR_INIT("content-length"),
        STR_INIT("expect"),           STR_INIT("keep-alive"),
        STR_INIT("proxy-connection"), STR_INIT("te"),
        STR_INIT("trailer"),          STR_INIT("transfer-encoding"),
        STR_INIT("upgrade"),
    };

    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return false;
}

static int check_header(const char *text)
{
    struct str name = str_cut(str_of(text), ':').head;

    /* The rest of it may be a secret. */
    if (!is_header(text))
        return complain("--header must be 'Name: value' in one line, not "
                        "'%.*s...'",
                        (int)strcspn(text, ": \t\r\n"), text);
    if (is_of_connection(name))
        return complain("--header cannot set %.*s, which belongs to the "
                        "connection",
                        (int)name.len, name.ptr);
    return 0;
}

static int check_headers(const struct options *options)
{
    for (size_t i = 0; i < options->headers.count; i++) {
        int status = check_header(options->headers.item[i]);
        if (status)
            return status;
    }
    if (options->user_agent && strpbrk(options->user_agent, "\r\n"))
        return complain("--user-agent must be one line");
    if (options->contact && strpbrk(options->contact, "\r\n"))
        return complain("--contact must be one line");
    return 0;
}

/* The address that the machine would give itself in a mail. */
static const char *own_address(struct plan *plan)
{
    char host[256] = "localhost";
    const char *user = getenv("LOGNAME");
    char *address = arena_new(&plan->arena, 1024);

    if (gethostname(host, sizeof(host) - 1))
        strcpy(host, "localhost");
    snprintf(address, 1024, "%.255s@%.255s", user ? user : "unknown", host);
    return address;
}

static const char *default_user_agent(struct plan *plan,
                                      const struct options *options)
{
    const char *contact = options->contact;
    char *agent = arena_new(&plan->arena, 4096);

    if (!contact)
        contact = getenv("EMAIL");
    if (!contact || !contact[0] || strpbrk(contact, "\r\n"))
        contact = own_address(plan);
    snprintf(agent, 4096, "crawler/" CRAWLER_VERSION " (+%s)", contact);
    return agent;
}

/* What servers get to see: a header of the user's takes the place of ours. */
static struct str sent_user_agent(const struct plan *plan,
                                  const struct options *options)
{
    for (size_t i = 0; i < options->headers.count; i++) {
        struct str_pair header = str_cut(str_of(options->headers.item[i]), ':');
        if (str_eq_nocase(header.head, STR("user-agent")))
            return str_trim(header.tail);
    }
    return str_of(plan->user_agent);
}

int fetching_plan_agent(struct plan *plan, const struct options *options)
{
    plan->user_agent = options->user_agent ? options->user_agent
                                           : default_user_agent(plan, options);
    struct str sent = sent_user_agent(plan, options);
    struct str token = options->robots_agent ? str_of(options->robots_agent)
                                             : robots_token_of(sent);

    if (!plan_obeys_robots(options))
        return 0;
    if (options->robots_agent && !robots_is_token(token))
        return complain("--robots-agent must be letters, '-' and '_', as "
                        "robots.txt has them, not '%s'",
                        options->robots_agent);
    if (!token.len)
        return complain(
            "the User-Agent '%.*s' has no name of letters, '-' and '_' that "
            "robots.txt could have; give one with --robots-agent",
            (int)sent.len, sent.ptr);
    plan->crawl.worker.robots_agent = token;
    plan->crawl.worker.scan.robots_agent = token;
    return 0;
}

/* --- logins ------------------------------------------------------------- */

int fetching_plan_logins(struct plan *plan, const struct options *options)
{
    const struct option_login *given = options->logins;
    struct url url;

    if (options->user && (!options->user[0] || options->user[0] == ':'))
        return complain("--user must be NAME:PASSWORD");
    for (; given; given = given->next)
        /* What is no URL is for the option's own check to tell. */
        if (!url_parse(&url, &plan->arena, given->url, NULL, NULL) &&
            !origins_add_login(&plan->origins, &url, &given->login))
            return complain("there are two names or passwords for %s",
                            url_origin(&url, &plan->arena).ptr);
    return 0;
}

/* --- the way ------------------------------------------------------------ */

/* [SCHEME://][USER:PASSWORD@]HOST[:PORT]; what is after the scheme is read
 * as that part of a URL. */
static bool is_proxy(struct plan *plan, const char *text)
{
    static const struct str schemes[] = {
        STR_INIT("http"),    STR_INIT("https"),  STR_INIT("socks4"),
        STR_INIT("socks4a"), STR_INIT("socks5"), STR_INIT("socks5h"),
    };
    const char *mark = strstr(text, "://");
    bool known = !mark;
    struct buf rest;
    struct url url;

    for (size_t i = 0; i < ARRAY_LEN(schemes) && mark; i++)
        known |= str_eq_nocase(str_between(text, mark), schemes[i]);
    buf_init(&rest, URL_LEN_MAX);
    bool good = known &&
                buf_printf(&rest, "http://%s", mark ? mark + 3 : text) &&
                !url_parse(&url, &plan->arena, buf_str(&rest), NULL, NULL);
    buf_release(&rest);
    return good;
}

/* Where the file of trusted certificates is named, and what to do about it. */
struct trust_source {
    const char *name, *remedy;
};

static const struct trust_source from_environment = {
    "SSL_CERT_FILE",
    "set it to a file of certificates, or unset it",
};
static const struct trust_source from_system = {
    "the system's file",
    "install the package ca-certificates, or use --cacert FILE",
};

/* The course's crawl stays on http, and a crawl from an https seed would fetch
 * nothing at all. */
static int complain_of_trust(const struct plan *plan,
                             const struct options *options,
                             const struct trust_source *source,
                             const char *file, const char *problem)
{
    for (size_t i = 0; i < plan->seed_count; i++)
        if (plan->seeds[i].url.https)
            return complain("no certificates to check https with: %s '%s': "
                            "%s; %s",
                            source->name, file, problem, source->remedy);
    if (!plan_is_course(options) && !options->quiet)
        terminal_line(stderr,
                      "crawler: https pages cannot be fetched: %s '%s': %s; %s",
                      source->name, file, problem, source->remedy);
    return 0;
}

/* Which file has the certificates that are trusted: as for curl, SSL_CERT_FILE
 * goes before the system's. */
static int plan_trust(struct plan *plan, const struct options *options)
{
    const char *own = getenv("SSL_CERT_FILE");
    const struct trust_source *source = &from_system;
    const char *problem;

    if (options->insecure)
        return 0;
    if (options->cacert) {
        problem = trust_problem(options->cacert);
        plan->crawl.worker.fetch.trusted = options->cacert;
        return problem ? complain("--cacert '%s': %s", options->cacert, problem)
                       : 0;
    }
    const char *file = trust_system_file();
    if (own && own[0]) {
        source = &from_environment;
        file = own;
    }
    if (!file)
        return 0;
    plan->crawl.worker.fetch.trusted = file;
    problem = trust_problem(file);
    return problem ? complain_of_trust(plan, options, source, file, problem)
                   : 0;
}

int fetching_plan(struct plan *plan, const struct options *options)
{
    int status = check_headers(options);

    if (status)
        return status;
    for (size_t i = 0; i < options->connect_to.count; i++)
        if (!origins_add_connect_to(&plan->origins,
                                  str_of(options->connect_to.item[i])))
            return complain(
                "--connect-to must be "
                "HOST1:PORT1:HOST2:PORT2, not '%s'",
                login_hide(&plan->arena, options->connect_to.item[i]));
    if (options->proxy && options->proxy[0] && !is_proxy(plan, options->proxy))
        return complain("--proxy must be a URL such as "
                        "http://localhost:3128, not '%s'",
                        login_hide(&plan->arena, options->proxy));
    plan->crawl.worker.fetch = (struct fetch_options){
        .user_agent = plan->user_agent,
        .headers = options->headers.item,
        .connect_to = origins_connect_to(&plan->origins),
        .proxy = options->proxy && options->proxy[0] ? options->proxy : NULL,
        .timeout_ms = options->timeout_ms,
        .max_size = options->max_size,
        .body_budget = &plan->body_budget,
        .insecure = options->insecure,
        .allow_private = options->allow_private,
        .any_mime = plan_is_course(options),
        .robots_agent = plan->crawl.worker.robots_agent,
        .origins = &plan->origins,
    };
    return plan_trust(plan, options);
}
