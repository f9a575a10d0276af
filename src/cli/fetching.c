#include "cli/plan.h"

#include <stdlib.h>

#include "cli/password.h"
#include "cli/usage.h"
#include "names/dns_servers.h"
#include "page/trust.h"
#include "web/robots.h"

enum { LOGIN_MAX = 4096 };

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

/* Is it one of the words of a list, "one two three"? */
static bool is_one_of(struct str word, const char *list)
{
    for (struct str_pair cut = str_cut(str_of(list), ' '); cut.head.len;
         cut = str_cut(cut.tail, ' '))
        if (str_eq_nocase(word, cut.head))
            return true;
    return false;
}

/* These headers are between libcurl and the server: they say where a request
 * ends and what becomes of the connection, and a wrong word there spoils the
 * next request, which may be for another page. */
static const char connection_headers[] =
    "connection content-length expect keep-alive proxy-connection te trailer "
    "transfer-encoding upgrade";

static int check_header(const char *text)
{
    struct str name = str_cut(str_of(text), ':').head;

    /* It is not shown: all of it but a name may be a secret. */
    if (!is_header(text))
        return complain("--header must be 'Name: value' in one line");
    if (is_one_of(name, connection_headers))
        return complain("--header cannot set %.*s, which belongs to the "
                        "connection",
                        STR_ARGS(name));
    return 0;
}

static int check_headers(const struct options *options)
{
    for (size_t i = 0; i < options->headers.count; i++) {
        int status = check_header(options->headers.item[i]);
        if (status)
            return status;
    }
    if (options->user_agent && !str_is_clean(str_of(options->user_agent)))
        return complain("--user-agent must be one line of plain text");
    if (options->contact && !str_is_clean(str_of(options->contact)))
        return complain("--contact must be one line of plain text");
    return 0;
}

/* It goes to every site, so it names nobody who did not say how to be named:
 * neither the user's login nor this machine. */
static const char *default_user_agent(struct plan *plan)
{
    const char *contact = plan->options->contact;
    char *agent = arena_new(&plan->arena, 4096);

    if (!contact)
        contact = getenv("EMAIL");
    if (!contact || !contact[0] || !str_is_clean(str_of(contact)))
        return "crawler/" CRAWLER_VERSION;
    snprintf(agent, 4096, "crawler/" CRAWLER_VERSION " (+%s)", contact);
    return agent;
}

/* A header that the user gives takes the place of ours. */
struct str fetching_user_agent(const struct plan *plan)
{
    const struct list *headers = &plan->options->headers;

    for (size_t i = 0; i < headers->count; i++) {
        struct str_pair header = str_cut(str_of(headers->item[i]), ':');
        if (str_eq_nocase(header.head, STR("user-agent")))
            return str_trim(header.tail);
    }
    return str_of(plan->user_agent);
}

int fetching_plan_agent(struct plan *plan)
{
    const struct options *options = plan->options;

    plan->user_agent =
        options->user_agent ? options->user_agent : default_user_agent(plan);
    if (!plan_obeys_robots(plan))
        return 0;
    struct str sent = fetching_user_agent(plan);
    struct str token = options->robots_agent ? str_of(options->robots_agent)
                                             : robots_token_of(sent);
    if (options->robots_agent && !robots_is_token(token))
        return complain("--robots-agent must be letters, '-' and '_', as "
                        "robots.txt has them, not '%s'",
                        login_hide(&plan->arena, options->robots_agent));
    if (!token.len)
        return complain(
            "the User-Agent '%.*s' has no name that robots.txt could have, of "
            "letters, '-' and '_'; give one with --robots-agent",
            STR_ARGS(sent));
    plan->crawl.worker.robots_agent = token;
    plan->crawl.worker.scan.robots_agent = token;
    return 0;
}

/* --- logins ------------------------------------------------------------- */

/* A name without a password: ask for it where only the user can see it. */
static int ask_password(struct plan *plan, const char *name)
{
    struct buf text;

    buf_init(&text, LOGIN_MAX);
    buf_printf(&text, "%s:", name);
    bool good = password_ask(name, &text);
    if (good)
        plan->user = arena_copy(&plan->arena, buf_str(&text)).ptr;
    buf_release(&text);
    return good ? 0
                : complain("--user needs a password: NAME:PASSWORD, NAME: for "
                           "an empty one, or a terminal to ask on");
}

static int plan_netrc(struct plan *plan)
{
    const char *home = getenv("HOME");
    struct buf path;

    if (!plan->options->netrc)
        return 0;
    if (!home || !home[0])
        return complain("--netrc: HOME is not set, so there is no ~/.netrc");
    buf_init(&path, LOGIN_MAX);
    buf_printf(&path, "%s/.netrc", home);
    const char *problem = netrc_read(&plan->netrc, buf_cstr(&path));
    int status =
        problem ? complain("--netrc: '%s': %s", buf_cstr(&path), problem) : 0;
    buf_release(&path);
    return status;
}

int fetching_plan_logins(struct plan *plan)
{
    const struct option_login *given = plan->options->logins;
    const char *user = plan->options->user;
    struct url url;
    int status;

    if (user && (!user[0] || user[0] == ':'))
        return complain("--user must be NAME:PASSWORD");
    plan->user = user;
    if ((status = plan_netrc(plan)) ||
        (status = user && !strchr(user, ':') ? ask_password(plan, user) : 0))
        return status;
    for (; given; given = given->next)
        /* The option's own check reports what is no URL. */
        if (!url_parse(&url, &plan->arena, given->url, NULL, NULL) &&
            !origins_add_login(&plan->origins, &url, &given->login))
            return complain("there are two names or passwords for %s",
                            url_origin(&url, &plan->arena).ptr);
    return 0;
}

/* --- connections -------------------------------------------------------- */

/* Is it [SCHEME://][USER:PASSWORD@]HOST[:PORT]? The URL parser reads what comes
 * after the scheme. "http//host:1" is no host "http" with a path. */
static bool is_proxy(struct plan *plan, const char *text)
{
    const char *mark = strstr(text, "://");
    struct buf rest;
    struct url url;

    if (mark && !is_one_of(str_between(text, mark),
                           "http https socks4 socks4a socks5 socks5h"))
        return false;
    buf_init(&rest, URL_LEN_MAX);
    bool good = buf_printf(&rest, "http://%s", mark ? mark + 3 : text) &&
                !url_parse(&url, &plan->arena, buf_str(&rest), NULL, NULL) &&
                (mark || url_path(&url).len == 1);
    buf_release(&rest);
    return good;
}

static bool is_env(const struct options *options)
{
    return options->proxy && !strcmp(options->proxy, "env");
}

/* The one that --proxy names, or NULL. */
static const char *proxy_of(const struct options *options)
{
    return options->proxy && options->proxy[0] && !is_env(options)
               ? options->proxy
               : NULL;
}

bool fetching_is_proxied(const struct options *options)
{
    struct proxies proxies = proxies_of_environment(getenv);

    return proxy_of(options) ||
           (is_env(options) && (proxies.http || proxies.https));
}

bool fetching_has_env_proxy(const struct plan *plan)
{
    return plan->proxies.http || plan->proxies.https;
}

bool fetching_lacks_env_proxy(const struct plan *plan)
{
    return is_env(plan->options) && !fetching_has_env_proxy(plan);
}

static int plan_proxies(struct plan *plan)
{
    const char *named = proxy_of(plan->options);
    struct proxies *env = &plan->proxies;

    if (named && !is_proxy(plan, named))
        return complain("--proxy must be a URL such as http://localhost:3128, "
                        "or env, not '%s'",
                        login_hide(&plan->arena, named));
    if (!is_env(plan->options))
        return 0;
    *env = proxies_of_environment(getenv);
    const char *bad = env->http && !is_proxy(plan, env->http)     ? env->http
                      : env->https && !is_proxy(plan, env->https) ? env->https
                                                                  : NULL;
    return bad ? complain("--proxy env: a proxy in the environment must be a "
                          "URL such as http://localhost:3128, not '%s'",
                          login_hide(&plan->arena, bad))
               : 0;
}

static bool has_https_seed(const struct plan *plan)
{
    for (size_t i = 0; i < plan->seed_count; i++)
        if (plan->seeds[i].url.https)
            return true;
    return false;
}

/* Choose the file of trusted certificates: as for curl, SSL_CERT_FILE goes
 * before the system's. Without it a crawl from an https seed would fetch
 * nothing; the course's crawl stays on http and needs none. */
static int plan_trust(struct plan *plan)
{
    const char *cacert = plan->options->cacert, *own = getenv("SSL_CERT_FILE");
    const char *source = "the system's file", *file = trust_system_file();
    const char *remedy =
        "install the package ca-certificates, or use --cacert FILE";

    if (plan->options->insecure || plan->options->from)
        return 0;
    if (own && own[0]) {
        source = "SSL_CERT_FILE";
        file = own;
        remedy = "set it to a file of certificates, or unset it";
    }
    if (cacert)
        file = cacert;
    if (file) {
        plan->trust.file = file;
        plan->crawl.worker.fetch.trust = &plan->trust;
    }
    const char *problem = file ? trust_problem(file) : NULL;
    if (!problem)
        return 0;
    if (cacert)
        return complain("--cacert '%s': %s", login_hide(&plan->arena, cacert),
                        problem);
    if (has_https_seed(plan))
        return complain("no certificates to check https with: %s '%s': %s; %s",
                        source, file, problem, remedy);
    if (!plan_is_course(plan) && !plan->options->quiet)
        complain("https pages cannot be fetched: %s '%s': %s; %s", source, file,
                 problem, remedy);
    return 0;
}

static int plan_names(struct plan *plan)
{
    const char *servers = plan->options->dns_servers;
    struct buf text;

    if (!servers)
        return 0;
    buf_init(&text, 64 * DNS_SERVERS_MAX);
    bool good = dns_servers_parse(str_of(servers), &text);
    if (good)
        plan->crawl.dns_servers = arena_copy(&plan->arena, buf_str(&text)).ptr;
    buf_release(&text);
    return good ? 0
                : complain("--dns-servers must be addresses such as 192.0.2.1 "
                           "or [2001:db8::1]:5353, at most %d, with commas in "
                           "between, not '%s'",
                           (int)DNS_SERVERS_MAX,
                           login_hide(&plan->arena, servers));
}

static int plan_types(struct plan *plan)
{
    const char *types = plan->options->types;
    struct str bad;

    if (!types)
        return 0;
    if (plan_is_course(plan))
        return complain("--types has no effect on the CS50 playground, where "
                        "names decide; use --scope or --internal");
    if (mime_list_parse(&plan->crawl.worker.fetch.types, str_of(types),
                        &plan->arena, &bad))
        return 0;
    return complain(
        "--types must be of html, pdf, text, image, audio, video, "
        "all, and MIME types such as image/png or font/*, with "
        "commas in between, not '%s'",
        login_hide(&plan->arena, arena_copy(&plan->arena, bad).ptr));
}

int fetching_plan(struct plan *plan)
{
    const struct options *options = plan->options;
    const struct list *rules = &options->connect_to;
    int status = check_headers(options);

    if (status || (status = plan_names(plan)))
        return status;
    for (size_t i = 0; i < rules->count; i++)
        if (!origins_add_connect_to(&plan->origins, str_of(rules->item[i])))
            return complain("--connect-to must be HOST1:PORT1:HOST2:PORT2, "
                            "not '%s'",
                            login_hide(&plan->arena, rules->item[i]));
    if ((status = plan_proxies(plan)))
        return status;
    plan->crawl.worker.fetch = (struct fetch_options){
        .user_agent = plan->user_agent,
        .headers = options->headers.item,
        .proxy = proxy_of(options),
        .proxies = is_env(options) ? &plan->proxies : NULL,
        .timeout_ms = options->timeout_ms,
        .max_size = options->max_size,
        .body_budget = &plan->body_budget,
        .insecure = options->insecure,
        .allow_private = options->allow_private,
        .any_mime = plan_is_course(plan),
        .robots_agent = plan->crawl.worker.robots_agent,
        .origins = &plan->origins,
    };
    if ((status = plan_types(plan)) || (status = cookie_files_plan(plan)))
        return status;
    plan->crawl.worker.fetch.cookies = plan->cookies;
    return plan_trust(plan);
}
