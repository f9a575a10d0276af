/* This file decides only where tokens end. The standard's states are not
 * walked through byte by byte where a search gives the same answer:
 *
 * - a comment ends at the first "-->" or "--!>", a DOCTYPE, a bogus comment
 *   and a tag without quotes at the first '>';
 * - in a tag, a quote matters only as the first byte of a value. Values that
 *   are written name="value" are leapt over from quote to quote; whatever
 *   looks different is left to html_attrs_next(), which follows the standard
 *   state by state.
 *
 * All '<', '>' and quotes of the page are found ahead (web/delimiters.h).
 * Those before `tokenizer->at` have been taken, or delimiters_seek() passes
 * them.
 */
#include "web/tokenizer.h"

#include "web/block.h"

void html_tokenizer_init(struct html_tokenizer *tokenizer, struct str page)
{
    if (!page.ptr)
        page = STR("");
    tokenizer->at = page.ptr;
    tokenizer->end = page.ptr + page.len;
    delimiters_init(&tokenizer->delimiters, page);
    tokenizer->state = HTML_DATA;
    tokenizer->element = (struct str){NULL, 0};
    tokenizer->has_cdata = false;
    tokenizer->only = NULL;
}

void html_tokenizer_enter(struct html_tokenizer *tokenizer,
                          enum html_state state, struct str name)
{
    tokenizer->state = state;
    tokenizer->element = name;
}

/* One test for a set of bytes below 64, because which of them it is differs
 * from tag to tag, and a branch on that would often be guessed wrong. */
static bool is_in(uint64_t set, char c)
{
    return (unsigned char)c < 64 && set >> (unsigned char)c & 1;
}

static const uint64_t SPACES =
    1ull << ' ' | 1ull << '\t' | 1ull << '\n' | 1ull << '\f' | 1ull << '\r';
static const uint64_t SLASH = 1ull << '/';
static const uint64_t GREATER = 1ull << '>';

static bool ends_name(char c)
{
    return is_in(SPACES | SLASH | GREATER, c);
}

/* The end of a name, of which `at` is some byte after the first; `more` ends
 * it too. Bytes may be read up to `end`. */
static inline const char *name_end(const char *at, const char *end, char more)
{
    struct block block = block_load(at, end);
    uint32_t stop = block_at_most(block, ' ') | block_equal(block, '/') |
                    block_equal(block, '>') | block_equal(block, more);

    at += stop ? block_first(stop) : BLOCK_LEN;
    /* A control character may be part of a name, and names may be long. */
    while (at < end && *at != more && !ends_name(*at))
        at++;
    return at < end ? at : end;
}

static const char *skip_spaces(const char *at, const char *end)
{
    while (at < end && is_in(SPACES, *at))
        at++;
    return at;
}

/* ---- attributes ------------------------------------------------------- */

/* 13.2.5.35 to 39: the value that starts at `start`. */
static struct str attr_value(struct html_attrs *attrs, const char *start)
{
    const char *at = start, *end = attrs->end;

    if (at < end && (*at == '"' || *at == '\'')) {
        start++;
        at = block_find(start, attrs->page_end, *at);
        attrs->at = at < end ? at + 1 : end;
        return str_between(start, at < end ? at : end);
    }
    while (at < end && !is_in(SPACES | GREATER, *at))
        at++;
    attrs->at = at;
    return str_between(start, at);
}

/* 13.2.5.32 to 40. Stops before a '>' that ends the tag or at the end. */
bool html_attrs_next(struct html_attrs *attrs, struct html_attr *attr)
{
    const char *at = attrs->at, *end = attrs->end;

    attrs->is_self_closing = false;
    for (; at < end && is_in(SPACES | SLASH, *at); at++)
        attrs->is_self_closing = *at == '/';
    attrs->at = at;
    if (at == end || *at == '>')
        return false;

    /* Even a '=' can be the first byte of a name. */
    const char *name = at;
    at = name_end(name + 1, attrs->page_end, '=');
    if (at > end)
        at = end;
    attr->name = str_between(name, at);
    attr->value = (struct str){"", 0};
    attrs->at = at;

    at = skip_spaces(at, end);
    if (at < end && *at == '=')
        attr->value = attr_value(attrs, skip_spaces(at + 1, end));
    return true;
}

bool html_is_self_closing(const struct html_token *tag)
{
    struct html_attrs attrs = html_attrs(tag);
    struct html_attr attr;

    if (!str_ends(tag->rest, STR("/")))
        return false;
    /* In <a href=x/> the slash is part of the value. */
    while (html_attrs_next(&attrs, &attr))
        ;
    return attrs.is_self_closing;
}

/* ---- tags ------------------------------------------------------------- */

/* The end of a tag in which `at` stands before an attribute. */
static const char *exact_tag_end(struct html_tokenizer *tokenizer,
                                 const char *at)
{
    const char *end = tokenizer->end;
    struct html_attrs attrs = {.at = at, .end = end, .page_end = end};
    struct html_attr attr;

    while (html_attrs_next(&attrs, &attr))
        ;
    delimiters_seek(&tokenizer->delimiters,
                    attrs.at < end ? attrs.at + 1 : end);
    return attrs.at;
}

/* Is the quote the first byte of an attribute's value? It surely is if a blank
 * comes after `at`, then a name, then one '=' and the quote. False if in doubt.
 */
static bool opens_value(const char *at, const char *quote, const char *end)
{
    size_t i = (size_t)(quote - at) - 1;

    if (i >= BLOCK_LEN)
        return false;

    struct block block = block_load(at, end);
    uint32_t before = (1u << i) - 1;
    uint32_t equals = block_equal(block, '=') & (before << 1 | 1);
    uint32_t blanks = block_equal(block, ' ') | block_equal(block, '\n');

    return equals == 1u << i && blanks & before && !ends_name(at[i - 1]);
}

/* The next '>' or quote, or `end`. */
static inline const char *next_stop(struct html_tokenizer *tokenizer)
{
    const char *stop;

    do
        stop = delimiters_take(&tokenizer->delimiters);
    while (stop < tokenizer->end && *stop == '<');
    return stop;
}

/* The end of a tag with quotes, of which the first is at `stop`. */
static const char *quoted_tag_end(struct html_tokenizer *tokenizer,
                                  const char *name, const char *stop)
{
    const char *at = name, *end = tokenizer->end;

    while (stop < end && *stop != '>') {
        if (!opens_value(at, stop, end))
            return exact_tag_end(tokenizer,
                                 at == name ? name_end(name, end, '>') : at);

        const char *close;
        do
            close = delimiters_take(&tokenizer->delimiters);
        while (close < end && *close != *stop);
        if (close == end)
            return end;
        at = close + 1;
        stop = next_stop(tokenizer);
    }
    return stop;
}

/* The '>' that ends the tag of that name, or `end`. Its '<' is the last
 * delimiter that was taken. */
static inline const char *tag_end(struct html_tokenizer *tokenizer,
                                  const char *name)
{
    const char *stop = next_stop(tokenizer);

    if (stop == tokenizer->end || *stop == '>')
        return stop;
    return quoted_tag_end(tokenizer, name, stop);
}

/* The page ends inside of markup that then counts for nothing. */
static bool cut_off(struct html_tokenizer *tokenizer, struct html_token *token)
{
    tokenizer->at = tokenizer->end;
    token->type = HTML_TOKEN_END;
    return false;
}

static bool tag(struct html_tokenizer *tokenizer, struct html_token *token,
                enum html_token_type type, const char *name)
{
    const char *end = tokenizer->end;
    const char *close = tag_end(tokenizer, name);

    if (close == end)
        return cut_off(tokenizer, token);

    const char *after_name = name_end(name, end, '>');
    token->type = type;
    token->name = str_between(name, after_name);
    token->rest = str_between(after_name, close);
    token->page_end = end;
    tokenizer->at = close + 1;
    return true;
}

/* ---- comments, DOCTYPE, CDATA ----------------------------------------- */

static bool comment(struct html_tokenizer *tokenizer, struct html_token *token,
                    const char *data, const char *data_end, size_t close_len)
{
    token->type = HTML_TOKEN_COMMENT;
    token->rest = str_between(data, data_end);
    tokenizer->at = data_end + close_len;
    return true;
}

static bool starts(const char *at, const char *end, struct str prefix)
{
    return str_starts(str_between(at, end), prefix);
}

/* The page ends inside: what may have been the start of "--!>" is no data. */
static bool open_comment(struct html_tokenizer *tokenizer,
                         struct html_token *token, const char *data)
{
    struct str text = str_between(data, tokenizer->end);

    if (str_ends(text, STR("--!")))
        text.len -= 3;
    else if (str_ends(text, STR("--")))
        text.len -= 2;
    else if (str_ends(text, STR("-")))
        text.len -= 1;
    comment(tokenizer, token, data, data + text.len, 0);
    tokenizer->at = tokenizer->end;
    return true;
}

/* 13.2.5.43 to 52; `data` follows "<!--". */
static bool real_comment(struct html_tokenizer *tokenizer,
                         struct html_token *token, const char *data)
{
    const char *end = tokenizer->end;

    if (starts(data, end, STR(">")))
        return comment(tokenizer, token, data, data, 1);
    if (starts(data, end, STR("->")))
        return comment(tokenizer, token, data, data, 2);

    for (const char *at = data;; at++) {
        at = block_find(at, end, '-');
        if (end - at < 3)
            return open_comment(tokenizer, token, data);
        if (at[1] != '-')
            continue;
        if (at[2] == '>')
            return comment(tokenizer, token, data, at, 3);
        if (at[2] == '!' && end - at > 3 && at[3] == '>')
            return comment(tokenizer, token, data, at, 4);
    }
}

static bool bogus_comment(struct html_tokenizer *tokenizer,
                          struct html_token *token, const char *data)
{
    const char *close = block_find(data, tokenizer->end, '>');

    return comment(tokenizer, token, data, close, close < tokenizer->end);
}

/* 13.2.5.42, after "<!". */
static bool declaration(struct html_tokenizer *tokenizer,
                        struct html_token *token, const char *at)
{
    const char *end = tokenizer->end;

    if (starts(at, end, STR("--")))
        return real_comment(tokenizer, token, at + 2);
    if (str_starts_nocase(str_between(at, end), STR("doctype"))) {
        bogus_comment(tokenizer, token, at + 7);
        token->type = HTML_TOKEN_DOCTYPE;
        return true;
    }
    if (tokenizer->has_cdata && starts(at, end, STR("[CDATA["))) {
        tokenizer->state = HTML_CDATA;
        tokenizer->at = at + 7;
        token->type = HTML_TOKEN_NOTHING;
        return true;
    }
    return bogus_comment(tokenizer, token, at);
}

/* Read the markup after a '<' that starts no tag. False if the '<' is text. */
static bool other_markup(struct html_tokenizer *tokenizer,
                         struct html_token *token, const char *less)
{
    struct str rest = str_between(less, tokenizer->end);

    if (str_starts(rest, STR("<!")))
        return declaration(tokenizer, token, less + 2);
    if (str_starts(rest, STR("<?")))
        return bogus_comment(tokenizer, token, less + 1);
    if (!str_starts(rest, STR("</")) || rest.len == 2)
        return false;
    if (rest.ptr[2] != '>')
        return bogus_comment(tokenizer, token, less + 2);
    token->type = HTML_TOKEN_NOTHING;
    tokenizer->at = less + 3;
    return true;
}

/* ---- text ------------------------------------------------------------- */

/* All that remains is text. */
static bool rest_is_text(struct html_tokenizer *tokenizer,
                         struct html_token *token)
{
    token->text = str_between(tokenizer->at, tokenizer->end);
    return cut_off(tokenizer, token);
}

static inline const char *next_less(struct html_tokenizer *tokenizer)
{
    const char *less;

    do
        less = delimiters_take(&tokenizer->delimiters);
    while (less < tokenizer->end && *less != '<');
    return less;
}

/* The next '<' that is not of a tag that nobody wants, or `end`. This is
 * where nearly all of a page goes by. */
static const char *skip_unwanted(struct html_tokenizer *tokenizer)
{
    const struct html_filter *only = tokenizer->only;
    const char *end = tokenizer->end;

    for (;;) {
        const char *less = next_less(tokenizer);

        if (end - less < 4)
            return less;
        bool is_end = less[1] == '/';
        const char *name = less + 1 + is_end;
        bool is_wanted = !is_end & only->has[name[0] & 31][name[1] & 31];
        if (is_wanted | !ascii_is_alpha(name[0]))
            return less;
        if (tag_end(tokenizer, name) == end)
            return end;
    }
}

/* 13.2.5.1 and 6. */
static bool data(struct html_tokenizer *tokenizer, struct html_token *token)
{
    const char *end = tokenizer->end;

    token->text_kind = HTML_TEXT_DATA;
    delimiters_seek(&tokenizer->delimiters, tokenizer->at);
    for (;;) {
        const char *less;

        if (tokenizer->only)
            tokenizer->at = less = skip_unwanted(tokenizer);
        else
            less = next_less(tokenizer);
        if (end - less < 2)
            return rest_is_text(tokenizer, token);

        token->text = str_between(tokenizer->at, less);
        bool is_end = less[1] == '/';
        const char *name = less + 1 + is_end;
        if (name < end && ascii_is_alpha(*name))
            return tag(tokenizer, token,
                       is_end ? HTML_TOKEN_END_TAG : HTML_TOKEN_START_TAG,
                       name);
        if (other_markup(tokenizer, token, less))
            return true;
    }
}

/* Does `at` start a tag: `open` is "<" or "</", and the name ends there? */
static bool is_tag(const char *at, const char *end, struct str open,
                   struct str name)
{
    size_t len = open.len + name.len;

    return (size_t)(end - at) > len && starts(at, end, open) &&
           str_starts_nocase(str_between(at + open.len, end), name) &&
           ends_name(at[len]);
}

/* The end tag of the element whose raw text this is. */
static bool is_end_tag(const struct html_tokenizer *tokenizer, const char *at)
{
    return tokenizer->element.len &&
           is_tag(at, tokenizer->end, STR("</"), tokenizer->element);
}

static bool end_raw(struct html_tokenizer *tokenizer, struct html_token *token,
                    const char *end_tag)
{
    token->text = str_between(tokenizer->at, end_tag);
    tokenizer->state = HTML_DATA;
    delimiters_seek(&tokenizer->delimiters, end_tag + 1);
    return tag(tokenizer, token, HTML_TOKEN_END_TAG, end_tag + 2);
}

/* 13.2.5.2, 3, 9 to 14. */
static bool raw_text(struct html_tokenizer *tokenizer, struct html_token *token)
{
    const char *end = tokenizer->end;
    const char *at = block_find(tokenizer->at, end, '<');

    for (; at < end; at = block_find(at + 1, end, '<'))
        if (is_end_tag(tokenizer, at))
            return end_raw(tokenizer, token, at);
    return rest_is_text(tokenizer, token);
}

/* Between "<!--" and "-->" a script is escaped, and there a <script> hides
 * the end tag: double escaped. */
enum script_depth { SCRIPT_PLAIN, SCRIPT_ESCAPED, SCRIPT_DOUBLE_ESCAPED };

/* The depth after the '<' or '-' at `at`. */
static enum script_depth script_depth(enum script_depth depth, const char *at,
                                      const char *end)
{
    static const struct str name = STR_INIT("script");

    switch (depth) {
    case SCRIPT_PLAIN:
        return starts(at, end, STR("<!--")) ? SCRIPT_ESCAPED : depth;
    case SCRIPT_ESCAPED:
        if (is_tag(at, end, STR("<"), name))
            return SCRIPT_DOUBLE_ESCAPED;
        break;
    case SCRIPT_DOUBLE_ESCAPED:
        if (is_tag(at, end, STR("</"), name))
            return SCRIPT_ESCAPED;
        break;
    }
    return starts(at, end, STR("-->")) ? SCRIPT_PLAIN : depth;
}

/* 13.2.5.4, 15 to 31. */
static bool script(struct html_tokenizer *tokenizer, struct html_token *token)
{
    const char *at = tokenizer->at, *end = tokenizer->end;
    enum script_depth depth = SCRIPT_PLAIN;

    for (;; at++) {
        if (depth == SCRIPT_PLAIN)
            at = block_find(at, end, '<');
        while (at < end && *at != '<' && *at != '-')
            at++;
        if (at == end)
            return rest_is_text(tokenizer, token);
        if (depth != SCRIPT_DOUBLE_ESCAPED && is_end_tag(tokenizer, at))
            return end_raw(tokenizer, token, at);

        enum script_depth before = depth;
        depth = script_depth(before, at, end);
        if (before == SCRIPT_PLAIN && depth == SCRIPT_ESCAPED)
            at++; /* its own dashes may end it: "<!-->" */
    }
}

/* 13.2.5.69 to 71. */
static bool cdata(struct html_tokenizer *tokenizer, struct html_token *token)
{
    const char *end = tokenizer->end;
    const char *at = block_find(tokenizer->at, end, ']');

    for (; at < end; at = block_find(at + 1, end, ']')) {
        if (!starts(at, end, STR("]]>")))
            continue;
        token->text = str_between(tokenizer->at, at);
        token->type = HTML_TOKEN_NOTHING;
        tokenizer->state = HTML_DATA;
        tokenizer->at = at + 3;
        return true;
    }
    return rest_is_text(tokenizer, token);
}

bool html_next(struct html_tokenizer *tokenizer, struct html_token *token)
{
    if (tokenizer->state == HTML_DATA)
        return data(tokenizer, token);

    token->text_kind = HTML_TEXT_RAW;
    switch (tokenizer->state) {
    case HTML_RCDATA:
        token->text_kind = HTML_TEXT_RCDATA;
        return raw_text(tokenizer, token);
    case HTML_RAWTEXT:
        return raw_text(tokenizer, token);
    case HTML_SCRIPT:
        return script(tokenizer, token);
    case HTML_CDATA:
        token->text_kind = HTML_TEXT_CDATA;
        return cdata(tokenizer, token);
    default:
        return rest_is_text(tokenizer, token);
    }
}
