#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fleet_sim.h"
#include "web/partition.h"

/* --- the pages ------------------------------------------------------------ */

static uint32_t mix(uint32_t a, uint32_t b)
{
    uint64_t x = ((uint64_t)a << 32 | b) + UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x ^ x >> 31);
}

uint32_t fleet_web_domain(uint32_t page)
{
    return mix(page, 1) % SIM_DOMAINS;
}

uint32_t fleet_web_host(uint32_t page)
{
    return mix(page, 2) % SIM_HOSTS;
}

uint32_t fleet_web_address(uint32_t domain, uint32_t host)
{
    return mix(domain, 30 + host) % SIM_ADDRESSES;
}

bool fleet_web_is_redirect(uint32_t page)
{
    return page > 4 && mix(page, 3) % 9 == 0;
}

/* A tree, so that all are reached, and links across it that make paths
 * shorter. */
unsigned fleet_web_links(uint32_t page, uint32_t link[SIM_LINKS])
{
    unsigned count = 0;

    for (uint32_t child = 2 * page + 1; child <= 2 * page + 2; child++)
        if (child < SIM_PAGES)
            link[count++] = child;
    while (count < SIM_LINKS && mix(page, 10 + count) % 4)
        link[count] = mix(page, 20 + count) % SIM_PAGES, count++;
    if (fleet_web_is_redirect(page) && count > 1)
        count = 1;
    return count;
}

struct str fleet_web_url(uint32_t page, struct arena *arena)
{
    char text[80];
    int len = snprintf(text, sizeof(text), "http://h%u.d%u.example/%u",
                       fleet_web_host(page), fleet_web_domain(page), page);

    return arena_copy(arena, (struct str){text, (size_t)len});
}

uint32_t fleet_web_page(struct str url)
{
    const char *at = url.ptr + url.len;

    while (at > url.ptr && at[-1] != '/')
        at--;
    return (uint32_t)strtoul(at, NULL, 10);
}

void fleet_web_depths(uint32_t depth[SIM_PAGES])
{
    bool changed = true;

    for (uint32_t page = 0; page < SIM_PAGES; page++)
        depth[page] = page ? UINT32_MAX : 0;
    while (changed) {
        changed = false;
        for (uint32_t page = 0; page < SIM_PAGES; page++) {
            uint32_t link[SIM_LINKS];
            unsigned count = fleet_web_links(page, link);
            if (depth[page] == UINT32_MAX)
                continue;
            uint32_t next = depth[page] + !fleet_web_is_redirect(page);
            for (unsigned i = 0; i < count; i++) {
                if (depth[link[i]] <= next)
                    continue;
                depth[link[i]] = next;
                changed = true;
            }
        }
    }
}

/* --- what the servers see ------------------------------------------------- */

void sim_fail(struct sim *sim, const char *format, ...)
{
    va_list args;

    if (sim->wrong[0])
        return;
    va_start(args, format);
    vsnprintf(sim->wrong, sizeof(sim->wrong), format, args);
    va_end(args);
}

static void check_owner(const struct machine *machine, uint32_t page)
{
    struct sim *sim = machine->sim;
    char name[32];
    int len =
        snprintf(name, sizeof(name), "d%u.example", fleet_web_domain(page));
    uint32_t part = partition_of((struct str){name, (size_t)len}, 1, SIM_PARTS);

    if (sim->fake.now.part[part].owner != machine->member.node)
        sim_fail(
            sim, "machine %u asks for page %u of partition %u of machine %u",
            machine->member.node, page, part, sim->fake.now.part[part].owner);
}

static struct served *address_of(struct sim *sim, uint32_t page)
{
    return &sim->address[fleet_web_address(fleet_web_domain(page),
                                           fleet_web_host(page))];
}

static void check_address(struct sim *sim, uint32_t page)
{
    const struct served *address = address_of(sim, page);

    if (sim->has_addresses && address->requests &&
        sim->now_ms < address->busy_until_ms + SIM_IP_DELAY_MS)
        sim_fail(sim, "the pause of an address was cut short, page %u", page);
}

void sim_request(struct machine *machine, uint32_t page, uint64_t end_ms)
{
    struct sim *sim = machine->sim;
    struct served *host =
        &sim->host[fleet_web_domain(page)][fleet_web_host(page)];
    struct served *domain = &sim->domain[fleet_web_domain(page)];

    sim->requests++;
    if (machine->back_ms && sim->now_ms < machine->back_ms + SIM_DELAY_MS)
        sim_fail(sim, "page %u is asked for right after an outage", page);
    /* An engine that lost its tail has forgotten who owns what. */
    if (!sim->was_set_back) {
        check_owner(machine, page);
        if (host->requests && sim->now_ms < host->busy_until_ms + SIM_DELAY_MS)
            sim_fail(sim, "the pause of a host was cut short, page %u", page);
        if (sim->now_ms < domain->busy_until_ms)
            sim_fail(sim, "two requests at a time for a domain, page %u", page);
        check_address(sim, page);
    }
    if (sim->fake.now.crawl.state == FLEET_FINISHED && !sim->was_set_back)
        sim_fail(sim, "page %u is asked for after the end", page);
    host->requests++;
    host->busy_until_ms = domain->busy_until_ms = end_ms;
    address_of(sim, page)->requests++;
    address_of(sim, page)->busy_until_ms = end_ms;
}

void sim_cut_short(struct sim *sim, uint32_t page)
{
    struct served *host =
        &sim->host[fleet_web_domain(page)][fleet_web_host(page)];
    struct served *domain = &sim->domain[fleet_web_domain(page)];

    if (host->busy_until_ms > sim->now_ms)
        host->busy_until_ms = sim->now_ms;
    if (domain->busy_until_ms > sim->now_ms)
        domain->busy_until_ms = sim->now_ms;
    if (address_of(sim, page)->busy_until_ms > sim->now_ms)
        address_of(sim, page)->busy_until_ms = sim->now_ms;
}

/* --- the judgement ---------------------------------------------------------
 */

struct found {
    unsigned put, fetched;
    uint64_t number;
};

static void judge_line(struct sim *sim, struct found *found, struct str line)
{
    char text[128] = {0};
    unsigned long long number;
    unsigned depth, page;
    char kind;

    memcpy(text, line.ptr, line.len < 127 ? line.len : 127);
    if (sscanf(text, "%c %llu %u %u", &kind, &number, &depth, &page) != 4 ||
        page >= SIM_PAGES) {
        sim_fail(sim, "no row: %s", text);
        return;
    }
    if (kind == 'U') {
        found[page].put++;
        found[page].number = number;
    }
    if (kind != 'F')
        return;
    found[page].fetched++;
    if (found[page].number != number)
        sim_fail(sim, "page %u was fetched under another number", page);
    if (sim->ranking == RANKING_BFS && depth != sim->depth[page])
        sim_fail(sim, "page %u has depth %u, not %u", page, depth,
                 sim->depth[page]);
}

static void judge_rows(struct sim *sim)
{
    struct found found[SIM_PAGES] = {{0}};

    for (size_t i = 0; i < sim->fake.now.rows; i++) {
        struct str rest = sim->fake.now.row[i].segment.payload;
        while (rest.len) {
            struct str_pair cut = str_cut(rest, '\n');
            judge_line(sim, found, cut.head);
            rest = cut.tail;
        }
    }
    for (uint32_t page = 0; page < SIM_PAGES; page++) {
        unsigned expected = sim->depth[page] != UINT32_MAX;
        if (found[page].put != expected || found[page].fetched != expected)
            sim_fail(sim, "page %u was put %u times and fetched %u times", page,
                     found[page].put, found[page].fetched);
    }
}

void sim_judge(struct sim *sim)
{
    const struct fake_state *state = &sim->fake.now;
    uint64_t sent = 0, taken = 0;

    if (state->crawl.state != FLEET_FINISHED)
        sim_fail(sim, "the crawl does not end");
    if (sim->fake.finishes != 1 && !sim->was_set_back)
        sim_fail(sim, "the crawl ended %u times", sim->fake.finishes);
    for (size_t i = 0; i < state->mails; i++)
        if (!state->mail[i].deleted)
            sim_fail(sim, "a mail is left");
    for (size_t i = 0; i < state->nodes; i++) {
        sent += state->node[i].sent;
        taken += state->node[i].taken;
    }
    if (sent != taken)
        sim_fail(sim, "the counters of mail are not equal");
    judge_rows(sim);
}

/* Nothing was wrong but that the engine was away: so nobody was declared dead
 * or fenced, and each owner of a partition loaded it once. */
void sim_judge_outages(struct sim *sim)
{
    const struct fake *fake = &sim->fake;

    if (fake->buried || fake->fenced)
        sim_fail(sim, "%u machines were declared dead, %u fenced", fake->buried,
                 fake->fenced);
    for (unsigned i = 0; i < SIM_PARTS; i++)
        if (fake->loads[i] > fake->now.part[i].epoch)
            sim_fail(sim, "partition %u was loaded %u times in %u epochs", i,
                     fake->loads[i], fake->now.part[i].epoch);
}
