#include "web/robots.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "web/url.h"

/* ---- our name ----------------------------------------------------------- */

/* The token that `text` starts with; may be empty. */
static struct str token_at(struct str text)
{
    size_t len = 0;

    while (len < text.len && (ascii_is_alpha(text.ptr[len]) ||
                              text.ptr[len] == '-' || text.ptr[len] == '_'))
        len++;
    return str_first(text, len);
}

bool robots_is_token(struct str text)
{
    return text.len && token_at(text).len == text.len;
}

/* Up to its version, or to what comes after it. */
static struct str name_at(struct str text)
{
    size_t len = 0;

    text = str_trim(text);
    while (len < text.len && !ascii_is_space(text.ptr[len]) &&
           !strchr("/;,()", text.ptr[len]))
        len++;
    return str_first(text, len);
}

/* The text after "compatible;" in a comment, or nothing. */
static struct str after_compatible(struct str user_agent)
{
    static const struct str word = STR_INIT("compatible;");
    bool in_comment = false;

    for (size_t i = 0; i < user_agent.len; i++) {
        char c = user_agent.ptr[i];
        in_comment = (in_comment || c == '(') && c != ')';
        if (in_comment && (ascii_is_space(c) || strchr("(;", c)) &&
            str_starts_nocase(str_skip(user_agent, i + 1), word))
            return str_skip(user_agent, i + 1 + word.len);
    }
    return (struct str){0};
}

struct str robots_token_of(struct str user_agent)
{
    struct str name = name_at(user_agent);

    if (str_eq_nocase(name, STR("mozilla"))) {
        struct str rest = after_compatible(user_agent);
        if (rest.ptr)
            name = name_at(rest);
    }
    return robots_is_token(name) ? name : (struct str){0};
}

/* ---- rules as they are kept and compared -------------------------------- */

/* Two spellings of a path are compared in one form (RFC 9309, 2.2.2): what
 * is unreserved is not percent-encoded, all else that a URL cannot hold is,
 * in capitals. '*' and '$' of a path are encoded, because in a rule they are
 * special. */
enum path_form {
    PATH_PLAIN,
    PATH_QUERY,   /* %2F and %3A behind a '?' are decoded too, so that
                     "?u=http://x" and "?u=http%3A%2F%2Fx" are the same */
    PATH_WRITTEN, /* nothing is decoded */
    PATH_FORMS,
};

enum rule_flag {
    RULE_ALLOW = 1,
    RULE_STAR = 2,     /* has a '*' */
    RULE_END = 4,      /* ended in '$': the path must end there */
    RULE_QUERY = 8,    /* has a '?': compared in PATH_QUERY */
    RULE_WRITTEN = 16, /* compared in PATH_WRITTEN */
    RULE_FLAG_BITS = 5,
};

/* A pattern in canonical form. Its text follows that of the rule before. */
struct rule {
    uint32_t line_and_flags; /* line << RULE_FLAG_BITS | flags */
    uint16_t len;            /* of the text */
    uint16_t octets;         /* as written, '*' and '$' included: longer wins */
};
static_assert(sizeof(struct rule) == 8, "a cache holds many");

struct robots {
    uint32_t size; /* of this block */
    uint32_t rule_count;
    uint32_t sitemap_len; /* the values, each ended by '\n' */
    uint32_t crawl_delay_ms;
    uint32_t flags;      /* of all rules */
    struct rule rules[]; /* then the rules' text, then the sitemaps */
};

#define ENCODED_16 "eeeeeeeeeeeeeeee"

/* The class of a byte in a path: '.' stands for itself, 'e' must be
 * percent-encoded, 's' is special in a rule; behind '?' comes the query. */
// clang-format off
static const char classes[] =
    ENCODED_16 ENCODED_16
    "e.e.s%....s....." /* !"#$%&'()*+,-./ */
    "............e.e?" /* 0123456789:;<=>? */
    "................" /* @ and A to O */
    "............e.e." /* P to Z and [\]^_ */
    "e..............." /* ` and a to o */
    "...........eee.e" /* p to z and {|}~ */
    ENCODED_16 ENCODED_16 ENCODED_16 ENCODED_16
    ENCODED_16 ENCODED_16 ENCODED_16 ENCODED_16;
// clang-format on
static_assert(sizeof(classes) == 256 + 1, "every byte has a class");

static char class_of(char c)
{
    return classes[(unsigned char)c];
}

/* True where all forms of `path` are the path itself. */
static bool path_is_canonical(struct str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (class_of(path.ptr[i]) != '.' && path.ptr[i] != '?')
            return false;
    return true;
}

static void put_encoded(struct buf *out, unsigned char c)
{
    char encoded[3];

    percent_put(encoded, c);
    buf_put(out, (struct str){encoded, 3});
}

/* One character of `s`; returns what was taken. */
static size_t put_next(struct str s, enum path_form form, bool in_query,
                       struct buf *out)
{
    char class = class_of(s.ptr[0]);
    int value = percent_value(s);

    if (value >= 0) {
        bool decode =
            percent_is_unreserved((char)value) && form != PATH_WRITTEN;
        if (form == PATH_QUERY && in_query && (value == '/' || value == ':'))
            decode = true;
        if (decode)
            buf_put_char(out, (char)value);
        else
            put_encoded(out, (unsigned char)value);
        return 3;
    }
    if (class == 'e' || class == 's')
        put_encoded(out, (unsigned char)s.ptr[0]);
    else
        buf_put_char(out, s.ptr[0]);
    return 1;
}

/* Append what needs no change and take it off the front of `s`. */
static void put_plain(struct str *s, struct buf *out)
{
    size_t len = 0;

    while (len < s->len && class_of(s->ptr[len]) == '.')
        len++;
    if (len > out->cap - out->len)
        len = out->cap - out->len;
    buf_put(out, str_first(*s, len));
    *s = str_skip(*s, len);
}

/* Append the form; what does not fit into the cap of `out` is cut off. */
static void put_path(struct str path, enum path_form form, struct buf *out)
{
    bool in_query = false;

    for (;;) {
        put_plain(&path, out);
        if (!path.len || out->cap - out->len < 3)
            return;
        in_query |= path.ptr[0] == '?';
        path = str_skip(path, put_next(path, form, in_query, out));
    }
}

struct pattern {
    size_t stars;   /* several in a row count, and are written, once */
    size_t encoded; /* octets that had to be percent-encoded */
    bool has_query;
};

static struct pattern put_pattern(struct str s, enum path_form form,
                                  struct buf *out)
{
    struct pattern pattern = {0};

    for (;;) {
        put_plain(&s, out);
        if (!s.len)
            return pattern;
        if (s.ptr[0] == '*') {
            buf_put_char(out, '*');
            pattern.stars++;
            while (s.len && s.ptr[0] == '*')
                s = str_skip(s, 1);
            continue;
        }
        pattern.has_query |= s.ptr[0] == '?';
        pattern.encoded += class_of(s.ptr[0]) == 'e';
        s = str_skip(s, put_next(s, form, pattern.has_query, out));
    }
}

static bool encodes_unreserved(struct str pattern)
{
    for (; pattern.len; pattern = str_skip(pattern, 1)) {
        int value = percent_value(pattern);
        if (value >= 0 && percent_is_unreserved((char)value))
            return true;
    }
    return false;
}

/* Make a rule of a line's value; `flags` is RULE_ALLOW or 0. The text goes to
 * `out`. False if it cannot match any path; nothing is added then. */
static bool rule_init(struct rule *rule, struct str value, uint32_t flags,
                      struct buf *out)
{
    size_t before = out->len, octets = value.len;

    /* A path starts with '/'. */
    if (!value.len || (value.ptr[0] != '/' && value.ptr[0] != '*'))
        return false;
    if (value.ptr[value.len - 1] == '$') {
        flags |= RULE_END;
        value.len--;
    }
    /* "%61" in a rule is "a", says the RFC; Google takes it as it stands. In
     * doubt the answer is no: so in a rule that allows it stands. */
    if (flags & RULE_ALLOW && encodes_unreserved(value))
        flags |= RULE_WRITTEN;

    struct pattern pattern = put_pattern(
        value, flags & RULE_WRITTEN ? PATH_WRITTEN : PATH_QUERY, out);
    /* "/a*" is "/a", and "/a*$" is too. */
    if (out->ptr[out->len - 1] == '*') {
        flags &= ~(uint32_t)RULE_END;
        pattern.stars--;
        out->len--;
    }
    if (pattern.stars)
        flags |= RULE_STAR;
    if (pattern.has_query)
        flags |= RULE_QUERY;

    octets += 2 * pattern.encoded;
    assert(out->len - before <= UINT16_MAX && octets <= UINT16_MAX);
    *rule =
        (struct rule){flags, (uint16_t)(out->len - before), (uint16_t)octets};
    return true;
}

/* ---- reading a file ----------------------------------------------------- */

enum {
    LINE_LEN_MAX = 16663,
    /* A byte becomes at most three, and an index page counts twice. */
    TEXT_MAX = 8 * ROBOTS_SIZE_MAX,
};

/* The rules of a group, ours or that of "*". */
struct group {
    struct buf rules; /* struct rule */
    struct buf text;
    uint32_t flags; /* of all rules */
    uint32_t crawl_delay_ms;
};

struct parser {
    struct str agents; /* ours, separated by commas */
    struct group own, any;
    bool agent_read; /* a user-agent line was met: the file has groups */
    uint32_t crawl_delay_ms; /* that belongs to no group */
    bool own_seen;           /* a group of our own was met anywhere */
    bool in_own, in_any;     /* the group being read is ours, is that of "*" */
    bool in_rules; /* it has a rule: a user-agent line starts another */

    /* A delay is no rule and ends no group, but it belongs only to the
     * agents named since the last delay or rule. */
    bool delays_own, delays_any, delay_read;
    struct buf sitemaps;
    uint32_t line;

    /* For robots_line: nothing but the text of this line is wanted. */
    uint32_t wanted;
    struct str found;
};

enum directive { USER_AGENT, ALLOW, DISALLOW, CRAWL_DELAY, SITEMAP, OTHER };

/* Prefixes, as Google has them, with the misspellings it met often. */
static const struct {
    struct str name;
    enum directive directive;
} directives[] = {
    {STR_INIT("user-agent"), USER_AGENT},   {STR_INIT("useragent"), USER_AGENT},
    {STR_INIT("user agent"), USER_AGENT},   {STR_INIT("allow"), ALLOW},
    {STR_INIT("disallow"), DISALLOW},       {STR_INIT("dissallow"), DISALLOW},
    {STR_INIT("dissalow"), DISALLOW},       {STR_INIT("disalow"), DISALLOW},
    {STR_INIT("diasllow"), DISALLOW},       {STR_INIT("disallaw"), DISALLOW},
    {STR_INIT("sitemap"), SITEMAP},         {STR_INIT("site-map"), SITEMAP},
    {STR_INIT("crawl-delay"), CRAWL_DELAY},
};

static enum directive directive_of(struct str key)
{
    char first = key.len ? ascii_lower(key.ptr[0]) : '\0';

    for (size_t i = 0; i < ARRAY_LEN(directives); i++)
        if (directives[i].name.ptr[0] == first &&
            str_starts_nocase(key, directives[i].name))
            return directives[i].directive;
    return OTHER;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* "key: value" or, where there is no colon, "key value" of exactly two words,
 * without the comment. An empty key means nothing. */
static struct str_pair key_and_value(struct str line)
{
    line = str_trim(str_first(line, str_find(line, '#')));

    size_t colon = str_find(line, ':');
    if (colon < line.len)
        return (struct str_pair){
            .head = str_trim(str_first(line, colon)),
            .tail = str_trim(str_skip(line, colon + 1)),
        };

    size_t key_len = 0;
    while (key_len < line.len && !is_blank(line.ptr[key_len]))
        key_len++;
    struct str value = str_trim(str_skip(line, key_len));
    for (size_t i = 0; i < value.len; i++)
        if (is_blank(value.ptr[i]))
            value.len = 0;
    if (!value.len)
        return (struct str_pair){0};
    return (struct str_pair){str_first(line, key_len), value};
}

/* "mybot" or "mybot/1.0", but not what a browser sends: of "Mozilla/5.0 (X11;
 * mybot)" the first word is nobody's name. */
static struct str product_of(struct str agent)
{
    struct str_pair cut = str_cut(agent, '/');
    struct str version = str_trim(cut.tail);

    for (size_t i = 0; i < version.len; i++)
        if (is_blank(version.ptr[i]))
            return STR("");
    return str_trim(cut.head);
}

/* Is this token one of our names? */
static bool is_ours(const struct parser *parser, struct str token)
{
    struct str_pair cut = {.tail = parser->agents};

    while (token.len && cut.tail.len) {
        cut = str_cut(cut.tail, ',');
        if (str_eq_nocase(token, product_of(cut.head)))
            return true;
    }
    return false;
}

static void read_user_agent(struct parser *parser, struct str value)
{
    parser->agent_read = true;
    if (parser->in_rules || parser->delay_read)
        parser->delays_own = parser->delays_any = false;
    if (parser->in_rules)
        parser->in_own = parser->in_any = false;
    parser->in_rules = parser->delay_read = false;

    if (value.len && value.ptr[0] == '*' &&
        (value.len == 1 || is_blank(value.ptr[1]) || value.ptr[1] == '<')) {
        parser->in_any = parser->delays_any = true;
        return;
    }
    if (is_ours(parser, token_at(value)))
        parser->in_own = parser->delays_own = parser->own_seen = true;
}

static void add_rule(struct parser *parser, struct group *group,
                     struct str pattern, uint32_t flag)
{
    struct rule rule;

    if (!rule_init(&rule, pattern, flag, &group->text))
        return;
    group->flags |= rule.line_and_flags;
    rule.line_and_flags |= parser->line << RULE_FLAG_BITS;
    bool fits =
        buf_put(&group->rules, (struct str){(const char *)&rule, sizeof(rule)});
    assert(fits);
    (void)fits;
}

static void read_rule(struct parser *parser, struct str value, uint32_t flag)
{
    if (!parser->in_own && !parser->in_any)
        return;
    parser->in_rules = true;
    if (parser->own_seen && !parser->in_own)
        return; /* "*" no longer concerns us */

    struct group *group = parser->in_own ? &parser->own : &parser->any;
    add_rule(parser, group, value, flag);
    if (flag != RULE_ALLOW)
        return;

    /* A rule that allows the index page allows its directory. */
    size_t dir_len = value.len;
    while (dir_len && value.ptr[dir_len - 1] != '/')
        dir_len--;
    if (dir_len && str_starts(str_skip(value, dir_len), STR("index.htm"))) {
        char dir[LINE_LEN_MAX + 1];
        memcpy(dir, value.ptr, dir_len);
        dir[dir_len] = '$';
        add_rule(parser, group, (struct str){dir, dir_len + 1}, flag);
    }
}

/* Seconds with decimals, up to a blank or markup; anything else is 0. */
static uint32_t parse_delay_ms(struct str value)
{
    uint64_t ms = 0, unit_ms = 1000; /* of a digit; less after the point */

    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        if (is_blank(c) || c == '<')
            break;
        if (c == '.' && unit_ms == 1000) {
            unit_ms = 100;
            continue;
        }
        if (!ascii_is_digit(c))
            return 0;
        if (unit_ms == 1000)
            ms *= 10;
        ms += (uint64_t)(c - '0') * unit_ms;
        if (unit_ms < 1000)
            unit_ms /= 10;
        if (ms > ROBOTS_CRAWL_DELAY_MAX_MS)
            ms = ROBOTS_CRAWL_DELAY_MAX_MS;
    }
    return (uint32_t)ms;
}

static void read_crawl_delay(struct parser *parser, struct str value)
{
    uint32_t ms = parse_delay_ms(value);

    parser->delay_read = true;
    if (!parser->agent_read && ms > parser->crawl_delay_ms)
        parser->crawl_delay_ms = ms;
    if (parser->delays_own && ms > parser->own.crawl_delay_ms)
        parser->own.crawl_delay_ms = ms;
    if (parser->delays_any && ms > parser->any.crawl_delay_ms)
        parser->any.crawl_delay_ms = ms;
}

static void read_line(struct parser *parser, struct str line)
{
    parser->line++;
    if (parser->wanted) {
        if (parser->line == parser->wanted)
            parser->found = line;
        return;
    }

    struct str_pair pair = key_and_value(str_first(line, LINE_LEN_MAX));
    switch (directive_of(pair.head)) {
    case USER_AGENT:
        read_user_agent(parser, pair.tail);
        break;
    case ALLOW:
        read_rule(parser, pair.tail, RULE_ALLOW);
        break;
    case DISALLOW:
        read_rule(parser, pair.tail, 0);
        break;
    case CRAWL_DELAY:
        read_crawl_delay(parser, pair.tail);
        break;
    case SITEMAP:
        if (pair.tail.len) {
            buf_put(&parser->sitemaps, pair.tail);
            buf_put_char(&parser->sitemaps, '\n');
        }
        break;
    case OTHER:
        break;
    }
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

static void read_lines(struct parser *parser, struct str bytes)
{
    const char *at = bytes.ptr, *end = at + bytes.len;

    while (at < end) {
        const char *stop = at;
        while (stop < end && !ends_line(*stop))
            stop++;
        read_line(parser, str_between(at, stop));
        at = stop + (stop < end);
        if (at < end && *stop == '\r' && *at == '\n')
            at++;
    }
}

/* UTF-16 is no robots.txt, but some editors write it. Directives and their
 * paths are ASCII; another character becomes one that no URL has. Not every
 * file with such a mark is UTF-16: the first character must be ASCII. */
static bool narrow_utf16(struct str bytes, struct buf *out)
{
    bool big = str_starts(bytes, STR("\xFE\xFF"));
    bool little = str_starts(bytes, STR("\xFF\xFE"));

    if ((!big && !little) || bytes.len < 4 || bytes.ptr[big ? 2 : 3])
        return false;
    for (size_t i = 2; i + 1 < bytes.len; i += 2) {
        char high = bytes.ptr[big ? i : i + 1];
        char low = bytes.ptr[big ? i + 1 : i];
        buf_put_char(out, high || low & 0x80 ? '\x1A' : low);
    }
    return true;
}

/* `narrow` is for a file that has to be written anew. */
static void read_file(struct parser *parser, struct str bytes,
                      struct buf *narrow)
{
    static const char bom[] = "\xEF\xBB\xBF";
    size_t bom_len = 0; /* as much of it as there is */

    if (!bytes.len)
        bytes = STR("");
    if (bytes.len > ROBOTS_SIZE_MAX) { /* the lines that are wholly within */
        bytes.len = ROBOTS_SIZE_MAX;
        while (bytes.len && !ends_line(bytes.ptr[bytes.len]))
            bytes.len--;
    }
    while (bom_len < 3 && bom_len < bytes.len &&
           bytes.ptr[bom_len] == bom[bom_len])
        bom_len++;
    buf_init(narrow, ROBOTS_SIZE_MAX);
    read_lines(parser, narrow_utf16(bytes, narrow) ? buf_str(narrow)
                                                   : str_skip(bytes, bom_len));
}

/* Copy what was collected for us into one block. */
static struct robots *compact(const struct parser *parser)
{
    const struct group *group = parser->own_seen ? &parser->own : &parser->any;
    size_t size = sizeof(struct robots) + group->rules.len + group->text.len +
                  parser->sitemaps.len;
    struct robots *robots = mem_new(size);
    char *at = (char *)robots->rules;

    robots->size = (uint32_t)size;
    robots->rule_count = (uint32_t)(group->rules.len / sizeof(struct rule));
    robots->sitemap_len = (uint32_t)parser->sitemaps.len;
    /* In a file that names nobody at all a delay is meant for everybody; in
     * one with groups what stands before them is nobody's. */
    robots->crawl_delay_ms =
        parser->agent_read ? group->crawl_delay_ms : parser->crawl_delay_ms;
    robots->flags = group->flags;

    const struct buf *parts[] = {&group->rules, &group->text,
                                 &parser->sitemaps};
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        if (parts[i]->len)
            memcpy(at, parts[i]->ptr, parts[i]->len);
        at += parts[i]->len;
    }
    return robots;
}

struct robots *robots_new(struct str bytes, struct str agents)
{
    struct parser parser = {.agents = agents};
    struct buf *bufs[] = {&parser.own.rules, &parser.own.text,
                          &parser.any.rules, &parser.any.text,
                          &parser.sitemaps};
    struct buf narrow;

    for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
        buf_init(bufs[i], TEXT_MAX);
    read_file(&parser, bytes, &narrow);
    struct robots *robots = compact(&parser);

    buf_release(&narrow);
    for (size_t i = 0; i < ARRAY_LEN(bufs); i++)
        buf_release(bufs[i]);
    return robots;
}

bool robots_line(struct str bytes, unsigned line, struct buf *out)
{
    struct parser parser = {.wanted = line};
    struct buf narrow;

    if (!line)
        return false;
    read_file(&parser, bytes, &narrow);
    bool good = parser.found.ptr && buf_put(out, parser.found);
    buf_release(&narrow);
    return good;
}

void robots_free(struct robots *robots)
{
    free(robots);
}

/* ---- asking ------------------------------------------------------------- */

/* Bytes that wildcards may look at for one answer. */
enum {
    WORK_MAX = 20 * ROBOTS_WORK_PER_MS,
    RULES_PER_BYTE = 4, /* that can be passed over in the same time */
};

struct question {
    struct str path[PATH_FORMS];
    bool has_query;
    size_t work;
};

/* Find `part`, which is not empty, in `path`; or NULL. memmem is linear but
 * slow to start, and most paths lack the first character. */
static const char *find(struct str path, struct str part)
{
    size_t first = str_find(path, part.ptr[0]);

    if (first == path.len)
        return NULL;
    return memmem(path.ptr + first, path.len - first, part.ptr, part.len);
}

/* The segments between the wildcards, each at its first place: with one kind
 * of wildcard no other place can do better. */
static bool matches_star(struct str pattern, bool anchored, struct str path,
                         size_t *work)
{
    struct str_pair parts = str_cut(pattern, '*');

    if (!str_starts(path, parts.head))
        return false;
    path = str_skip(path, parts.head.len);
    for (;;) {
        bool last = str_find(parts.tail, '*') == parts.tail.len;
        parts = str_cut(parts.tail, '*');
        if (last && anchored)
            return str_ends(path, parts.head);
        const char *at = find(path, parts.head);
        size_t taken = at ? (size_t)(at - path.ptr) + parts.head.len : path.len;
        *work += taken;
        if (!at || last)
            return at != NULL;
        path = str_skip(path, taken);
    }
}

static inline bool matches(const struct rule *rule, const char *text,
                           struct question *question)
{
    uint32_t flags = rule->line_and_flags;
    enum path_form form = flags & RULE_WRITTEN ? PATH_WRITTEN
                          : flags & RULE_QUERY ? PATH_QUERY
                                               : PATH_PLAIN;
    struct str path = question->path[form];
    size_t len = rule->len;

    if (flags & RULE_QUERY && !question->has_query)
        return false;
    if (flags & RULE_STAR)
        return matches_star((struct str){text, len}, flags & RULE_END, path,
                            &question->work);
    /* Rules of one file begin alike: the end tells them apart sooner. */
    if (len > path.len || (flags & RULE_END && len != path.len))
        return false;
    return len == 0 ||
           (text[len - 1] == path.ptr[len - 1] && !memcmp(text, path.ptr, len));
}

/* The rule that decides, or NULL. */
static const struct rule *decide(const struct robots *robots,
                                 struct question *question)
{
    const struct rule *best = NULL;
    const char *text = (const char *)(robots->rules + robots->rule_count);

    for (uint32_t i = 0; i < robots->rule_count; i++) {
        const struct rule *rule = &robots->rules[i];
        bool better = !best || rule->octets > best->octets ||
                      (rule->octets == best->octets &&
                       rule->line_and_flags & RULE_ALLOW &&
                       !(best->line_and_flags & RULE_ALLOW));
        if (better && matches(rule, text, question))
            best = rule;
        if (question->work > WORK_MAX)
            return rule;
        text += rule->len;
    }
    return best;
}

bool robots_answer(const struct robots *robots, struct str path, unsigned *line,
                   size_t *work)
{
    char room[PATH_FORMS][3 * URL_LEN_MAX];
    const bool needed[PATH_FORMS] = {
        [PATH_PLAIN] = true,
        [PATH_QUERY] = robots->flags & RULE_QUERY,
        [PATH_WRITTEN] = robots->flags & RULE_WRITTEN,
    };
    bool is_canonical = path_is_canonical(path);
    struct question question = {
        .path = {path, path, path},
        .has_query = str_find(path, '?') < path.len,
    };

    for (int form = 0; !is_canonical && form < PATH_FORMS; form++) {
        struct buf out = {
            .ptr = room[form],
            .room = sizeof(room[form]),
            .cap = sizeof(room[form]),
        };
        if (needed[form])
            put_path(path, (enum path_form)form, &out);
        question.path[form] = buf_str(&out);
    }

    const struct rule *rule = decide(robots, &question);
    *work = question.work + robots->rule_count / RULES_PER_BYTE;
    *line = 0;
    if (!rule)
        return true;
    *line = rule->line_and_flags >> RULE_FLAG_BITS;
    return rule->line_and_flags & RULE_ALLOW && question.work <= WORK_MAX;
}

bool robots_allows(const struct robots *robots, struct str path, unsigned *line)
{
    size_t work;

    return robots_answer(robots, path, line, &work);
}

size_t robots_size(const struct robots *robots)
{
    return robots->size;
}

uint32_t robots_crawl_delay_ms(const struct robots *robots)
{
    return robots->crawl_delay_ms;
}

bool robots_next_sitemap(const struct robots *robots, struct str *sitemap)
{
    const char *end = (const char *)robots + robots->size;
    const char *at = sitemap->ptr ? sitemap->ptr + sitemap->len + 1
                                  : end - robots->sitemap_len;

    if (at == end)
        return false;
    *sitemap = str_cut(str_between(at, end), '\n').head;
    return true;
}

enum robots_access robots_access_of_status(int status)
{
    if (status >= 200 && status < 300)
        return ROBOTS_PARSE;
    if (status >= 300 && status < 400)
        return ROBOTS_FOLLOW;
    if (status >= 400 && status < 500 && status != 429)
        return ROBOTS_UNAVAILABLE;
    return ROBOTS_UNREACHABLE;
}
