#include "url/login.h"

#include "url/out.h"

static struct str drop_newlines(struct arena *arena, struct str text)
{
    char *start = arena_new(arena, text.len + 1);

    return (struct str){start, url_drop_newlines(start, text)};
}

/* The offset of the authority in "http://authority/path"; the parser takes any
 * number of slashes for two. 0: it is no such URL. */
static size_t authority_start(struct str text)
{
    size_t at = 0;

    while (at < text.len && (unsigned char)text.ptr[at] <= ' ')
        at++;
    struct str rest = str_skip(text, at);
    if (str_starts_nocase(rest, STR("https:")))
        at += STR("https:").len;
    else if (str_starts_nocase(rest, STR("http:")))
        at += STR("http:").len;
    else
        return 0;
    while (at < text.len && url_is_slash(text.ptr[at]))
        at++;
    return at;
}

/* Behind the last '@', or 0. */
static size_t behind_at(struct str text)
{
    size_t at = text.len;

    while (at && text.ptr[at - 1] != '@')
        at--;
    return at;
}

static struct str unescape(struct arena *arena, struct str text)
{
    char *start = arena_new(arena, text.len + 1);

    return (struct str){start, url_unescape(start, text)};
}

bool login_cut(struct arena *arena, struct str url, struct str *rest,
               struct login *login)
{
    struct str text = drop_newlines(arena, url);
    size_t start = authority_start(text);
    struct str authority = url_authority(str_skip(text, start));
    size_t end = start ? behind_at(authority) : 0;

    *rest = url;
    *login = (struct login){0};
    if (!end)
        return false;
    struct str_pair parts = str_cut(str_first(authority, end - 1), ':');
    login->name = unescape(arena, parts.head);
    login->password = unescape(arena, parts.tail);
    *rest =
        url_join(arena, str_first(text, start), str_skip(text, start + end));
    if (login->name.len || login->password.len)
        return true;
    *login = (struct login){0};
    return false;
}

struct login login_read(struct arena *arena, struct str text)
{
    struct str_pair parts = str_cut(text, ':');

    return (struct login){
        .name = arena_copy(arena, parts.head),
        .password = arena_copy(arena, parts.tail),
    };
}

/* --- for messages ------------------------------------------------------- */

/* Behind the scheme, also of one that is written wrong: "http//me:pw@host/". */
static size_t login_start(struct str text)
{
    size_t start = authority_start(text);
    const char *slashes = memmem(text.ptr, text.len, "//", 2);

    return start || !slashes ? start : (size_t)(slashes + 2 - text.ptr);
}

/* Any character may be in a password, so that it goes up to the last '@'. One
 * behind the host is no password's only where there is no ':' before it. */
struct str login_find(struct str text)
{
    struct str rest = str_skip(text, login_start(text));
    size_t end = behind_at(rest);
    bool has_colon = str_find(rest, ':') < end;

    if (!end || (!has_colon && !behind_at(url_authority(rest))))
        return (struct str){0};
    return str_first(rest, end - 1);
}

const char *login_hide(struct arena *arena, const char *written)
{
    struct str text = drop_newlines(arena, str_of(written));
    struct str login = login_find(text);

    if (!login.ptr)
        return written;
    size_t before = (size_t)(login.ptr - text.ptr);
    struct str hidden = url_join(arena, str_first(text, before), STR("..."));
    return url_join(arena, hidden, str_skip(text, before + login.len)).ptr;
}

/* --- parsed ones -------------------------------------------------------- */

bool login_is_in(const struct url *url)
{
    return url->host_start >
           (url->https ? STR("https://") : STR("http://")).len;
}

void login_drop(struct url *url, struct arena *arena)
{
    struct str scheme = url->https ? STR("https://") : STR("http://");
    uint16_t dropped = (uint16_t)(url->host_start - scheme.len);

    if (!dropped)
        return;
    url->href = url_join(arena, scheme, str_skip(url->href, url->host_start));
    url->host_start = (uint16_t)(url->host_start - dropped);
    url->host_end = (uint16_t)(url->host_end - dropped);
    url->path_start = (uint16_t)(url->path_start - dropped);
    url->path_end = (uint16_t)(url->path_end - dropped);
}
