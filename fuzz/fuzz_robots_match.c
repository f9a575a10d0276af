/* The rules of robots.txt against a matcher that is written to be obvious.
 *
 * The bytes of the input become letters of an alphabet in which all that
 * matters is: slashes, wildcards, ends, queries. The first line is the path,
 * each further one a rule; the first letter says which kind. */
#include "fuzz.h"

#include "base/buf.h"
#include "web/robots.h"

/* Small enough that the answer is never "too much work". */
enum { INPUT_MAX = 512 };

/* Does the path begin with what the pattern says? */
static bool naive_match(struct str pattern, struct str path)
{
    bool now[INPUT_MAX + 1] = {true}, next[INPUT_MAX + 1];
    bool anchored = pattern.len && pattern.ptr[pattern.len - 1] == '$';

    /* now[i]: the pattern so far can end at i. */
    for (size_t p = 0; p < pattern.len - anchored; p++) {
        bool reached = false;
        for (size_t i = 0; i <= path.len; i++) {
            reached |= now[i];
            next[i] = pattern.ptr[p] == '*' ? reached
                      : i > 0 ? now[i - 1] && path.ptr[i - 1] == pattern.ptr[p]
                              : false;
        }
        memcpy(now, next, sizeof(now));
    }
    for (size_t i = 0; i < path.len; i++)
        if (now[i] && !anchored)
            return true;
    return now[path.len];
}

/* The longest rule decides, allow before disallow. */
static bool naive_allows(struct str rules, struct str path)
{
    size_t longest = 0;
    bool allowed = true;

    while (rules.len) {
        struct str_pair line = str_cut(rules, '\n');
        struct str pattern = str_cut(line.head, ' ').tail;
        bool allow = line.head.len && line.head.ptr[0] == 'A';

        rules = line.tail;
        if (!pattern.len || !naive_match(pattern, path))
            continue;
        if (pattern.len > longest || (pattern.len == longest && allow))
            allowed = allow;
        if (pattern.len > longest)
            longest = pattern.len;
    }
    return allowed;
}

static void put_letters(struct str raw, struct buf *out)
{
    static const char alphabet[] = "/ab*$?/ab*";

    for (size_t i = 0; i < raw.len; i++)
        buf_put_char(
            out, alphabet[(unsigned char)raw.ptr[i] % (sizeof(alphabet) - 1)]);
}

static void put_rules(struct str raw, struct buf *out)
{
    while (raw.len) {
        struct str_pair line = str_cut(raw, '\n');

        raw = line.tail;
        if (!line.head.len)
            continue;
        buf_put(out,
                line.head.ptr[0] & 1 ? STR("Allow: /") : STR("Disallow: /"));
        put_letters(str_skip(line.head, 1), out);
        buf_put_char(out, '\n');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str head = STR_INIT("User-agent: *\n");
    struct buf file, path;
    unsigned line;

    if (size > INPUT_MAX - 1)
        return 0;
    struct str_pair input = str_cut(fuzz_input(data, size), '\n');
    buf_init(&file, 64 * INPUT_MAX);
    buf_init(&path, INPUT_MAX);
    buf_put_char(&path, '/');
    put_letters(input.head, &path);
    buf_put(&file, head);
    put_rules(input.tail, &file);

    struct robots *robots = robots_new(buf_str(&file), STR("mybot"));
    bool allowed = robots_allows(robots, buf_str(&path), &line);
    struct str rules = str_skip(buf_str(&file), head.len);
    assert(allowed == naive_allows(rules, buf_str(&path)));
    robots_free(robots);
    buf_release(&path);
    buf_release(&file);
    return 0;
}
