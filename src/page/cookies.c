#include "page/cookies.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/queue.h>

#include "base/hashtable.h"
#include "base/mem.h"
#include "page/cookie.h"

/* A cookie in the jar; its texts come after it, in the same block. */
struct kept {
    struct cookie cookie;
    TAILQ_ENTRY(kept) in_site, in_all;
    uint64_t number; /* in the order of creation */
    char text[];
};
TAILQ_HEAD(kept_list, kept);

/* The cookies of a registrable domain, the least recently used first. */
struct site {
    uint64_t key;
    struct kept_list cookies;
    size_t count;
};

struct cookies {
    pthread_mutex_t lock;
    const struct domains *domains;
    uint64_t seed;
    struct hashtable sites;
    struct kept_list all; /* the least recently used first */
    size_t count;
    uint64_t created; /* so far */
};

struct cookies *cookies_new(const struct domains *domains, uint64_t seed)
{
    struct cookies *cookies = NEW(struct cookies);

    pthread_mutex_init(&cookies->lock, NULL);
    cookies->domains = domains;
    cookies->seed = seed;
    hashtable_init(&cookies->sites);
    TAILQ_INIT(&cookies->all);
    return cookies;
}

/* --- keeping ------------------------------------------------------------- */

static uint64_t key_of(const struct cookies *cookies, struct str host)
{
    return hash64(domain_of_host(cookies->domains, host), cookies->seed);
}

static struct site *site_for(struct cookies *cookies, uint64_t key)
{
    struct site *site = hashtable_get(&cookies->sites, key);

    if (!site) {
        site = NEW(struct site);
        site->key = key;
        TAILQ_INIT(&site->cookies);
        hashtable_put(&cookies->sites, key, site);
    }
    return site;
}

static void drop(struct cookies *cookies, struct site *site, struct kept *kept)
{
    TAILQ_REMOVE(&site->cookies, kept, in_site);
    TAILQ_REMOVE(&cookies->all, kept, in_all);
    site->count--;
    cookies->count--;
    free(kept);
}

static void drop_if_empty(struct cookies *cookies, struct site *site)
{
    if (site->count)
        return;
    hashtable_take(&cookies->sites, site->key);
    free(site);
}

static struct str copy(char **to, struct str text)
{
    struct str kept = {*to, text.len};

    if (text.len)
        memcpy(*to, text.ptr, text.len);
    *to += text.len;
    return kept;
}

static void add(struct cookies *cookies, struct site *site,
                const struct cookie *cookie, uint64_t number)
{
    struct kept *kept =
        mem_new(sizeof(*kept) + cookie->name.len + cookie->value.len +
                cookie->domain.len + cookie->path.len);
    char *to = kept->text;

    kept->cookie = *cookie;
    kept->cookie.name = copy(&to, cookie->name);
    kept->cookie.value = copy(&to, cookie->value);
    kept->cookie.domain = copy(&to, cookie->domain);
    kept->cookie.path = copy(&to, cookie->path);
    kept->number = number;
    TAILQ_INSERT_TAIL(&site->cookies, kept, in_site);
    TAILQ_INSERT_TAIL(&cookies->all, kept, in_all);
    site->count++;
    cookies->count++;
}

/* --- bounds -------------------------------------------------------------- */

static void drop_expired(struct cookies *cookies, struct site *site,
                         uint64_t now_s)
{
    struct kept *next;

    for (struct kept *kept = TAILQ_FIRST(&site->cookies); kept; kept = next) {
        next = TAILQ_NEXT(kept, in_site);
        if (cookie_is_expired(&kept->cookie, now_s))
            drop(cookies, site, kept);
    }
}

/* The next to go. */
static struct kept *least_wanted(const struct site *site)
{
    struct kept *kept;

    for (kept = TAILQ_FIRST(&site->cookies); kept;
         kept = TAILQ_NEXT(kept, in_site))
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc) ; drop takes it out
        if (!kept->cookie.secure)
            return kept;
    return TAILQ_FIRST(&site->cookies);
}

/* Make room for one cookie. The limits hold before, so dropping one for each is
 * enough. */
static void make_room(struct cookies *cookies, struct site *site)
{
    if (site->count >= COOKIES_PER_DOMAIN)
        drop(cookies, site, least_wanted(site));
    if (cookies->count >= COOKIES_MAX) {
        struct kept *oldest = TAILQ_FIRST(&cookies->all);
        // NOLINTNEXTLINE(clang-analyzer-unix.Malloc) ; drop takes it out
        struct str domain = oldest->cookie.domain;
        struct site *its =
            hashtable_get(&cookies->sites, key_of(cookies, domain));
        drop(cookies, its, oldest);
        if (its != site)
            drop_if_empty(cookies, its);
    }
}

/* --- taking -------------------------------------------------------------- */

static bool is_same(const struct cookie *one, const struct cookie *other)
{
    // NOLINTNEXTLINE(clang-analyzer-unix.Malloc) ; drop takes it out
    return str_eq(one->name, other->name) &&
           str_eq(one->domain, other->domain) &&
           one->host_only == other->host_only && str_eq(one->path, other->path);
}

static struct kept *find_same(const struct site *site,
                              const struct cookie *cookie)
{
    struct kept *kept = TAILQ_FIRST(&site->cookies);

    while (kept && !is_same(&kept->cookie, cookie))
        kept = TAILQ_NEXT(kept, in_site);
    return kept;
}

/* A page that came unprotected must not replace or shadow what the protected
 * site has set. */
static bool would_shadow(const struct site *site, const struct cookie *cookie)
{
    const struct kept *kept;

    for (kept = TAILQ_FIRST(&site->cookies); kept;
         kept = TAILQ_NEXT(kept, in_site)) {
        const struct cookie *old = &kept->cookie;
        if (old->secure && str_eq(old->name, cookie->name) &&
            (cookie_domain_matches(old->domain, cookie->domain) ||
             cookie_domain_matches(cookie->domain, old->domain)) &&
            cookie_path_matches(cookie->path, old->path))
            return true;
    }
    return false;
}

/* The lock is held. `is_protected`: it came by https or from the user. */
static void keep(struct cookies *cookies, const struct cookie *cookie,
                 bool is_protected, uint64_t now_s)
{
    struct site *site = site_for(cookies, key_of(cookies, cookie->domain));
    uint64_t number = cookies->created + 1;
    struct kept *old;

    drop_expired(cookies, site, now_s);
    if (is_protected || !would_shadow(site, cookie)) {
        old = find_same(site, cookie);
        if (old) {
            number = old->number;
            drop(cookies, site, old);
        }
        if (!cookie_is_expired(cookie, now_s)) {
            make_room(cookies, site);
            add(cookies, site, cookie, number);
            cookies->created++;
        }
    }
    drop_if_empty(cookies, site);
}

void cookies_take(struct cookies *cookies, const struct url *url,
                  struct str header, uint64_t now_s)
{
    struct cookie cookie;

    if (!cookie_parse(&cookie, header, url, cookies->domains, now_s))
        return;
    pthread_mutex_lock(&cookies->lock);
    keep(cookies, &cookie, url->https, now_s);
    pthread_mutex_unlock(&cookies->lock);
}

/* --- sending ------------------------------------------------------------- */

static bool is_for(const struct cookie *cookie, const struct url *url,
                   uint64_t now_s)
{
    struct str host = url_host(url);

    return (cookie->host_only ? str_eq(host, cookie->domain)
                              : cookie_domain_matches(host, cookie->domain)) &&
           cookie_path_matches(url_path(url), cookie->path) &&
           (!cookie->secure || url->https) && !cookie_is_expired(cookie, now_s);
}

/* The longest path first, then the oldest. */
static int by_path(const void *a, const void *b)
{
    const struct kept *one = *(struct kept *const *)a;
    const struct kept *other = *(struct kept *const *)b;

    if (one->cookie.path.len != other->cookie.path.len)
        return one->cookie.path.len > other->cookie.path.len ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

static void touch(struct cookies *cookies, struct site *site, struct kept *kept)
{
    TAILQ_REMOVE(&site->cookies, kept, in_site);
    TAILQ_INSERT_TAIL(&site->cookies, kept, in_site);
    TAILQ_REMOVE(&cookies->all, kept, in_all);
    TAILQ_INSERT_TAIL(&cookies->all, kept, in_all);
}

static void put_one(const struct cookie *cookie, struct buf *out)
{
    size_t before = out->len;
    bool fits = (!before || buf_put(out, STR("; "))) &&
                buf_put(out, cookie->name) &&
                (!cookie->name.len || buf_put_char(out, '=')) &&
                buf_put(out, cookie->value);

    if (!fits)
        out->len = before;
}

uint64_t cookies_put(struct cookies *cookies, const struct url *url,
                     uint64_t now_s, struct buf *out)
{
    struct kept *chosen[COOKIES_PER_DOMAIN];
    size_t count = 0, before = out->len;

    pthread_mutex_lock(&cookies->lock);
    struct site *site =
        hashtable_get(&cookies->sites, key_of(cookies, url_host(url)));
    for (struct kept *kept = site ? TAILQ_FIRST(&site->cookies) : NULL; kept;
         kept = TAILQ_NEXT(kept, in_site))
        if (is_for(&kept->cookie, url, now_s))
            chosen[count++] = kept;
    if (count)
        qsort(chosen, count, sizeof(struct kept *), by_path);
    for (size_t i = 0; i < count; i++) {
        put_one(&chosen[i]->cookie, out);
        touch(cookies, site, chosen[i]);
    }
    pthread_mutex_unlock(&cookies->lock);
    if (out->len == before)
        return 0;
    return hash64(str_skip(buf_str(out), before), cookies->seed) | 1;
}

void cookies_free(struct cookies *cookies)
{
    struct kept *kept;
    struct site *site;

    if (!cookies)
        return;
    while ((kept = TAILQ_FIRST(&cookies->all))) {
        TAILQ_REMOVE(&cookies->all, kept, in_all);
        free(kept);
    }
    for (size_t at = 0; (site = hashtable_next(&cookies->sites, &at));)
        free(site);
    hashtable_release(&cookies->sites);
    pthread_mutex_destroy(&cookies->lock);
    free(cookies);
}

/* --- files --------------------------------------------------------------- */

#define HTTP_ONLY "#HttpOnly_"

static bool read_flag(struct str text, bool *flag)
{
    *flag = str_eq_nocase(text, STR("true"));
    return *flag || str_eq_nocase(text, STR("false"));
}

/* The next field, up to a tab. */
static struct str next_field(struct str *line)
{
    struct str_pair cut = str_cut(*line, '\t');

    *line = cut.tail;
    return cut.head;
}

static bool read_line(struct str line, struct cookie *cookie)
{
    bool for_all;

    *cookie = (struct cookie){.http_only = str_starts(line, STR(HTTP_ONLY))};
    if (cookie->http_only)
        line = str_skip(line, strlen(HTTP_ONLY));
    cookie->domain = next_field(&line);
    if (str_starts(cookie->domain, STR(".")))
        cookie->domain = str_skip(cookie->domain, 1);
    bool good = read_flag(next_field(&line), &for_all);
    cookie->host_only = !for_all;
    cookie->path = next_field(&line);
    good = read_flag(next_field(&line), &cookie->secure) && good;
    good = str_to_u64(next_field(&line), &cookie->expires_s) && good;
    cookie->is_session = !cookie->expires_s;
    cookie->name = next_field(&line);
    cookie->value = line;
    return good && cookie->domain.len &&
           cookie->domain.len <= COOKIE_DOMAIN_MAX &&
           str_starts(cookie->path, STR("/")) &&
           cookie->path.len <= COOKIE_ATTRIBUTE_MAX &&
           cookie->name.len + cookie->value.len > 0 &&
           cookie->name.len + cookie->value.len <= COOKIE_BYTES_MAX;
}

bool cookies_take_line(struct cookies *cookies, struct str line, uint64_t now_s)
{
    char domain[COOKIE_DOMAIN_MAX];
    struct cookie cookie;

    if (str_ends(line, STR("\r")))
        line.len--;
    if (!line.len || (line.ptr[0] == '#' && !str_starts(line, STR(HTTP_ONLY))))
        return true;
    if (!str_is_clean(line) || !read_line(line, &cookie))
        return false;
    for (size_t i = 0; i < cookie.domain.len; i++)
        domain[i] = ascii_lower(cookie.domain.ptr[i]);
    cookie.domain.ptr = domain;
    if (domain_is_public_suffix(cookies->domains, cookie.domain))
        cookie.host_only = true;
    pthread_mutex_lock(&cookies->lock);
    keep(cookies, &cookie, true, now_s);
    pthread_mutex_unlock(&cookies->lock);
    return true;
}

/* A tab in the name or path would shift the fields of the line. */
static bool fits_line(const struct cookie *cookie)
{
    return str_find(cookie->name, '\t') == cookie->name.len &&
           str_find(cookie->path, '\t') == cookie->path.len;
}

void cookies_put_file(struct cookies *cookies, uint64_t now_s, struct buf *out)
{
    const struct kept *kept;

    buf_put(out, STR("# Netscape HTTP Cookie File\n"));
    pthread_mutex_lock(&cookies->lock);
    for (kept = TAILQ_FIRST(&cookies->all); kept;
         kept = TAILQ_NEXT(kept, in_all)) {
        const struct cookie *cookie = &kept->cookie;
        if (cookie_is_expired(cookie, now_s) || !fits_line(cookie))
            continue;
        buf_printf(
            out, "%s%s%.*s\t%s\t%.*s\t%s\t%llu\t%.*s\t%.*s\n",
            cookie->http_only ? HTTP_ONLY : "", cookie->host_only ? "" : ".",
            STR_ARGS(cookie->domain), cookie->host_only ? "FALSE" : "TRUE",
            STR_ARGS(cookie->path), cookie->secure ? "TRUE" : "FALSE",
            (unsigned long long)(cookie->is_session ? 0 : cookie->expires_s),
            STR_ARGS(cookie->name), STR_ARGS(cookie->value));
    }
    pthread_mutex_unlock(&cookies->lock);
}
