#include "url/course.h"

static bool has_html_name(const struct url *url)
{
    struct str name =
        str_skip(str_first(url->href, url->path_end), url_directory(url).len);
    const char *dot = name.len ? memrchr(name.ptr, '.', name.len) : NULL;
    if (!dot)
        return true;
    struct str extension = str_between(dot + 1, name.ptr + name.len);
    return !extension.len || str_starts(extension, STR("htm"));
}

static bool has_double_slash(struct str path)
{
    return memmem(path.ptr, path.len, "//", 2) != NULL;
}

/* It may be there already: in a URL that was relative to a normalised one. */
static bool lacks_written_port(const struct url *url)
{
    return url->default_port_written && url->host_end == url->path_start &&
           url->href.len + sizeof(":443") - 1 <= URL_LEN_MAX;
}

static char *put(char *to, struct str s)
{
    memcpy(to, s.ptr, s.len);
    return to + s.len;
}

static char *put_collapsed(char *to, struct str path)
{
    for (size_t i = 0; i < path.len; i++)
        if (path.ptr[i] != '/' || i == 0 || path.ptr[i - 1] != '/')
            *to++ = path.ptr[i];
    return to;
}

static void rewrite(struct url *url, struct arena *arena)
{
    struct str old = url->href, path = url_path(url);
    char *start = arena_reserve(arena, old.len + sizeof(":443"));
    char *to = put(start, str_first(old, url->path_start));

    if (lacks_written_port(url))
        to = put(to, url->https ? STR(":443") : STR(":80"));
    size_t path_start = (size_t)(to - start);
    to = put_collapsed(to, path);
    size_t path_end = (size_t)(to - start);
    to = put(to, str_skip(old, url->path_end));
    *to = '\0';

    url->href = str_between(start, to);
    url->path_start = (uint16_t)path_start;
    url->path_end = (uint16_t)path_end;
    arena_commit(arena, url->href.len + 1);
}

bool course_normalize(struct url *url, struct arena *arena)
{
    if (lacks_written_port(url) || has_double_slash(url_path(url)))
        rewrite(url, arena);
    return has_html_name(url);
}
