/* Names and passwords in URLs: "http://name:password@host/".
 *
 * A person who writes such a URL wants to be let in, but does not want the
 * password in the log, in page files and in the state. So it is taken out of
 * the URL at once, and is sent in a header (page/trusted_origins.h). A login in
 * a link or redirect is a stranger's: it is dropped (page/pagescanner.h).
 */
#ifndef URL_LOGIN_H
#define URL_LOGIN_H

#include "url/url.h"

/* As it is sent: without escapes, NUL-terminated. An escaped zero byte stays
 * escaped. */
struct login {
    struct str name, password;
};

/* Take the login out of a URL of http or https as it was written; whether the
 * URL is a valid one does not matter. False where there is none: then `*login`
 * has no name, and `*rest` is `url` without an "@" that means nothing. */
bool login_cut(struct arena *arena, struct str url, struct str *rest,
               struct login *login);

/* The part of a text that may be a login, also where the text is no URL,
 * because of a character in the password or a slip in the scheme. Its `ptr` is
 * NULL where there is none. */
struct str login_find(struct str text);

/* For messages: the text with "..." in place of it, or `text` itself. */
const char *login_hide(struct arena *arena, const char *text);

/* "NAME:PASSWORD", or a name without a password. */
struct login login_read(struct arena *arena, struct str text);

/* Does a parsed URL have one? And without it. */
bool login_is_in(const struct url *url);
void login_drop(struct url *url, struct arena *arena);

static inline bool login_eq(const struct login *a, const struct login *b)
{
    return str_eq(a->name, b->name) && str_eq(a->password, b->password);
}

#endif
