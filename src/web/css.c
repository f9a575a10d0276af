#include "web/css.h"

#include "base/str.h"

void css_init(struct css *css, struct arena *arena, struct str text,
              enum css_place place)
{
    unsigned blocks = place == CSS_ATTRIBUTE;

    if (!text.ptr)
        text = STR("");
    *css = (struct css){
        .at = text.ptr,
        .end = text.ptr + text.len,
        .arena = arena,
        .blocks = blocks,
        .blocks_min = blocks,
        .may_import = place == CSS_SHEET,
    };
    if (str_starts(text, STR("\xef\xbb\xbf")))
        css->at += 3;
}

/* ---- characters (4.2) --------------------------------------------------- */

static bool is_newline(char c)
{
    return c == '\n' || c == '\r' || c == '\f';
}

/* NUL counts as U+FFFD, which is a letter. */
static bool starts_name(char c)
{
    return ascii_is_alpha(c) || c == '_' || (unsigned char)c >= 0x80 || !c;
}

/* The byte `n` further on; a newline, which is of no token, after the end. */
static char peek(const struct css *css, size_t n)
{
    return n < (size_t)(css->end - css->at) ? css->at[n] : '\n';
}

static bool is_at(const struct css *css, struct str text)
{
    return str_starts(str_between(css->at, css->end), text);
}

static bool is_escape(const char *at, const char *end)
{
    return *at == '\\' && !(at + 1 < end && is_newline(at[1]));
}

/* 4.3.9 */
static bool starts_identifier(const struct css *css)
{
    const char *at = css->at;

    if (at < css->end && *at == '-') {
        if (++at < css->end && *at == '-')
            return true;
    }
    return at < css->end && (starts_name(*at) || is_escape(at, css->end));
}

/* ---- escapes (4.3.7) ---------------------------------------------------- */

enum { ESCAPE_DIGITS_MAX = 6 };

static const char *skip_newline(const char *at, const char *end)
{
    return at + (*at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1);
}

/* `at` is behind the backslash. Where the escape ends, and its character. */
static const char *read_escape(const char *at, const char *end, uint32_t *c)
{
    unsigned digits = 0;

    *c = 0;
    if (at == end) {
        *c = UTF8_REPLACEMENT;
        return at;
    }
    while (at < end && digits < ESCAPE_DIGITS_MAX && hex_value(*at) >= 0) {
        *c = *c * 16 + (uint32_t)hex_value(*at++);
        digits++;
    }
    if (!digits)
        return at + utf8_read(at, end, c);
    if (at < end && ascii_is_space(*at))
        at = skip_newline(at, end);
    if (!*c || (*c >= 0xd800 && *c < 0xe000) || *c > 0x10ffff)
        *c = UTF8_REPLACEMENT;
    return at;
}

/* Behind one character, which may be an escape. */
static const char *skip_character(const char *at, const char *end)
{
    uint32_t c;

    if (*at != '\\')
        return at + 1;
    return at + 1 < end && is_newline(at[1]) ? skip_newline(at + 1, end)
                                             : read_escape(at + 1, end, &c);
}

/* An escaped newline in a string is nothing at all. */
static struct str unescape(struct arena *arena, struct str raw)
{
    const char *at = raw.ptr, *end = raw.ptr + raw.len;

    if (!raw.len || (!memchr(at, '\\', raw.len) && !memchr(at, '\0', raw.len)))
        return raw;
    /* The longest character takes one byte of the text or two. */
    char *start = arena_reserve(arena, 3 * raw.len), *to = start;
    while (at < end) {
        uint32_t c = UTF8_REPLACEMENT;
        if (*at && *at != '\\') {
            *to++ = *at++;
        } else if (*at && at + 1 < end && is_newline(at[1])) {
            at = skip_newline(at + 1, end);
        } else {
            at = *at ? read_escape(at + 1, end, &c) : at + 1;
            to += utf8_put(to, c);
        }
    }
    arena_commit(arena, (size_t)(to - start));
    return str_between(start, to);
}

/* ---- tokens ------------------------------------------------------------- */

static void skip_comment(struct css *css)
{
    for (css->at += 2; css->at < css->end; css->at++)
        if (*css->at == '*' && peek(css, 1) == '/') {
            css->at += 2;
            return;
        }
}

static void skip_spaces(struct css *css)
{
    while (css->at < css->end && ascii_is_space(*css->at))
        css->at++;
}

/* In lower case; a longer one is none that we know. */
enum { NAME_MAX_LEN = 23 };
struct name {
    size_t len;
    char text[NAME_MAX_LEN];
};

static struct name read_name(struct css *css)
{
    struct name name = {0};

    while (css->at < css->end) {
        uint32_t c = (unsigned char)*css->at;
        if (starts_name(*css->at) || ascii_is_digit(*css->at) ||
            *css->at == '-')
            css->at++;
        else if (is_escape(css->at, css->end))
            css->at = read_escape(css->at + 1, css->end, &c);
        else
            break;
        if (name.len < NAME_MAX_LEN)
            name.text[name.len] = c < 0x80 ? ascii_lower((char)c) : '\x7f';
        name.len++;
    }
    return name;
}

static bool name_is(const struct name *name, const char *text)
{
    return name->len <= NAME_MAX_LEN &&
           str_eq((struct str){name->text, name->len}, str_of(text));
}

/* 4.3.3, with what follows: a unit is no name of a function. */
static void skip_number(struct css *css)
{
    while (ascii_is_digit(peek(css, 0)))
        css->at++;
    if (peek(css, 0) == '.' && ascii_is_digit(peek(css, 1))) {
        css->at++;
        while (ascii_is_digit(peek(css, 0)))
            css->at++;
    }
    if (starts_identifier(css))
        read_name(css);
}

static bool starts_number(const struct css *css)
{
    size_t sign = peek(css, 0) == '-' || peek(css, 0) == '+';

    return ascii_is_digit(peek(css, sign)) ||
           (peek(css, sign) == '.' && ascii_is_digit(peek(css, sign + 1)));
}

/* 4.3.5. False if a newline breaks it off: then it is no string. */
static bool read_string(struct css *css, struct str *raw)
{
    char quote = *css->at++;
    const char *start = css->at;

    while (css->at < css->end && *css->at != quote) {
        if (is_newline(*css->at))
            return false;
        /* A backslash at the very end says nothing. */
        if (*css->at == '\\' && css->at + 1 == css->end)
            break;
        css->at = skip_character(css->at, css->end);
    }
    *raw = str_between(start, css->at);
    if (css->at < css->end)
        css->at++;
    return true;
}

/* 4.3.14 */
static void skip_bad_url(struct css *css)
{
    for (; css->at < css->end; css->at++) {
        if (*css->at == ')') {
            css->at++;
            return;
        }
        if (is_escape(css->at, css->end) && css->at + 1 < css->end)
            css->at++;
    }
}

static bool is_wrong_in_url(char c)
{
    unsigned char byte = (unsigned char)c;

    return c == '"' || c == '\'' || c == '(' || (byte && byte < 0x20) ||
           byte == 0x7f;
}

/* 4.3.6, behind "url(" and white space. */
static bool read_plain_url(struct css *css, struct str *raw)
{
    const char *start = css->at;

    while (css->at < css->end && *css->at != ')' && !ascii_is_space(*css->at)) {
        if (is_wrong_in_url(*css->at) ||
            (*css->at == '\\' && !is_escape(css->at, css->end))) {
            skip_bad_url(css);
            return false;
        }
        css->at = skip_character(css->at, css->end);
    }
    *raw = str_between(start, css->at);
    skip_spaces(css);
    if (css->at < css->end && *css->at != ')') {
        skip_bad_url(css);
        return false;
    }
    if (css->at < css->end)
        css->at++;
    return true;
}

/* ---- what they mean ----------------------------------------------------- */

static void leave_declaration(struct css *css)
{
    css->at_rule = CSS_NO_RULE;
    css->parens = css->image_set = 0;
}

/* Any token that is not of an at-rule begins a rule. */
static void begin_rule(struct css *css)
{
    if (!css->blocks && css->at_rule == CSS_NO_RULE)
        css->may_import = false;
    if (css->at_rule == CSS_IMPORT)
        css->at_rule = CSS_OTHER_RULE;
}

/* A URL was read: does it count here? It does in a declaration. */
static bool counts(struct css *css)
{
    bool is_import = css->at_rule == CSS_IMPORT;

    begin_rule(css);
    return is_import || (css->blocks && css->at_rule == CSS_NO_RULE);
}

static bool take_string(struct css *css, struct str *raw)
{
    if (!read_string(css, raw)) {
        begin_rule(css);
        return false;
    }
    if (css->at_rule != CSS_IMPORT &&
        (!css->image_set || css->image_set != css->parens)) {
        begin_rule(css);
        return false;
    }
    return counts(css);
}

static bool take_url(struct css *css, struct str *raw)
{
    skip_spaces(css);
    if (css->at == css->end || (*css->at != '"' && *css->at != '\'')) {
        bool is_good = read_plain_url(css, raw);
        return counts(css) && is_good;
    }
    bool is_good = read_string(css, raw);
    bool is_counted = counts(css);
    css->parens++;
    return is_good && is_counted;
}

static void take_at_keyword(struct css *css)
{
    css->at++;
    if (!starts_identifier(css)) {
        begin_rule(css);
        return;
    }
    struct name name = read_name(css);
    bool is_first = !css->blocks && css->may_import;

    if (css->at_rule != CSS_NO_RULE) {
        begin_rule(css); /* inside of another one it is only a word */
        return;
    }
    css->at_rule =
        is_first && name_is(&name, "import") ? CSS_IMPORT : CSS_OTHER_RULE;
    if (!name_is(&name, "import") && !name_is(&name, "charset") &&
        !name_is(&name, "layer"))
        css->may_import = false;
}

/* True with a URL. */
static bool take_word(struct css *css, struct str *raw)
{
    struct name name = read_name(css);

    if (css->at == css->end || *css->at != '(') {
        begin_rule(css);
        return false;
    }
    css->at++;
    if (name_is(&name, "url"))
        return take_url(css, raw);
    begin_rule(css);
    css->parens++;
    if (name_is(&name, "image-set") || name_is(&name, "-webkit-image-set"))
        css->image_set = css->parens;
    return false;
}

static void take_other(struct css *css)
{
    switch (*css->at++) {
    case '(':
    case '[':
        begin_rule(css);
        css->parens++;
        break;
    case ')':
    case ']':
        begin_rule(css);
        if (css->image_set == css->parens)
            css->image_set = 0;
        css->parens -= css->parens > 0;
        break;
    case '{':
        leave_declaration(css);
        css->may_import = false;
        css->blocks++;
        break;
    case '}':
        leave_declaration(css);
        css->may_import = css->may_import && css->blocks;
        css->blocks -= css->blocks > css->blocks_min;
        break;
    case ';':
        if (!css->blocks && css->at_rule == CSS_NO_RULE)
            css->may_import = false;
        leave_declaration(css);
        break;
    case '#':
        begin_rule(css);
        read_name(css);
        break;
    default:
        begin_rule(css);
        break;
    }
}

bool css_next(struct css *css, struct str *url)
{
    struct str raw = {0};
    bool is_found = false;

    while (!is_found && css->at < css->end) {
        char c = *css->at;
        if (ascii_is_space(c))
            css->at++;
        else if (c == '/' && peek(css, 1) == '*')
            skip_comment(css);
        else if (c == '<' && is_at(css, STR("<!--")))
            css->at += 4;
        else if (c == '-' && is_at(css, STR("-->")))
            css->at += 3;
        else if (c == '"' || c == '\'')
            is_found = take_string(css, &raw);
        else if (c == '@')
            take_at_keyword(css);
        else if (starts_number(css)) {
            begin_rule(css);
            css->at += c == '-' || c == '+';
            skip_number(css);
        } else if (starts_identifier(css))
            is_found = take_word(css, &raw);
        else
            take_other(css);
    }
    if (is_found)
        *url = unescape(css->arena, raw);
    return is_found;
}

/* ---- srcset ------------------------------------------------------------- */

/* The descriptors of one candidate, as far as they decide whether it is good.
 */
struct descriptors {
    bool has_width, has_density, has_height, is_bad;
};

/* A valid non-negative integer above 0. */
static bool is_positive(struct str digits)
{
    bool is_above_0 = false;

    for (size_t i = 0; i < digits.len; i++) {
        if (!ascii_is_digit(digits.ptr[i]))
            return false;
        is_above_0 |= digits.ptr[i] != '0';
    }
    return is_above_0;
}

static struct str skip_digits(struct str s)
{
    while (s.len && ascii_is_digit(s.ptr[0]))
        s = str_skip(s, 1);
    return s;
}

/* A valid floating-point number that is not below 0. */
static bool is_density(struct str number)
{
    struct str s = number;
    bool is_negative = s.len && s.ptr[0] == '-';

    if (is_negative)
        s = str_skip(s, 1);
    struct str rest = skip_digits(s);
    bool has_digits = rest.len < s.len;
    if (rest.len && rest.ptr[0] == '.') {
        s = str_skip(rest, 1);
        rest = skip_digits(s);
        if (rest.len == s.len)
            return false;
        has_digits = true;
    }
    if (has_digits && rest.len && (rest.ptr[0] | 0x20) == 'e') {
        s = str_skip(rest, 1);
        if (s.len && (s.ptr[0] == '-' || s.ptr[0] == '+'))
            s = str_skip(s, 1);
        rest = skip_digits(s);
        has_digits = rest.len < s.len;
    }
    if (!has_digits || rest.len)
        return false;
    if (!is_negative)
        return true;
    /* "-0" is not below 0. */
    for (size_t i = 1; i < number.len && (number.ptr[i] | 0x20) != 'e'; i++)
        if (number.ptr[i] != '0' && number.ptr[i] != '.')
            return false;
    return true;
}

static void take_descriptor(struct descriptors *found, struct str text)
{
    struct str number = str_first(text, text.len ? text.len - 1 : 0);

    if (!text.len)
        return;
    switch (text.ptr[text.len - 1]) {
    case 'w':
        found->is_bad |=
            found->has_width || found->has_density || !is_positive(number);
        found->has_width = true;
        break;
    case 'x':
        found->is_bad |= found->has_width || found->has_density ||
                         found->has_height || !is_density(number);
        found->has_density = true;
        break;
    case 'h':
        found->is_bad |=
            found->has_height || found->has_density || !is_positive(number);
        found->has_height = true;
        break;
    default:
        found->is_bad = true;
        break;
    }
}

/* Up to the comma that ends the candidate. Inside of parens neither commas nor
 * white space separate. */
static bool read_descriptors(struct srcset *srcset)
{
    struct descriptors found = {0};
    const char *start = srcset->at;
    bool in_parens = false;

    for (; srcset->at < srcset->end; srcset->at++) {
        char c = *srcset->at;
        if (in_parens) {
            in_parens = c != ')';
        } else if (c == ',') {
            break;
        } else if (ascii_is_space(c)) {
            take_descriptor(&found, str_between(start, srcset->at));
            start = srcset->at + 1;
        } else if (c == '(') {
            in_parens = true;
        }
    }
    take_descriptor(&found, str_between(start, srcset->at));
    return !found.is_bad && (!found.has_height || found.has_width);
}

bool srcset_next(struct srcset *srcset, struct str *url)
{
    for (;;) {
        while (srcset->at < srcset->end &&
               (ascii_is_space(*srcset->at) || *srcset->at == ','))
            srcset->at++;
        if (srcset->at == srcset->end)
            return false;
        const char *start = srcset->at;
        while (srcset->at < srcset->end && !ascii_is_space(*srcset->at))
            srcset->at++;
        *url = str_between(start, srcset->at);
        if (url->ptr[url->len - 1] != ',') {
            if (read_descriptors(srcset))
                return true;
            continue;
        }
        while (url->ptr[url->len - 1] == ',')
            url->len--;
        return true;
    }
}
