/* robots.txt and questions to it. The input is a path, a line end and the
 * file; the first byte of the path chooses the agent. */
#include "fuzz.h"

#include "web/robots.h"
#include "web/url.h"

static size_t count_lines(struct str file)
{
    size_t lines = 1;

    for (size_t i = 0; i < file.len; i++)
        lines += file.ptr[i] == '\n' || file.ptr[i] == '\r';
    return lines;
}

static void check_sitemaps(const struct robots *robots, struct str file)
{
    struct str sitemap = {0};
    size_t total = 0;

    while (robots_next_sitemap(robots, &sitemap)) {
        assert(sitemap.len && sitemap.len <= file.len);
        total += sitemap.len;
    }
    assert(total <= file.len);
}

/* The same answer twice; from a line that is there; "no" only by a line. */
static void check_answer(const struct robots *robots, struct str path,
                         struct str file)
{
    unsigned line = 1, again = 2;
    bool allowed = robots_allows(robots, path, &line);

    assert(robots_allows(robots, path, &again) == allowed && line == again);
    assert(line <= count_lines(file));
    assert(allowed || line > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct str agents[] = {STR_INIT("crawler"),
                                        STR_INIT("Crawler/1.0 (+x)"),
                                        STR_INIT("a-b_c"), STR_INIT("")};
    struct str input = {(const char *)data, size};

    if (!size)
        return 0;
    struct str agent = agents[data[0] & 3];
    struct str_pair cut = str_cut(str_skip(input, 1), '\n');
    struct str path = str_first(cut.head, URL_LEN_MAX);
    struct str file = cut.tail.ptr ? cut.tail : STR("");

    struct robots *robots = robots_new(file, agent);
    assert(robots_crawl_delay_ms(robots) <= ROBOTS_CRAWL_DELAY_MAX_MS);
    /* Memory in proportion to the file. */
    assert(robots_size(robots) <= 4096 + 16 * file.len);
    check_answer(robots, path, file);
    check_answer(robots, STR("/"), file);
    check_sitemaps(robots, file);
    robots_free(robots);
    return 0;
}
