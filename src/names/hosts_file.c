#include "names/hosts_file.h"

#include <arpa/inet.h>

#include "base/hashtable.h"
#include "base/io.h"

/* An address of a name; those of the same name are a list. */
struct hosts_entry {
    struct hosts_entry *next;
    struct in6_addr address;
};

struct hosts_name {
    struct hosts_entry *first, **last;
};

void hosts_file_init(struct hosts_file *hosts, const char *path,
                     uint64_t hash_seed)
{
    *hosts = (struct hosts_file){.path = path, .hash_seed = hash_seed};
    hashtable_init(&hosts->names);
    arena_init(&hosts->arena);
}

void hosts_file_release(struct hosts_file *hosts)
{
    hashtable_release(&hosts->names);
    arena_release(&hosts->arena);
}

/* --- reading ------------------------------------------------------------ */

static bool is_blank(char c)
{
    return ascii_is_space(c) || c == '\v';
}

/* The next word of the line, which moves past it; empty at the end. */
static struct str take_word(struct str *line)
{
    while (line->len && is_blank(line->ptr[0]))
        *line = str_skip(*line, 1);

    size_t len = 0;
    while (len < line->len && !is_blank(line->ptr[len]))
        len++;
    struct str word = str_first(*line, len);
    *line = str_skip(*line, len);
    return word;
}

static bool parse_address(struct str word, struct in6_addr *address)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr v4;

    if (!word.len || word.len >= sizeof(text))
        return false;
    memcpy(text, word.ptr, word.len);
    text[word.len] = '\0';
    if (inet_pton(AF_INET6, text, address) == 1)
        return true;
    if (inet_pton(AF_INET, text, &v4) != 1)
        return false;
    *address = (struct in6_addr){.s6_addr = {[10] = 0xff, [11] = 0xff}};
    memcpy(address->s6_addr + 12, &v4, 4);
    return true;
}

static struct hosts_name *find_or_add(struct hosts_file *hosts, uint64_t key)
{
    struct hosts_name *name = hashtable_get(&hosts->names, key);

    if (!name) {
        name = arena_new(&hosts->arena, sizeof(*name));
        name->last = &name->first;
        hashtable_put(&hosts->names, key, name);
    }
    return name;
}

static void add(struct hosts_file *hosts, struct str word,
                const struct in6_addr *address)
{
    char text[NAME_LEN_MAX + 1];
    struct str name = {.ptr = text};

    if (!name_normalize(word, text, &name.len))
        return;

    struct hosts_name *owner =
        find_or_add(hosts, hash64(name, hosts->hash_seed));
    struct hosts_entry *entry = arena_new(&hosts->arena, sizeof(*entry));
    entry->address = *address;
    *owner->last = entry;
    owner->last = &entry->next;
}

static void parse_line(struct hosts_file *hosts, struct str line)
{
    struct in6_addr address;
    struct str word;

    line = str_first(line, str_find(line, '#'));
    if (!parse_address(take_word(&line), &address))
        return;
    while ((word = take_word(&line)).len)
        add(hosts, word, &address);
}

void hosts_file_parse(struct hosts_file *hosts, struct str text)
{
    while (text.len) {
        size_t len = str_find(text, '\n');

        parse_line(hosts, str_first(text, len));
        text = str_skip(text, len < text.len ? len + 1 : len);
    }
}

/* --- the file ----------------------------------------------------------- */

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static void load(struct hosts_file *hosts)
{
    struct buf text;

    hashtable_release(&hosts->names);
    hashtable_init(&hosts->names);
    arena_clear(&hosts->arena);
    buf_init(&text, HOSTS_FILE_MAX);
    if (io_read_file(hosts->path, &text))
        hosts_file_parse(hosts, buf_str(&text));
    buf_release(&text);
}

static void load_if_changed(struct hosts_file *hosts, uint64_t now_ms)
{
    struct stat now;

    if (!hosts->path ||
        (hosts->checked && now_ms - hosts->checked_ms < HOSTS_CHECKED_MS))
        return;
    if (stat(hosts->path, &now))
        now = (struct stat){0};
    if (!hosts->checked || !is_same(&now, &hosts->seen))
        load(hosts);
    hosts->checked = true;
    hosts->checked_ms = now_ms;
    hosts->seen = now;
}

bool hosts_file_find(struct hosts_file *hosts, struct str name, uint64_t now_ms,
                     struct name_answer *answer)
{
    load_if_changed(hosts, now_ms);

    const struct hosts_name *owner =
        hashtable_get(&hosts->names, hash64(name, hosts->hash_seed));
    if (!owner)
        return false;
    *answer = (struct name_answer){.result = NAME_FOUND};
    for (const struct hosts_entry *at = owner->first; at; at = at->next)
        name_answer_add(answer, &at->address);
    return true;
}
