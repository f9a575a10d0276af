#include "fleet/mail.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/hashtable.h"
#include "base/mem.h"
#include "web/partition.h"

/* --- an entry as bytes --------------------------------------------------- */

/* kind, nesting and whether it is named in one byte, then varints, then the
 * text with its length. Further ones follow where it is about a robots.txt. */
enum { KIND_BITS = 3, NAMED = 0x80 };

static void write_varint(struct buf *out, uint64_t value)
{
    char byte[10];
    size_t len = 0;

    do {
        byte[len] = (char)(value & 127);
        value >>= 7;
        if (value)
            byte[len] = (char)(byte[len] | 128);
        len++;
    } while (value);
    buf_put(out, (struct str){byte, len});
}

static void write_text(struct buf *out, struct str text)
{
    write_varint(out, text.len);
    buf_put(out, text);
}

static bool is_about_robots(uint8_t kind)
{
    return kind == MAIL_ROBOTS_ASKED || kind == MAIL_ROBOTS_TOLD;
}

void mail_write(struct buf *out, const struct mail_entry *entry)
{
    char head = (char)(entry->kind | entry->nesting << KIND_BITS |
                       (entry->is_named ? NAMED : 0));

    buf_put(out, (struct str){&head, 1});
    write_varint(out, entry->depth);
    write_varint(out, entry->found);
    write_varint(out, entry->redirects);
    write_varint(out, entry->node);
    write_varint(out, entry->page);
    write_varint(out, entry->via);
    write_text(out, entry->url);
    if (is_about_robots(entry->kind))
        write_text(out, entry->asker);
    if (entry->kind != MAIL_ROBOTS_TOLD)
        return;
    write_varint(out, entry->outcome);
    write_varint(out, entry->status);
    write_varint(out, entry->retry_after_ms);
    write_varint(out, entry->text.ptr != NULL);
    write_text(out, entry->text);
}

struct reading {
    struct str rest;
    bool failed;
};

static uint64_t read_varint(struct reading *reading, uint64_t max)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && reading->rest.len; shift += 7) {
        uint8_t byte = (uint8_t)reading->rest.ptr[0];
        reading->rest = str_skip(reading->rest, 1);
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            reading->failed |= value > max;
            return value > max ? 0 : value;
        }
    }
    reading->failed = true;
    return 0;
}

static struct str read_text(struct reading *reading, size_t max)
{
    size_t len = (size_t)read_varint(reading, max);

    reading->failed |= len > reading->rest.len;
    struct str text = str_first(reading->rest, len);
    reading->rest = str_skip(reading->rest, text.len);
    return text;
}

static void read_told(struct reading *reading, struct mail_entry *entry)
{
    entry->outcome = (uint8_t)read_varint(reading, UINT8_MAX);
    entry->status = (uint32_t)read_varint(reading, UINT16_MAX);
    entry->retry_after_ms = read_varint(reading, UINT32_MAX);
    bool has_text = read_varint(reading, 1);
    entry->text = read_text(reading, MAIL_TEXT_MAX);
    reading->failed |= !has_text && entry->text.len;
    if (!has_text)
        entry->text = (struct str){0};
}

bool mail_read(struct str payload, size_t *at, struct mail_entry *entry)
{
    struct reading reading = {.rest = str_skip(payload, *at)};

    if (!reading.rest.len)
        return false;
    uint8_t head = (uint8_t)reading.rest.ptr[0];
    reading.rest = str_skip(reading.rest, 1);
    *entry = (struct mail_entry){
        .kind = head & ((1 << KIND_BITS) - 1),
        .nesting = (uint8_t)((head & ~(unsigned)NAMED) >> KIND_BITS),
        .is_named = head & NAMED,
    };
    entry->depth = (uint32_t)read_varint(&reading, FLEET_LOWEST_NONE - 2);
    entry->found = (uint32_t)read_varint(&reading, UINT32_MAX);
    entry->redirects = (uint8_t)read_varint(&reading, UINT8_MAX);
    entry->node = (uint32_t)read_varint(&reading, FLEET_MACHINES_MAX);
    entry->page = (uint32_t)read_varint(&reading, UINT32_MAX);
    entry->via = read_varint(&reading, UINT64_MAX);
    entry->url = read_text(&reading, URL_LEN_MAX);
    if (is_about_robots(entry->kind))
        entry->asker = read_text(&reading, URL_LEN_MAX);
    if (entry->kind == MAIL_ROBOTS_TOLD)
        read_told(&reading, entry);
    if (reading.failed || entry->nesting > NESTING_LAST ||
        (entry->kind > TARGET_REQUISITE && !is_about_robots(entry->kind)))
        return false;
    *at = payload.len - reading.rest.len;
    return true;
}

/* --- the outbox ---------------------------------------------------------- */

struct waiting {
    struct waiting *next; /* of its partition */
    struct mail_entry entry;
    uint32_t part;
};

struct outbox {
    uint32_t partitions;
    bool by_level;
    uint64_t seed;
    struct hashtable waiting;    /* by the fingerprint of kind and text */
    struct hashtable remembered; /* sent: smallest depth + 1 */
    struct waiting **first;      /* by partition */
    struct arena arena;          /* of those that wait */
    size_t robots;               /* about a robots.txt; not in `waiting` */
    size_t bytes;
};

struct outbox *outbox_new(uint32_t partitions, bool by_level, uint64_t seed)
{
    struct outbox *outbox = NEW(struct outbox);

    outbox->partitions = partitions;
    outbox->by_level = by_level;
    outbox->seed = seed;
    outbox->first = mem_array(partitions, sizeof(struct waiting *));
    hashtable_init(&outbox->waiting);
    hashtable_init(&outbox->remembered);
    arena_init(&outbox->arena);
    return outbox;
}

void outbox_free(struct outbox *outbox)
{
    if (!outbox)
        return;
    hashtable_release(&outbox->waiting);
    hashtable_release(&outbox->remembered);
    arena_release(&outbox->arena);
    free(outbox->first);
    free(outbox);
}

size_t outbox_count(const struct outbox *outbox)
{
    return outbox->waiting.count + outbox->robots;
}

bool outbox_is_urgent(const struct outbox *outbox)
{
    return outbox->robots > 0;
}

bool outbox_is_full(const struct outbox *outbox)
{
    return outbox->bytes > OUTBOX_BYTES_MAX;
}

/* Was the URL sent with this depth or a smaller one? If not, it is now. */
static bool was_sent(struct outbox *outbox, uint64_t fingerprint,
                     uint32_t depth)
{
    if (!outbox->by_level)
        return false;
    uintptr_t before =
        (uintptr_t)hashtable_get(&outbox->remembered, fingerprint);
    if (before && before <= (uintptr_t)depth + 1)
        return true;
    if (before)
        hashtable_take(&outbox->remembered, fingerprint);
    if (outbox->remembered.count >= OUTBOX_REMEMBERED_MAX) {
        hashtable_release(&outbox->remembered);
        hashtable_init(&outbox->remembered);
    }
    uintptr_t item = (uintptr_t)depth + 1;
    // NOLINTNEXTLINE(performance-no-int-to-ptr) ; the table keeps depths
    hashtable_put(&outbox->remembered, fingerprint, (void *)item);
    return false;
}

static void coalesce(struct mail_entry *old, const struct mail_entry *entry)
{
    uint64_t found = (uint64_t)old->found + entry->found;
    uint8_t nesting =
        entry->nesting < old->nesting ? entry->nesting : old->nesting;

    bool is_named = old->is_named || entry->is_named;

    if (entry->depth < old->depth) {
        struct str url = old->url;
        *old = *entry;
        old->url = url;
    }
    old->is_named = is_named;
    old->found = found < UINT32_MAX ? (uint32_t)found : UINT32_MAX;
    old->nesting = nesting;
}

static struct waiting *add(struct outbox *outbox, uint32_t part,
                           const struct mail_entry *entry)
{
    struct waiting *waiting = arena_new(&outbox->arena, sizeof(*waiting));

    waiting->entry = *entry;
    waiting->entry.url = arena_copy(&outbox->arena, entry->url);
    waiting->part = part;
    waiting->next = outbox->first[part];
    outbox->first[part] = waiting;
    outbox->bytes += sizeof(*waiting) + entry->url.len;
    return waiting;
}

void outbox_put(struct outbox *outbox, uint32_t part,
                const struct mail_entry *entry)
{
    uint64_t fingerprint = target_fingerprint((enum target_kind)entry->kind,
                                              hash64(entry->url, outbox->seed));
    struct waiting *old = hashtable_get(&outbox->waiting, fingerprint);

    if (old) {
        coalesce(&old->entry, entry);
        was_sent(outbox, fingerprint, entry->depth);
        return;
    }
    if (was_sent(outbox, fingerprint, entry->depth))
        return;
    hashtable_put(&outbox->waiting, fingerprint, add(outbox, part, entry));
}

void outbox_put_robots(struct outbox *outbox, uint32_t part,
                       const struct mail_entry *entry)
{
    struct mail_entry *copy = &add(outbox, part, entry)->entry;

    copy->asker = arena_copy(&outbox->arena, entry->asker);
    if (entry->text.ptr)
        copy->text = arena_copy(&outbox->arena, entry->text);
    outbox->bytes += entry->asker.len + entry->text.len;
    outbox->robots++;
}

void outbox_put_seed(struct outbox *outbox, const struct url *url,
                     enum target_kind kind, bool is_named,
                     const struct domains *domains, uint64_t partition_seed)
{
    const struct mail_entry entry = {
        .url = url->href,
        .kind = (uint8_t)kind,
        .is_named = is_named,
    };
    struct str domain = domain_of_host(domains, url_host(url));

    outbox_put(outbox, partition_of(domain, partition_seed, outbox->partitions),
               &entry);
}

struct mails {
    struct fleet_mail *mail;
    size_t count, room;
    struct arena *arena;
};

static void add_mail(struct mails *mails, uint32_t part, struct buf *payload)
{
    if (!payload->len)
        return;
    if (mails->count == mails->room) {
        size_t room = mails->room ? 2 * mails->room : 64;
        struct fleet_mail *more = arena_new(mails->arena, room * sizeof(*more));
        if (mails->count)
            memcpy(more, mails->mail, mails->count * sizeof(*more));
        mails->mail = more;
        mails->room = room;
    }
    mails->mail[mails->count++] = (struct fleet_mail){
        .key.part = part,
        .payload = arena_copy(mails->arena, buf_str(payload)),
    };
    buf_clear(payload);
}

struct fleet_mail *outbox_seal(struct outbox *outbox, struct arena *arena,
                               size_t *count)
{
    struct mails mails = {.arena = arena};
    struct buf payload;

    buf_init(&payload, MAIL_BYTES_MAX + MAIL_TEXT_MAX + 4 * URL_LEN_MAX);
    for (uint32_t part = 0; part < outbox->partitions; part++) {
        for (const struct waiting *at = outbox->first[part]; at;
             at = at->next) {
            mail_write(&payload, &at->entry);
            if (payload.len >= MAIL_BYTES_MAX)
                add_mail(&mails, part, &payload);
        }
        add_mail(&mails, part, &payload);
        outbox->first[part] = NULL;
    }
    buf_release(&payload);
    hashtable_release(&outbox->waiting);
    hashtable_init(&outbox->waiting);
    arena_release(&outbox->arena);
    arena_init(&outbox->arena);
    outbox->bytes = outbox->robots = 0;
    *count = mails.count;
    return mails.mail;
}
