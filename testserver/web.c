#include "testserver/web.h"

#include <math.h>
#include <stdlib.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "testserver/web_random.h"

static uint64_t percent(unsigned tenths)
{
    return WEB_ALL * tenths / 1000;
}

void web_defaults(struct web_options *options)
{
    *options = (struct web_options){
        .hosts = 100,
        .pages = 10000,
        .skew_percent = 100,
        .links = 12,
        .size = 8 * 1024,
        .broken = percent(20),
        .redirects = percent(30),
        .errors = percent(1),
        .files = percent(30),
        .slow = percent(5),
        .slow_ms = 200,
        .flaky = percent(1),
        .limited = percent(1),
        .gzip = percent(300),
        .rules = percent(300),
    };
}

/* Every host has a page; the rest is shared out by the power law. */
static void share_out_pages(struct web *web)
{
    uint64_t hosts = web->options.hosts;
    uint64_t rest = web->options.pages - hosts;
    double exponent = -(double)web->options.skew_percent / 100, total = 0;

    for (uint64_t i = 0; i < hosts; i++)
        total += pow((double)(i + 1), exponent);

    /* Rounding the running sum makes the pages add up to what was asked. */
    double sum = 0;
    web->first_page = mem_array(hosts + 1, sizeof(uint64_t));
    for (uint64_t i = 0; i < hosts; i++) {
        sum += pow((double)(i + 1), exponent);
        uint64_t given = (uint64_t)(sum / total * (double)rest);
        web->first_page[i + 1] = (given < rest ? given : rest) + i + 1;
    }
    web->first_page[hosts] = web->options.pages;
}

bool web_init(struct web *web, const struct web_options *options,
              const char **problem)
{
    *web = (struct web){.options = *options};
    web->seed = hash64(str_of(options->seed), 0);
    *problem = "--hosts must be 1 to 10000000";
    if (!options->hosts || options->hosts > WEB_MAX_HOSTS)
        return false;
    *problem = "--pages must be at least one for each host, and at most 2^40";
    if (options->pages < options->hosts || options->pages > 1ULL << 40)
        return false;
    *problem = "--skew must be at most 300, --links 200, --size 1048576";
    if (options->skew_percent > 300 || options->links > 200 ||
        options->size > 1 << 20)
        return false;
    *problem = "the shares of links (broken, redirects, errors, files) are "
               "more than all";
    if (options->broken + options->redirects + options->errors +
            options->files >
        WEB_ALL)
        return false;
    share_out_pages(web);
    return true;
}

void web_release(struct web *web)
{
    free(web->first_page);
    web->first_page = NULL;
}

/* --- names ------------------------------------------------------------- */

enum { BLOCK_HOSTS = 8, BLOCK_DOMAINS = 4 };

uint32_t web_domain(uint32_t host)
{
    static const uint32_t in_block[BLOCK_HOSTS] = {0, 1, 2, 2, 3, 3, 3, 3};

    return host / BLOCK_HOSTS * BLOCK_DOMAINS + in_block[host % BLOCK_HOSTS];
}

static bool has_own_domain(uint32_t host)
{
    return host % BLOCK_HOSTS < 2;
}

void web_put_host(const struct web *web, uint32_t host, struct buf *out)
{
    (void)web;
    if (!has_own_domain(host)) {
        buf_put_char(out, 'h');
        buf_put_number(out, host);
        buf_put_char(out, '.');
    }
    buf_put_char(out, 'd');
    buf_put_number(out, web_domain(host));
    buf_put(out, STR(".example"));
}

/* "h12.d5.example" -> 12; "d4.example" -> its only host. */
static bool guess_host(struct str name, uint64_t *host)
{
    struct str label = str_cut(name, '.').head;
    uint64_t number = 0;

    if (label.len < 2 || !str_to_u64(str_skip(label, 1), &number) ||
        number > WEB_MAX_HOSTS)
        return false;
    if (ascii_lower(label.ptr[0]) == 'h')
        *host = number;
    else
        *host = number / BLOCK_DOMAINS * BLOCK_HOSTS + number % BLOCK_DOMAINS;
    return true;
}

bool web_find_host(const struct web *web, struct str name, uint32_t *host)
{
    uint64_t guess = 0;
    struct buf expected;

    if (!guess_host(name, &guess) || guess >= web->options.hosts)
        return false;
    buf_init(&expected, 64);
    web_put_host(web, (uint32_t)guess, &expected);
    bool good = str_eq_nocase(buf_str(&expected), name);
    buf_release(&expected);
    *host = (uint32_t)guess;
    return good;
}

/* --- what a host has --------------------------------------------------- */

uint64_t web_pages(const struct web *web, uint32_t host)
{
    return web->first_page[host + 1] - web->first_page[host];
}

static uint64_t share_of(const struct web *web, enum web_kind kind)
{
    switch (kind) {
    case WEB_REDIRECT:
        return web->options.redirects;
    case WEB_BROKEN:
        return web->options.broken;
    case WEB_ERROR:
        return web->options.errors;
    case WEB_FILE:
        return web->options.files;
    default:
        return 0;
    }
}

uint64_t web_count(const struct web *web, uint32_t host, enum web_kind kind)
{
    uint64_t share = share_of(web, kind);
    uint64_t pages = web_pages(web, host);
    uint64_t fraction = web_key(web, FOR_COUNT, host, kind) >> 32;

    /* A fraction of a URL is the chance that a small host has one. */
    return (pages >> 32) * share +
           (((pages & 0xffffffff) * share + fraction) >> 32);
}

enum web_rules web_rules(const struct web *web, uint32_t host,
                         unsigned *section)
{
    uint64_t key = web_key(web, FOR_RULES, host, 0);
    enum { ONE_IN = 16 };

    *section = (unsigned)(key % WEB_SECTIONS);
    if (!web_chance(key, web->options.rules))
        return WEB_NO_RULES;
    /* A crawl begins at host 0; it must not be closed. */
    if (host && (key >> 8) % ONE_IN == 0)
        return WEB_CLOSED;
    return WEB_NO_SECTION + (key >> 16) % (WEB_CLOSED - WEB_NO_SECTION);
}

bool web_allows(const struct web *web, const struct web_target *target)
{
    unsigned section = 0;
    enum web_rules rules = web_rules(web, target->host, &section);
    struct buf path, prefix;
    bool allows = true;

    if (rules == WEB_NO_RULES || target->kind == WEB_ROBOTS)
        return true;
    if (rules == WEB_CLOSED)
        return false;
    if (target->kind != WEB_PAGE)
        return true; /* the rules are about sections, where pages are */

    buf_init(&path, 128);
    buf_init(&prefix, 16);
    web_put_path(web, target, &path);
    buf_printf(&prefix, "/s%u/", section);
    if (str_starts(buf_str(&path), buf_str(&prefix))) {
        struct str name = str_skip(buf_str(&path), prefix.len);
        allows =
            (rules == WEB_NO_SECTION_BUT && str_starts(name, STR("p1"))) ||
            (rules == WEB_NO_SECTION_HTML && !str_ends(name, STR(".html")));
    }
    buf_release(&path);
    buf_release(&prefix);
    return allows;
}
