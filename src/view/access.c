#include "view/access.h"

#include <sys/random.h>

static const struct path_row {
    const char *text;
    bool posts, open; /* it is posted to; it needs no token */
} paths[PATHS] = {
    [PATH_PAGE] = {"/", false, true},
    [PATH_STATUS] = {"/status.json", false, false},
    [PATH_HOSTS] = {"/hosts.json", false, false},
    [PATH_ERRORS] = {"/errors.json", false, false},
    [PATH_PAGES] = {"/pages.jsonl", false, false},
    [PATH_HISTORY] = {"/history.json", false, false},
    [PATH_WHY] = {"/why", false, false},
    [PATH_EVENTS] = {"/events", false, false},
    [PATH_HEALTH] = {"/healthz", false, true},
    [PATH_METRICS] = {"/metrics", false, false},
    [PATH_SCREEN] = {"/screen.txt", false, false},
    [PATH_CONTROL] = {"/control", true, false},
};

bool access_make_token(char token[ACCESS_TOKEN_LEN + 1])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char byte[ACCESS_TOKEN_LEN / 2];

    if (getrandom(byte, sizeof(byte), 0) != (ssize_t)sizeof(byte))
        return false;
    for (size_t i = 0; i < sizeof(byte); i++) {
        token[2 * i] = digits[byte[i] >> 4];
        token[2 * i + 1] = digits[byte[i] & 15];
    }
    token[ACCESS_TOKEN_LEN] = '\0';
    return true;
}

/* --- Host ------------------------------------------------------------------
 */

/* Where the port begins: at the colon, or at the end. */
static struct str_pair cut_port(struct str authority)
{
    size_t at = authority.len;

    while (at && ascii_is_digit(authority.ptr[at - 1]))
        at--;
    if (!at || authority.ptr[at - 1] != ':')
        at = authority.len + 1;
    return (struct str_pair){
        .head = str_first(authority, at - 1),
        .tail = str_skip(authority, at - 1),
    };
}

/* At a Unix socket any port is right: ssh -L forwards to it from any port. */
static bool is_own_host(const struct access_door *door, struct str host)
{
    struct str_pair asked = cut_port(host), own = cut_port(door->address);

    if (!door->address.len)
        return str_eq_nocase(asked.head, STR("localhost")) ||
               str_eq(asked.head, STR("127.0.0.1"));
    if (!str_eq(asked.tail, own.tail))
        return false;
    return str_eq(asked.head, own.head) ||
           str_eq_nocase(asked.head, STR("localhost"));
}

static bool is_for_us(const struct access_door *door,
                      const struct http_request *request)
{
    struct str host = http_request_header(request, STR("Host"));

    if (request->authority.len && !is_own_host(door, request->authority))
        return false;
    return host.ptr && is_own_host(door, host);
}

/* --- the token --------------------------------------------------------------
 */

/* It takes as long whichever character differs. */
static bool is_token(const char *token, struct str given)
{
    unsigned differs = given.len != ACCESS_TOKEN_LEN;

    for (size_t i = 0; i < ACCESS_TOKEN_LEN; i++)
        differs |= (unsigned char)(token[i] ^
                                   (given.len ? given.ptr[i % given.len] : 0));
    return !differs;
}

static bool has_token(const struct access_door *door,
                      const struct http_request *request, enum access_path path)
{
    struct str bearer = STR("Bearer ");
    struct str given = http_request_header(request, STR("Authorization"));

    if (!door->token || paths[path].open ||
        (path == PATH_METRICS && door->metrics_open))
        return true;
    return given.ptr && str_starts_nocase(given, bearer) &&
           is_token(door->token, str_skip(given, bearer.len));
}

/* --- POST -------------------------------------------------------------------
 */

/* A page of another origin must not post, whatever it knows. */
static bool is_same_origin(const struct http_request *request)
{
    struct str origin = http_request_header(request, STR("Origin"));
    struct str site = http_request_header(request, STR("Sec-Fetch-Site"));
    struct str host = http_request_header(request, STR("Host"));
    struct str scheme = STR("http://");

    if (site.ptr && !str_eq(site, STR("same-origin")))
        return false;
    return !origin.ptr || (str_starts(origin, scheme) &&
                           str_eq(str_skip(origin, scheme.len), host));
}

static bool is_json(const struct http_request *request)
{
    struct str type = http_request_header(request, STR("Content-Type"));

    return type.ptr && str_eq_nocase(str_trim(str_cut(type, ';').head),
                                     STR("application/json"));
}

/* --- all of it --------------------------------------------------------------
 */

static struct access_answer refuse(unsigned status, const char *error)
{
    return (struct access_answer){.status = status, .error = error};
}

struct access_answer access_judge(const struct access_door *door,
                                  const struct http_request *request)
{
    int path = 0;
    bool posts = str_eq(request->method, STR("POST"));

    if (!is_for_us(door, request))
        return refuse(421, "this server has no such name");
    while (path < PATHS && !str_eq(request->path, str_of(paths[path].text)))
        path++;
    if (path == PATHS)
        return refuse(404, "there is no such path");
    if (posts != paths[path].posts)
        return refuse(405, "this path is not asked with this method");
    if (!has_token(door, request, (enum access_path)path))
        return refuse(401, "the token is missing or wrong");
    if (posts && !is_same_origin(request))
        return refuse(403, "a page of another origin must not give orders");
    if (posts && !is_json(request))
        return refuse(415, "an order is application/json");
    return (struct access_answer){200, NULL, (enum access_path)path};
}
