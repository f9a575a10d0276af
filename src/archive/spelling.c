#include "archive/spelling.h"

/* "http://a/b" of "http://a/b?c". */
static struct str without_query(struct str url)
{
    size_t query = str_find(url, '?'), fragment = str_find(url, '#');

    return str_first(url, query < fragment ? query : fragment);
}

bool spelling_has_bar(struct str url)
{
    struct str path = without_query(url);

    return str_find(path, '|') < path.len;
}

bool spelling_put_other(struct buf *out, struct str url)
{
    struct str from = spelling_has_bar(url) ? STR("|") : STR("%7C");
    struct str to = from.len == 1 ? STR("%7C") : STR("|");
    struct str path = without_query(url), rest = str_skip(url, path.len);
    bool is_other = false;

    while (path.len) {
        bool is_here = str_starts_nocase(path, from);
        if (!buf_put(out, is_here ? to : str_first(path, 1)))
            return false;
        path = str_skip(path, is_here ? from.len : 1);
        is_other |= is_here;
    }
    return buf_put(out, rest) && is_other;
}
