/* What a state may hold, into memory: rows of all kinds with any values and in
 * any order, also such as no crawl would write. The loader refuses them, or the
 * frontier it fills can be used. The store is ours here: it makes the rows from
 * the input. */
#include "fuzz.h"

#include <fcntl.h>
#include <stdio.h>

#include "crawler/record_codes.h"
#include "crawler/resume.h"
#include "store/store_type.h"
#include "web/domain.h"
#include "web/scope.h"

struct made_up {
    struct store base;
    struct str input;
};

static uint8_t byte(struct made_up *store)
{
    uint8_t value = store->input.len ? (uint8_t)store->input.ptr[0] : 0;

    store->input = str_skip(store->input, store->input.len ? 1 : 0);
    return value;
}

/* Small ones are what leads anywhere; some are large. */
static uint64_t number(struct made_up *store)
{
    uint8_t value = byte(store);

    return value < 240 ? value : (uint64_t)1 << (value - 240) * 4;
}

/* Times about now, which is 1,000,000 here. */
static uint64_t moment(struct made_up *store)
{
    return (uint64_t)(1000000 - 128000) + (uint64_t)byte(store) * 1000;
}

/* One of a few, or bytes of the input. */
static struct str text(struct made_up *store, char room[64])
{
    static const char *const forms[] = {
        "http://a.example/%u",
        "https://a.example/%u",
        "http://b.example:8080/%u",
        "http://%u.example/",
        "a.example",
        "b.example:8080",
        "a.example:80",
        "User-agent: *\nDisallow: /%u\n",
    };
    uint8_t which = byte(store);

    if (which < 224) {
        int len = snprintf(room, 64, forms[which % 8], which / 8);
        return (struct str){room, (size_t)len};
    }
    struct str raw = str_first(store->input, which - 224);
    store->input = str_skip(store->input, raw.len);
    return raw;
}

static bool one_url(struct made_up *store, const struct store_reader *reader,
                    uint64_t row)
{
    char room[64];
    const struct store_url url = {
        .url = text(store, room),
        .number = byte(store) < 250 ? row : number(store),
        .depth = (uint32_t)number(store),
        .found = (uint32_t)number(store),
        .kind = byte(store) & 3,
        .verdict = byte(store) % 20,
        .redirects = byte(store),
        .nesting = byte(store) & 15,
    };

    return store_give(reader, ROW_url, &url);
}

static bool one_fetch(struct made_up *store, const struct store_reader *reader)
{
    const struct store_fetch fetch = {
        .number = number(store),
        .page = (uint32_t)number(store),
        .end_ms = moment(store),
        .pause_ms = number(store),
        .due_ms = byte(store) & 1 ? moment(store) : 0,
    };

    return store_give(reader, ROW_fetch, &fetch);
}

static bool one_robots(struct made_up *store, const struct store_reader *reader)
{
    char host[64], url[64], rules[64];
    const struct store_robots robots = {
        .host = text(store, host),
        .url = text(store, url),
        .text = text(store, rules),
        .https = byte(store) & 1,
        .known = byte(store) & 1,
        .end_ms = moment(store),
        .pause_ms = number(store),
        .until_ms = moment(store),
    };

    return store_give(reader, ROW_robots, &robots);
}

static bool one_host(struct made_up *store, const struct store_reader *reader)
{
    char name[64];
    const struct store_host host = {
        .name = text(store, name),
        .failures = byte(store),
        .mute = byte(store),
        .given_up = byte(store) & 3,
        .outcome = byte(store) % 30,
        .until_ms = moment(store),
    };

    return store_give(reader, ROW_host, &host);
}

static bool one_other(struct made_up *store, const struct store_reader *reader,
                      uint8_t kind)
{
    char room[64];
    const struct store_domain domain = {text(store, room),
                                        (uint32_t)number(store)};
    const struct store_change change = {
        .number = number(store),
        .depth = (uint32_t)number(store),
        .found = (uint32_t)number(store),
        .referrer_machine = (uint32_t)number(store),
    };
    const struct store_refusal refusal = {.number = number(store)};
    const struct store_setting setting = {domain.name, domain.name};

    switch (kind & 3) {
    case 0:
        return store_give(reader, ROW_domain, &domain);
    case 1:
        return store_give(reader, ROW_change, &change);
    case 2:
        return store_give(reader, ROW_refusal, &refusal);
    default:
        return store_give(reader, ROW_setting, &setting);
    }
}

static bool make_up(struct store *base, unsigned slice,
                    const struct store_reader *reader,
                    struct store_error *error)
{
    struct made_up *store = (struct made_up *)(void *)base;
    uint64_t urls = byte(store), row = 0; /* counted, so it is true */
    uint64_t last = number(store);
    bool good = last <= urls + 1000 && reader->begin(reader->user, urls, last);

    (void)slice;
    *error = (struct store_error){.status = STORE_DAMAGED};
    while (good && store->input.len) {
        uint8_t kind = byte(store);
        good = kind < 96    ? one_url(store, reader, ++row)
               : kind < 144 ? one_fetch(store, reader)
               : kind < 176 ? one_robots(store, reader)
               : kind < 200 ? one_host(store, reader)
                            : one_other(store, reader, kind);
    }
    return good;
}

static unsigned one_slice(const struct store *store)
{
    (void)store;
    return 1;
}

static const struct store_type type = {
    .kind = "made-up",
    .slices = one_slice,
    .load = make_up,
};

/* Everything comes out, in an order that a frontier allows. */
static void drain(struct frontier *frontier)
{
    uint64_t now_ms = 1000000;

    for (unsigned i = 0; i < 2000; i++) {
        struct target *target = frontier_take(frontier, now_ms);
        struct idle idle = frontier_idle(frontier, now_ms);
        if (!target && idle.wake_ms == UINT64_MAX) {
            assert(!frontier_counts(frontier).queued);
            break;
        }
        if (!target) {
            now_ms = idle.wake_ms > now_ms ? idle.wake_ms : now_ms + 1;
            continue;
        }
        if (target->verdict != ACCEPT)
            frontier_drop(frontier, target, now_ms);
        else if (target->kind == TARGET_ROBOTS)
            frontier_robots(frontier, target, NULL, now_ms);
        else
            frontier_done(frontier, target, now_ms, 0);
    }
    assert(!frontier_counts(frontier).in_flight);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct domains *domains; /* reading the list takes long */
    static int dir_fd;
    if (!domains) {
        domains = domains_new();
        dir_fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
    struct scope *scope = scope_new(domains);
    struct made_up store = {{.type = &type, .codes = crawler_codes()},
                            {(const char *)data, size}};
    const struct frontier_options frontier = {
        .ranking = size && data[0] & 1 ? RANKING_PRIORITY : RANKING_BFS,
        .delay_ms = 10,
        .per_host = 1,
        .max_per_domain = size && data[0] & 2 ? 5 : 0,
        .host_tries = 3,
        .idle_hosts_max = 4,
        .robots = true,
        .report_changes = true,
        .queue_bytes = size && data[0] & 4 ? 1 : 0,
        .queue_dir_fd = dir_fd,
        .domains = domains,
    };
    const struct resume_options options = {
        .robots_agent = STR("crawler"),
        .now_ms = 1000000,
        .wall_ms = 1000000,
    };
    struct validator validator;
    struct resumed resumed;
    struct store_error error;

    validator_init(&validator, scope, 100, &frontier);
    if (resume_load(&store.base, &validator, &options, &resumed, &error))
        drain(validator.frontier);
    validator_release(&validator);
    scope_free(scope);
    return 0;
}
