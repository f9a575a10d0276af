#include "cli/options.h"

#include "base/str.h"
#include "base/values.h"
#include "cli/option_table.h"

/* How much of a wrong word is told. */
enum { SHOWN_MAX = 200 };

/* --- values ------------------------------------------------------------ */

static void *field(struct options *options, const struct option_row *row)
{
    return (char *)options + row->at;
}

/* The room for the NULL at the end is always there. */
static void list_init(struct options *options, struct list *list)
{
    *list = (struct list){
        .item = arena_new(&options->arena, sizeof(*list->item)),
    };
}

static void list_add(struct options *options, struct list *list,
                     const char *text)
{
    size_t used = list->count + 1;

    /* At every power of two it is full. */
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

static void put_number(const struct option_row *row, uint64_t value,
                       struct buf *out)
{
    if (row->type == OPTION_DURATION)
        value_put_duration(out, value);
    else if (row->type == OPTION_SIZE)
        value_put_size(out, value);
    else
        buf_printf(out, "%llu", (unsigned long long)value);
}

static const char *kind_of_number(enum option_type type)
{
    return type == OPTION_COUNT      ? "a whole number"
           : type == OPTION_DURATION ? "a duration such as 500ms, 10s, 5m or 2h"
                                     : "a size such as 1000, 64K or 16M";
}

/* False with the rest of a sentence that begins with the option's name. */
static bool set_number(const struct option_row *row, struct str text,
                       uint64_t *out, struct buf *error)
{
    uint64_t value = 0;

    if (row->may_be_none && str_eq(text, STR("none"))) {
        *out = OPTION_NONE;
        return true;
    }
    bool read = row->type == OPTION_COUNT      ? str_to_u64(text, &value)
                : row->type == OPTION_DURATION ? value_duration_ms(text, &value)
                                               : value_size(text, &value);
    if (read && value >= row->min && value <= row->max) {
        *out = value;
        return true;
    }
    buf_put(error, STR("must be "));
    if (!read) {
        buf_put(error, str_of(kind_of_number(row->type)));
    } else {
        buf_put(error, value < row->min ? STR("at least ") : STR("at most "));
        put_number(row, value < row->min ? row->min : row->max, error);
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
        list_add(options, field(options, row), text);
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

static const struct option_row *find_name(enum command command, struct str name)
{
    for (size_t i = 0; i < option_count; i++)
        if ((option_table[i].commands & command) &&
            str_eq(str_of(option_table[i].name), name))
            return &option_table[i];
    return NULL;
}

static const struct option_row *find_letter(enum command command, char letter)
{
    for (size_t i = 0; i < option_count; i++)
        if ((option_table[i].commands & command) &&
            option_table[i].letter == letter)
            return &option_table[i];
    return NULL;
}

struct words {
    char *const *word;
    int count, at;
};

static bool take_value(struct words *words, const char *attached,
                       const char **text)
{
    *text = attached;
    if (!attached && words->at < words->count)
        *text = words->word[words->at++];
    return *text != NULL;
}

static void note_given(struct options *options, const struct option_row *row,
                       const char *text)
{
    bool flag = row->type == OPTION_FLAG;
    size_t size = strlen(row->name) + strlen(text) + 2;
    char *given = arena_new(&options->arena, size);

    snprintf(given, size, "%s%s%s", row->name, flag ? "" : "=", text);
    list_add(options, &options->given, given);
}

/* From here on nobody sees a password in the URL. */
static const char *take_login(struct options *options, const char *text)
{
    struct option_login *entry = arena_new(&options->arena, sizeof(*entry));

    if (login_cut(&options->arena, str_of(text), &entry->url, &entry->login)) {
        entry->next = options->logins;
        options->logins = entry;
    }
    return entry->url.ptr;
}

static bool apply(struct options *options, const struct option_row *row,
                  const char *shown, const char *attached, struct words *words,
                  struct buf *error)
{
    const char *text = "";
    struct buf why;

    if (row->type == OPTION_FLAG && attached) {
        buf_printf(error, "%s takes no value", shown);
        return false;
    }
    if (row->type != OPTION_FLAG && !take_value(words, attached, &text)) {
        buf_printf(error, "%s needs a value: %s %s", shown, shown,
                   row->argument);
        return false;
    }
    if (row->has_login)
        text = take_login(options, text);
    buf_init(&why, 256);
    bool good = set(options, row, text, &why);
    if (good && !row->never_recorded)
        note_given(options, row, text);
    if (!good)
        buf_printf(error, "%s %s, not '%.*s'", shown, buf_cstr(&why), SHOWN_MAX,
                   text);
    buf_release(&why);
    return good;
}

static bool parse_long(struct options *options, enum command command,
                       const char *word, struct words *words, struct buf *error)
{
    struct str_pair cut = str_cut(str_of(word + 2), '=');
    const struct option_row *row = find_name(command, cut.head);

    if (!row) {
        buf_printf(error, "there is no option --%.*s; see crawler --help",
                   (int)str_first(cut.head, SHOWN_MAX).len, cut.head.ptr);
        return false;
    }
    char shown[64];
    snprintf(shown, sizeof(shown), "--%s", row->name);
    return apply(options, row, shown, cut.tail.ptr, words, error);
}

static bool parse_letters(struct options *options, enum command command,
                          const char *word, struct words *words,
                          struct buf *error)
{
    for (const char *at = word + 1; *at; at++) {
        const struct option_row *row = find_letter(command, *at);
        char shown[] = {'-', *at, '\0'};

        if (!row) {
            buf_printf(error, "there is no option %s; see crawler --help",
                       shown);
            return false;
        }
        if (row->type != OPTION_FLAG)
            return apply(options, row, shown, at[1] ? at + 1 : NULL, words,
                         error);
        if (!apply(options, row, shown, NULL, words, error))
            return false;
    }
    return true;
}

/* "-" is a file name, and "-1" is a wrong number, not an option. */
static bool is_option(const char *word)
{
    return word[0] == '-' && word[1] && !ascii_is_digit(word[1]);
}

static void set_defaults(struct options *options)
{
    struct buf error;

    buf_init(&error, 256);
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        if (row->type == OPTION_LIST)
            list_init(options, field(options, row));
        if (row->initial)
            set(options, row, row->initial, &error);
    }
    options->max_pages = options->max_time_ms = OPTION_NONE;
    options->max_per_domain = OPTION_NONE;
    options->ip_delay_ms = UINT64_MAX;
    buf_release(&error);
}

bool options_parse(struct options *options, enum command command, int argc,
                   char *const argv[], struct buf *error)
{
    struct words words = {argv, argc, 0};
    struct list arguments;
    bool options_end = false;

    *options = (struct options){0};
    arena_init(&options->arena);
    set_defaults(options);
    list_init(options, &arguments);
    list_init(options, &options->given);
    while (words.at < words.count) {
        const char *word = words.word[words.at++];
        bool good = true;

        if (options_end || !is_option(word))
            list_add(options, &arguments, word);
        else if (!strcmp(word, "--"))
            options_end = true;
        else if (word[1] == '-')
            good = parse_long(options, command, word, &words, error);
        else
            good = parse_letters(options, command, word, &words, error);
        if (!good)
            return false;
    }
    options->argument = arguments.item;
    options->argument_count = arguments.count;
    return true;
}

bool option_is_named(struct str given, struct str name)
{
    return str_eq(str_cut(given, '=').head, name);
}

static const struct option_row *row_of(struct str given)
{
    return find_name(COMMAND_CRAWL, str_cut(given, '=').head);
}

bool option_is_fixed(struct str given)
{
    const struct option_row *row = row_of(given);

    return row && row->fixed;
}

bool option_is_for_looks(struct str given)
{
    const struct option_row *row = row_of(given);

    return row && row->looks;
}

void options_release(struct options *options)
{
    arena_release(&options->arena);
}
