#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/words.h"
#include "cli/option_table.h"

/* How much of a wrong word a message repeats. */
enum { SHOWN_MAX = 200 };

/* --- values ------------------------------------------------------------ */

static void *field(struct options *options, const struct option_row *row)
{
    return (char *)options + row->at;
}

/* There is always room for the NULL at the end. */
static void list_init(struct options *options, struct list *list)
{
    *list = (struct list){
        .item = arena_new(&options->arena, sizeof(*list->item)),
    };
}

void options_list_add(struct options *options, struct list *list,
                      const char *text)
{
    size_t used = list->count + 1;

    /* The array is full at every power of two. */
    if ((used & (used - 1)) == 0) {
        const char **grown =
            arena_new(&options->arena, 2 * used * sizeof(*grown));
        memcpy(grown, list->item, list->count * sizeof(*grown));
        list->item = grown;
    }
    list->item[list->count++] = text;
}

static bool choice_number(const char *choices, struct str text, uint64_t *out)
{
    struct str rest = str_of(choices);

    for (uint64_t number = 0; rest.len; number++) {
        struct str_pair cut = str_cut(rest, '|');
        if (cut.head.len && str_eq(cut.head, text)) {
            *out = number;
            return true;
        }
        rest = cut.tail;
    }
    return false;
}

static void put_count(struct buf *out, uint64_t value)
{
    buf_printf(out, "%llu", (unsigned long long)value);
}

static const struct number_type {
    bool (*read)(struct str text, uint64_t *value);
    void (*put)(struct buf *out, uint64_t value);
    const char *kind;
} number_types[] = {
    [OPTION_COUNT] = {str_to_u64, put_count, "a whole number"},
    [OPTION_DURATION] = {value_duration_ms, value_put_duration,
                         "a duration such as 500ms, 10s, 5m or 2h"},
    [OPTION_SIZE] = {value_size, value_put_size,
                     "a size such as 1000, 64K or 16M"},
};

/* False with the next words of a sentence that begins with the option's name.
 */
static bool set_number(const struct option_row *row, struct str text,
                       uint64_t *out, struct buf *error)
{
    const struct number_type *type = &number_types[row->type];
    uint64_t value = 0;

    if (row->may_be_none && str_eq(text, STR("none"))) {
        *out = row->none_is_max ? row->max : OPTION_NONE;
        return true;
    }
    bool read = type->read(text, &value);
    if (read && value >= row->min && value <= row->max) {
        *out = value;
        return true;
    }
    buf_put(error, STR("must be "));
    if (!read) {
        buf_put(error, str_of(type->kind));
    } else {
        buf_put(error, value < row->min ? STR("at least ") : STR("at most "));
        type->put(error, value < row->min ? row->min : row->max);
    }
    if (row->may_be_none)
        buf_put(error, STR(", or none"));
    return false;
}

static bool set(struct options *options, const struct option_row *row,
                const char *text, struct buf *error)
{
    switch (row->type) {
    case OPTION_FLAG:
        *(bool *)field(options, row) = true;
        return true;
    case OPTION_TEXT:
        *(const char **)field(options, row) = text;
        return true;
    case OPTION_LIST:
        options_list_add(options, field(options, row), text);
        return true;
    case OPTION_CHOICE:
        if (choice_number(row->choices, str_of(text), field(options, row)))
            return true;
        buf_printf(error, "must be one of %s",
                   row->choices[0] == '|' ? row->choices + 1 : row->choices);
        return false;
    case OPTION_COUNT:
    case OPTION_DURATION:
    case OPTION_SIZE:
        return set_number(row, str_of(text), field(options, row), error);
    }
    return false;
}

/* --- words ------------------------------------------------------------- */

/* The words of a command line, as far as they are read. */
struct parser {
    struct options *options;
    char *const *word;
    int count, at;
    struct buf *error;
};

/* By its letter if there is one, else by its name. */
static const struct option_row *find_row(enum command command, struct str name,
                                         char letter)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        if ((row->commands & command) &&
            (letter ? row->letter == letter : str_eq(str_of(row->name), name)))
            return row;
    }
    return NULL;
}

/* The path from the root, or the text as it is if there is no such directory.
 * "-" is no path. */
static const char *from_root(struct options *options, const char *text)
{
    const char *slash = strrchr(text, '/');
    const char *name = slash ? slash + 1 : text;
    struct str typed = slash ? str_between(text, slash) : STR(".");

    if (!*text || text[0] == '/' || !strcmp(text, "-"))
        return text;
    char *directory = realpath(arena_copy(&options->arena, typed).ptr, NULL);
    if (!directory)
        return text;
    size_t size = strlen(directory) + strlen(name) + 2;
    char *path = arena_new(&options->arena, size);
    snprintf(path, size, "%s/%s", directory, name);
    free(directory);
    return path;
}

static void note_given(struct options *options, const struct option_row *row,
                       const char *text)
{
    bool flag = row->type == OPTION_FLAG;
    size_t size = strlen(row->name) + strlen(text) + 2;
    char *given = arena_new(&options->arena, size);

    snprintf(given, size, "%s%s%s", row->name, flag ? "" : "=", text);
    options_list_add(options, &options->given, given);
}

/* After this the URL has no password in it. */
static const char *take_login(struct options *options, const char *text)
{
    struct option_login *entry = arena_new(&options->arena, sizeof(*entry));

    if (login_cut(&options->arena, str_of(text), &entry->url, &entry->login)) {
        entry->next = options->logins;
        options->logins = entry;
    }
    return entry->url.ptr;
}

/* `attached` is the value that stands in the same word, or NULL. */
static bool apply(struct parser *parser, const struct option_row *row,
                  const char *shown, const char *attached)
{
    struct options *options = parser->options;
    const char *text = attached;

    if (row->type == OPTION_FLAG) {
        if (attached) {
            buf_printf(parser->error, "%s takes no value", shown);
            return false;
        }
        text = "";
    } else if (!attached && parser->at < parser->count) {
        text = parser->word[parser->at++];
    }
    if (!text) {
        buf_printf(parser->error, "%s needs a value: %s %s", shown, shown,
                   row->argument);
        return false;
    }
    if (row->instead && *(const char **)field(options, row)) {
        buf_printf(parser->error, "%s is given twice; %s", shown, row->instead);
        return false;
    }
    if (row->has_login)
        text = take_login(options, text);
    buf_printf(parser->error, "%s ", shown);
    if (!set(options, row, text, parser->error)) {
        buf_printf(parser->error, ", not '%.*s'", SHOWN_MAX,
                   login_hide(&options->arena, text));
        return false;
    }
    buf_clear(parser->error);
    if (!row->never_recorded)
        note_given(options, row,
                   row->is_path ? from_root(options, text) : text);
    return true;
}

/* "name" or "name=value", without the dashes. */
static bool parse_long(struct parser *parser, const char *given)
{
    struct str_pair cut = str_cut(str_of(given), '=');
    const struct option_row *row =
        find_row(parser->options->command, cut.head, 0);
    char shown[64];

    if (!row) {
        struct str name = arena_copy(&parser->options->arena, cut.head);
        buf_printf(parser->error,
                   "there is no option --%.*s; see crawler --help", SHOWN_MAX,
                   login_hide(&parser->options->arena, name.ptr));
        return false;
    }
    snprintf(shown, sizeof(shown), "--%s", row->name);
    return apply(parser, row, shown, cut.tail.ptr);
}

/* "-qv", or "-UNAME": an option with a value takes the rest of the word. */
static bool parse_letters(struct parser *parser, const char *word)
{
    for (const char *at = word + 1; *at; at++) {
        const struct option_row *row =
            find_row(parser->options->command, STR(""), *at);
        char shown[] = {'-', *at, '\0'};

        if (!row) {
            buf_printf(parser->error,
                       "there is no option %s; see crawler --help", shown);
            return false;
        }
        if (row->type != OPTION_FLAG)
            return apply(parser, row, shown, at[1] ? at + 1 : NULL);
        if (!apply(parser, row, shown, NULL))
            return false;
    }
    return true;
}

/* "-" is a file name, and "-1" is a wrong number, not an option. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !ascii_is_digit(word[1]);
}

void options_init(struct options *options)
{
    *options = (struct options){
        .command = COMMAND_CRAWL,
        .max_pages = OPTION_NONE,
        .max_time_ms = OPTION_NONE,
        .max_per_domain = OPTION_NONE,
        .max_bytes = OPTION_NONE,
        .limit_rate = OPTION_NONE,
        .ip_delay_ms = UINT64_MAX,
    };
    arena_init(&options->arena);
    list_init(options, &options->given);
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        if (row->type == OPTION_LIST)
            list_init(options, field(options, row));
        if (row->initial)
            set(options, row, row->initial, NULL);
    }
}

bool options_add(struct options *options, const char *given, struct buf *error)
{
    struct parser parser = {.options = options, .error = error};

    return parse_long(&parser, arena_copy(&options->arena, str_of(given)).ptr);
}

bool options_parse(struct options *options, enum command command, int argc,
                   char *const argv[], struct buf *error)
{
    struct parser parser = {options, argv, argc, 0, error};
    struct list arguments;
    bool options_end = false, good = true;

    options_init(options);
    options->command = command;
    list_init(options, &arguments);
    while (parser.at < parser.count && good) {
        const char *word = parser.word[parser.at++];

        if (options_end || !is_option(word))
            options_list_add(options, &arguments, word);
        else if (!strcmp(word, "--"))
            options_end = true;
        else if (word[1] == '-')
            good = parse_long(&parser, word + 2);
        else
            good = parse_letters(&parser, word);
    }
    options->argument = arguments.item;
    options->argument_count = arguments.count;
    return good;
}

bool option_is_named(const char *given, const char *name)
{
    return str_eq(str_cut(str_of(given), '=').head, str_of(name));
}

bool option_is_given(const struct list *given, const char *name)
{
    for (size_t i = 0; i < given->count; i++)
        if (option_is_named(given->item[i], name))
            return true;
    return false;
}

const struct option_row *option_row_of(const char *given)
{
    return find_row(COMMAND_CRAWL, str_cut(str_of(given), '=').head, 0);
}

bool option_is_fixed(const char *given)
{
    const struct option_row *row = option_row_of(given);

    return row && row->fixed;
}

bool option_is_ordered(const char *given)
{
    const struct option_row *row = option_row_of(given);

    return row && row->ordered;
}

bool option_is_for_display(const char *given)
{
    const struct option_row *row = option_row_of(given);

    return row && row->display;
}

bool option_is_kept(const char *given)
{
    const struct option_row *row = option_row_of(given);

    return row && !row->fixed && !row->display && !row->lapses;
}

void options_release(struct options *options)
{
    arena_release(&options->arena);
}
