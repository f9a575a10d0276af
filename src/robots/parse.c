#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "robots/rule.h"

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
    if (is_ours(parser, robots_token_at(value)))
        parser->in_own = parser->delays_own = parser->own_seen = true;
}

static void add_rule(struct parser *parser, struct group *group,
                     struct str pattern, uint32_t flag)
{
    struct rule rule;

    if (!robots_rule_init(&rule, pattern, flag, &group->text))
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

static void read_sitemap(struct parser *parser, struct str value)
{
    if (!value.len)
        return;
    buf_put(&parser->sitemaps, value);
    buf_put_char(&parser->sitemaps, '\n');
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
        read_sitemap(parser, pair.tail);
        break;
    case OTHER:
        break;
    }
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* The lines that are wholly within the limit. */
static struct str cap(struct str bytes)
{
    size_t len = ROBOTS_SIZE_MAX;

    if (bytes.len <= len)
        return bytes;
    while (len && !ends_line(bytes.ptr[len]))
        len--;
    return str_first(bytes, len);
}

/* As much of a UTF-8 byte order mark as there is. */
static struct str skip_byte_order_mark(struct str bytes)
{
    static const char bom[] = "\xEF\xBB\xBF";
    size_t len = 0;

    while (len < 3 && len < bytes.len && bytes.ptr[len] == bom[len])
        len++;
    return str_skip(bytes, len);
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
    bytes = bytes.len ? cap(bytes) : STR("");
    buf_init(narrow, ROBOTS_SIZE_MAX);
    read_lines(parser, narrow_utf16(bytes, narrow)
                           ? buf_str(narrow)
                           : skip_byte_order_mark(bytes));
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
