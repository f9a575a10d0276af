#include "cli/evidence.h"

#include "page/outcome.h"
#include "robots/robots.h"
#include "url/key.h"

struct reading {
    struct evidence *evidence;
    const struct url *url;
    struct str agent;
    unsigned line;
    bool matched; /* the rules refuse it by that line */
};

/* Hosts are recorded without a final dot. */
static bool is_host_of(const struct url *url, struct str name)
{
    struct str host = url_host(url);
    struct str port =
        str_between(host.ptr + host.len, url->href.ptr + url->path_start);

    if (url_has_final_dot(url))
        host.len--;
    return name.len == host.len + port.len && str_starts(name, host) &&
           str_ends(name, port);
}

static struct str copy(struct evidence *evidence, struct str text)
{
    return text.ptr ? arena_copy(&evidence->arena, text) : text;
}

static struct store_robots copy_robots(struct evidence *evidence,
                                       const struct store_robots *row)
{
    struct store_robots robots = *row;

    robots.host = copy(evidence, row->host);
    robots.url = copy(evidence, row->url);
    robots.text = copy(evidence, row->text);
    return robots;
}

static bool allows(const struct store_robots *row, const struct url *url,
                   struct str agent, unsigned *line)
{
    *line = 0;
    if (!row->text.ptr || !agent.len)
        return true;
    struct robots *rules = robots_new(row->text, agent);
    bool allowed =
        robots_allows(rules, str_skip(url->href, url->path_start), line);
    robots_free(rules);
    return allowed;
}

static bool read_robots(void *user, const struct store_robots *row)
{
    struct reading *reading = user;
    struct evidence *evidence = reading->evidence;
    unsigned line;

    if (row->outcome >= OUTCOMES)
        return false;
    if (row->https != reading->url->https ||
        !is_host_of(reading->url, row->host))
        return true;
    evidence->rules_failed = !row->known;
    if (!row->known) {
        evidence->failure = copy_robots(evidence, row);
        return true;
    }
    bool matches = reading->line &&
                   !allows(row, reading->url, reading->agent, &line) &&
                   line == reading->line;
    if (reading->matched && !matches)
        return true;
    reading->matched = matches;
    evidence->has_rules = true;
    evidence->rules = copy_robots(evidence, row);
    return true;
}

static bool read_host(void *user, const struct store_host *row)
{
    struct reading *reading = user;
    struct evidence *evidence = reading->evidence;

    if (row->outcome >= OUTCOMES)
        return false;
    if (!is_host_of(reading->url, row->name))
        return true;
    evidence->trouble = *row;
    evidence->trouble.name = copy(evidence, row->name);
    evidence->troubled = row->failures || row->mute || row->given_up;
    return true;
}

bool evidence_read(struct evidence *evidence, struct store *store,
                   const struct url *url, struct str agent, unsigned line,
                   struct store_error *error)
{
    struct reading reading = {
        .evidence = evidence,
        .url = url,
        .agent = agent,
        .line = line,
    };
    const struct store_reader reader = {
        .user = &reading,
        .robots = read_robots,
        .host = read_host,
    };

    *evidence = (struct evidence){0};
    arena_init(&evidence->arena);
    return store_load(store, &reader, error);
}

void evidence_release(struct evidence *evidence)
{
    arena_release(&evidence->arena);
}

bool evidence_allows(const struct evidence *evidence, const struct url *url,
                     struct str agent, unsigned *line)
{
    *line = 0;
    return !evidence->has_rules || allows(&evidence->rules, url, agent, line);
}
