/* The tokenizer of the HTML standard (13.2.5), pull style, over a whole page
 * in memory.
 *
 *     struct html_tokenizer tokenizer;
 *     struct html_token token;
 *
 *     html_tokenizer_init(&tokenizer, page);
 *     while (html_next(&tokenizer, &token))
 *         if (token.type == HTML_TOKEN_START_TAG)
 *             ...
 *
 * A token is a run of text and the markup that ends it. All slices are raw
 * bytes of the page: nothing is copied, decoded or lower-cased before somebody
 * asks (web/text.h), and attributes are read when somebody asks for the next
 * one. The page must be in an encoding in which markup is ASCII
 * (charset_is_markup_safe).
 *
 * The tokenizer does not know what elements mean. As in the standard, the
 * caller switches to raw text after a start tag: html_tokenizer_enter().
 */
#ifndef WEB_TOKENIZER_H
#define WEB_TOKENIZER_H

#include "base/str.h"
#include "web/delimiters.h"
#include "web/text.h"

enum html_token_type {
    HTML_TOKEN_END, /* of the page; there may be text before it */
    HTML_TOKEN_START_TAG,
    HTML_TOKEN_END_TAG,
    HTML_TOKEN_COMMENT,
    HTML_TOKEN_DOCTYPE,
    HTML_TOKEN_NOTHING, /* markup without a meaning, such as "</>" */
};

struct html_token {
    enum html_token_type type;
    enum html_text text_kind;
    struct str text;      /* what stands before the markup; may be empty */
    struct str name;      /* of a tag */
    struct str rest;      /* of a tag: its attributes, up to the '>';
                             of a comment: its data;
                             of a DOCTYPE: what follows that word */
    const char *page_end; /* of a tag: bytes may be read up to here */
};

enum html_state {
    HTML_DATA,
    HTML_RCDATA,
    HTML_RAWTEXT,
    HTML_SCRIPT,
    HTML_PLAINTEXT,
    HTML_CDATA,
};

/* Start tags by the low five bits of their first two bytes, so that letters
 * count the same in both cases; the second byte may be what ends the name. */
struct html_filter {
    bool has[32][32];
};

struct html_tokenizer {
    const char *at, *end;
    struct delimiters delimiters;
    enum html_state state;
    struct str element; /* whose end tag ends the raw text */

    /* Set by the caller in foreign content, where <![CDATA[ is markup. */
    bool has_cdata;
    /* NULL, or the start tags that the caller wants: then other tags may be
     * passed over, and text is left out. The caller may set it at any time. */
    const struct html_filter *only;
};

void html_tokenizer_init(struct html_tokenizer *tokenizer, struct str page);

/* Read on in `state`, up to the end tag of the element of that name. */
void html_tokenizer_enter(struct html_tokenizer *tokenizer,
                          enum html_state state, struct str name);

/* The next token. The last one is HTML_TOKEN_END, for which it is false.
 * A tag that the page's end cuts off is none. */
bool html_next(struct html_tokenizer *tokenizer, struct html_token *token);

/* The attributes of a tag, in order, all of them: of two with the same name
 * the standard takes the first.
 *
 *     struct html_attrs attrs = html_attrs(&token);
 *     struct html_attr attr;
 *     while (html_attrs_next(&attrs, &attr))
 *         ...
 */
struct html_attrs {
    const char *at, *end, *page_end;
    bool is_self_closing; /* known when all have been read: "<br/>" */
};

struct html_attr {
    struct str name, value; /* raw; the value is "" where there is none */
};

static inline struct html_attrs html_attrs(const struct html_token *tag)
{
    return (struct html_attrs){
        .at = tag->rest.ptr,
        .end = tag->rest.ptr + tag->rest.len,
        .page_end = tag->page_end,
    };
}

bool html_attrs_next(struct html_attrs *attrs, struct html_attr *attr);

bool html_is_self_closing(const struct html_token *tag);

/* Is the name of a tag or an attribute this one? `lower_case` is. */
static inline bool html_is_name(struct str name, struct str lower_case)
{
    if (name.len != lower_case.len)
        return false;
    for (size_t i = 0; i < name.len; i++)
        if (ascii_lower(name.ptr[i]) != lower_case.ptr[i])
            return false;
    return true;
}

#endif
