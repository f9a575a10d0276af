#include "report/host_record.h"

#include "page/outcome.h"
#include "robots/robots.h"
#include "url/key.h"

struct reading {
    struct host_record *host;
    const struct url *url;
    struct str agent;
    unsigned line;
    struct arena *arena;
    bool matched; /* the rules refuse it by that line */
};

/* Hosts are recorded without a final dot. */
static bool is_host_of(const struct url *url, struct str name)
{
    struct str host = url_host(url);
    struct str port = str_skip(url_host_port(url), host.len);

    if (url_has_final_dot(url))
        host.len--;
    return name.len == host.len + port.len && str_starts(name, host) &&
           str_ends(name, port);
}

static struct store_robots keep_robots(const struct reading *reading,
                                       const struct store_robots *row)
{
    struct store_robots robots = *row;

    row_copy_texts(ROW_robots, &robots, reading->arena);
    return robots;
}

static bool allows(const struct store_robots *row, const struct url *url,
                   struct str agent, unsigned *line)
{
    *line = 0;
    if (!row->text.ptr || !agent.len)
        return true;
    struct robots *rules = robots_new(row->text, agent);
    bool allowed = robots_allows(rules, url_path_query(url), line);
    robots_free(rules);
    return allowed;
}

static bool read_robots(void *user, const struct store_robots *row)
{
    struct reading *reading = user;
    struct host_record *host = reading->host;
    unsigned line;

    if (row->outcome >= OUTCOMES)
        return false;
    if (row->https != reading->url->https ||
        !is_host_of(reading->url, row->host))
        return true;
    host->rules_failed = !row->known;
    if (!row->known) {
        host->failure = keep_robots(reading, row);
        return true;
    }
    bool matches = reading->line &&
                   !allows(row, reading->url, reading->agent, &line) &&
                   line == reading->line;
    if (reading->matched && !matches)
        return true;
    reading->matched = matches;
    host->has_rules = true;
    host->rules = keep_robots(reading, row);
    return true;
}

static bool read_host(void *user, const struct store_host *row)
{
    struct reading *reading = user;
    struct host_record *host = reading->host;

    if (row->outcome >= OUTCOMES)
        return false;
    if (!is_host_of(reading->url, row->name))
        return true;
    host->trouble = *row;
    row_copy_texts(ROW_host, &host->trouble, reading->arena);
    host->troubled =
        row->failures || row->mute || row->given_up || row->backoffs;
    return true;
}

bool host_record_read(struct host_record *host, struct store *store,
                      const struct url *url, struct str agent, unsigned line,
                      struct arena *arena, struct store_error *error)
{
    struct reading reading = {
        .host = host,
        .url = url,
        .agent = agent,
        .line = line,
        .arena = arena,
    };
    const struct store_reader reader = {
        .user = &reading,
        .robots = read_robots,
        .host = read_host,
    };
    bool good = true;

    *host = (struct host_record){0};
    for (unsigned slice = 0; slice < store_slices(store) && good; slice++)
        good = store_load(store, slice, &reader, error);
    return good;
}

bool host_record_allows(const struct host_record *host, const struct url *url,
                        struct str agent, unsigned *line)
{
    *line = 0;
    return !host->has_rules || allows(&host->rules, url, agent, line);
}
