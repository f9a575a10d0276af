#include "robots/robots.h"

#include "robots/rule.h"
#include "url/url.h"

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
    struct str path = question->path[rule_form(flags)];
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
    bool canonical = robots_path_is_canonical(path);
    struct question question = {
        .path = {path, path, path},
        .has_query = str_find(path, '?') < path.len,
    };

    for (int form = 0; !canonical && form < PATH_FORMS; form++) {
        struct buf out = {
            .ptr = room[form],
            .room = sizeof(room[form]),
            .cap = sizeof(room[form]),
        };
        if (needed[form])
            robots_put_path(path, (enum path_form)form, &out);
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
