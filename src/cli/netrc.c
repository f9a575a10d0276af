#include "cli/netrc.h"

#include <errno.h>

#include "base/io.h"

enum { FILE_MAX = 1 << 20, WORD_MAX = 1024 };

struct netrc_entry {
    struct netrc_entry *next;
    struct str machine; /* empty: the default */
    struct login login;
};

void netrc_init(struct netrc *netrc)
{
    *netrc = (struct netrc){.last = NULL};
    arena_init(&netrc->arena);
}

void netrc_release(struct netrc *netrc)
{
    arena_release(&netrc->arena);
}

static struct netrc_entry *add_entry(struct netrc *netrc, struct str machine)
{
    struct netrc_entry *entry = arena_new(&netrc->arena, sizeof(*entry));

    entry->machine = machine;
    entry->login.password = STR("");
    if (!netrc->last)
        netrc->last = &netrc->first;
    *netrc->last = entry;
    netrc->last = &entry->next;
    return entry;
}

/* --- words --------------------------------------------------------------- */

/* The next word; one in quotes may have blanks, and a backslash before a quote.
 * A word that is too long is cut. Empty at the end. */
static struct str next_word(struct netrc *netrc, struct str *text)
{
    struct str rest = str_trim_start(*text);
    bool quoted = str_starts(rest, STR("\""));
    size_t at = quoted, len = 0;
    char word[WORD_MAX];

    while (at < rest.len &&
           (quoted ? rest.ptr[at] != '"' : !ascii_is_space(rest.ptr[at]))) {
        if (quoted && rest.ptr[at] == '\\' && at + 1 < rest.len)
            at++;
        if (len < sizeof(word))
            word[len++] = rest.ptr[at];
        at++;
    }
    *text = str_skip(rest, at + (quoted && at < rest.len));
    return arena_copy(&netrc->arena, (struct str){word, len});
}

/* A macro goes to the next empty line. */
static void skip_macro(struct str *text)
{
    while (text->len) {
        struct str line = str_cut(*text, '\n').head;
        *text = str_skip(*text, line.len < text->len ? line.len + 1 : line.len);
        if (!str_trim(line).len)
            return;
    }
}

/* Read what the word begins, in an entry or before the first. */
static bool read_word(struct netrc *netrc, struct netrc_entry **entry,
                      struct str word, struct str *text)
{
    if (str_eq(word, STR("machine"))) {
        *entry = add_entry(netrc, next_word(netrc, text));
        return (*entry)->machine.len > 0;
    }
    if (str_eq(word, STR("default")))
        *entry = add_entry(netrc, STR(""));
    else if (*entry && str_eq(word, STR("login")))
        (*entry)->login.name = next_word(netrc, text);
    else if (*entry && str_eq(word, STR("password")))
        (*entry)->login.password = next_word(netrc, text);
    else if (*entry && str_eq(word, STR("account")))
        next_word(netrc, text);
    else if (str_eq(word, STR("macdef")))
        skip_macro(text);
    else if (str_starts(word, STR("#")))
        *text = str_skip(*text, str_find(*text, '\n'));
    else
        return false;
    return true;
}

bool netrc_parse(struct netrc *netrc, struct str text)
{
    struct netrc_entry *entry = NULL;

    while (str_trim_start(text).len)
        if (!read_word(netrc, &entry, next_word(netrc, &text), &text))
            return false;
    return true;
}

const char *netrc_read(struct netrc *netrc, const char *path)
{
    const char *problem = NULL;
    struct buf text;

    buf_init(&text, FILE_MAX);
    if (!io_read_file(path, &text))
        problem = strerror(errno);
    else if (!netrc_parse(netrc, buf_str(&text)))
        problem = "not in the form of a .netrc: machine HOST login NAME "
                  "password PASSWORD";
    buf_release(&text);
    return problem;
}

const struct login *netrc_login(const struct netrc *netrc, struct str host)
{
    for (const struct netrc_entry *entry = netrc->first; entry;
         entry = entry->next)
        if (entry->login.name.len &&
            (!entry->machine.len || str_eq_nocase(entry->machine, host)))
            return &entry->login;
    return NULL;
}
