/* The link scanner: it finds what a crawler needs in an HTML page with a WHATWG
 * tokenizer that does no work for anything else.
 *
 *     struct html_scan_options options = {.http_charset = STR("utf-8")};
 *     struct html_links links;
 *
 *     html_scan(&links, &arena, body, &options);
 *     for (size_t i = 0; i < links.count; i++)
 *         consider(links.link[i].href, links.info.base);
 *
 * One pass over the whole page in memory: the pagefetcher has it all, and
 * the pagesaver needs all of it anyway. Tree-building rules count as far as
 * they decide which tags are tags (web/tree.h): raw text elements, foreign
 * content, the insides of template, framesets. XHTML is read as XML
 * (web/xml.h).
 */
#ifndef WEB_HTML_H
#define WEB_HTML_H

#include "base/mem.h"
#include "base/str.h"
#include "web/charset.h"

enum html_link_kind {
    HTML_A, /* of SVG too */
    HTML_AREA,
    HTML_FRAME,
    HTML_IFRAME,
    HTML_REFRESH, /* meta http-equiv=refresh, or a header of that name */
    HTML_LINK,    /* link rel=... href=... */
    HTML_FORM,    /* form action=..., of GET; only if asked for */
    HTML_LINK_KINDS,
};

struct html_link {
    enum html_link_kind kind;
    struct str href; /* UTF-8, character references decoded, not resolved */
    struct str rel;  /* as written; empty where there is none */
    struct str text; /* of an `a`, blanks folded; only if asked for */
};

/* A page needs its requisites to be shown. Their kinds, by what names them. */
enum html_requisite_kind {
    HTML_REQUISITE_STYLESHEET, /* link rel=stylesheet */
    HTML_REQUISITE_CSS,   /* @import, url() in a style element or attribute */
    HTML_REQUISITE_IMAGE, /* img, srcset, input type=image, poster, ... */
    HTML_REQUISITE_SCRIPT,
    HTML_REQUISITE_ICON,
    HTML_REQUISITE_MEDIA,    /* audio, video, source, track */
    HTML_REQUISITE_PRELOAD,  /* link rel=preload, modulepreload */
    HTML_REQUISITE_MANIFEST, /* link rel=manifest */
    HTML_REQUISITE_OBJECT,   /* object, embed */
    HTML_REQUISITE_FRAME,    /* frame, iframe: links as well */
    HTML_REQUISITE_KINDS,
};

struct html_requisite {
    enum html_requisite_kind kind;
    struct str href; /* as that of a link */
};

/* The statements of a page about itself. */
struct html_info {
    struct str base; /* href of the first base that has one, or {NULL, 0} */
    /* <meta name=robots>, or the agent's own name */
    bool noindex, nofollow, noarchive;
    bool upgrades_http; /* by a policy: browsers ask for https instead */
    const struct charset *charset;
    struct str title;  /* if asked for; {NULL, 0}: there is none */
    struct str ids;    /* if asked for: what a fragment can name, one a line */
    size_t ids_beyond; /* more of them than HTML_IDS_MAX and the like allow */
};

struct html_scan_options {
    struct str http_charset; /* the label of the HTTP header, or empty */
    struct str agent;        /* <meta name=AGENT> is for us too; may be empty */
    bool want_text;
    bool is_xhtml; /* served as application/xhtml+xml: it is XML */
    bool want_requisites;
    bool want_title, want_ids, want_forms;
};

/* Links in document order, in the arena, with the page's own facts. */
struct html_links {
    struct html_link *link;
    size_t count;
    size_t beyond; /* HTML_LINKS_MAX: how many more there were */
    struct html_requisite *requisite; /* if asked for, in document order */
    size_t requisites;
    size_t requisites_beyond; /* HTML_REQUISITES_MAX */
    struct html_info info;
};

enum {
    HTML_LINKS_MAX = 100000,
    HTML_LINK_TEXT_MAX = 1000,
    HTML_REQUISITES_MAX = 10000,
    HTML_TITLE_MAX = 1000,
    HTML_ID_MAX = 1000,
    HTML_IDS_MAX = 10000,
    HTML_IDS_BYTES_MAX = 256 << 10,
};

/* Slices of the result point into `html` or into `arena`. */
void html_scan(struct html_links *links, struct arena *arena, struct str html,
               const struct html_scan_options *options);

/* Does it lead to a page? */
static inline bool html_link_is_followed(enum html_link_kind kind)
{
    return kind != HTML_LINK && kind != HTML_FORM;
}

const char *html_link_kind_name(enum html_link_kind kind);
const char *html_requisite_kind_name(enum html_requisite_kind kind);

/* --- the meaning of values -----------------------------------------------
 *
 * For meta elements and headers that do the same. All values are decoded
 * already. */

/* The URL in the content of <meta http-equiv=refresh>, or of a Refresh header
 * ("5; url=next.html"), by the standard's shared declarative refresh steps.
 * {NULL, 0} where the content is no refresh or one of the page itself. */
struct str html_refresh_url(struct str content);

/* Add what the content of <meta name=robots> forbids ("noindex, nofollow",
 * "none" for both, "noarchive"); what it allows takes nothing back. */
void html_robots_rules(struct str content, bool *noindex, bool *nofollow,
                       bool *noarchive);

/* Does the content of <meta http-equiv=content-security-policy>, or of such a
 * header, have browsers ask for https where the page names http
 * (upgrade-insecure-requests)? */
bool html_policy_upgrades(struct str policy);

/* The fragment of a reference, as written; {NULL, 0} where there is none. */
struct str html_fragment(struct str href);

/* Does a reference of a requisite lead to something to fetch? Not one to the
 * page itself, and not one that is its own content. */
bool html_requisite_is_fetched(struct str href);

#endif
