#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/words.h"
#include "cli/option_table.h"

enum { WORDS_MAX = 12 };

/* --- a command line and what comes of it ----------------------------- */

struct parsed {
    struct options options;
    struct buf error;
    bool good;
};

static void parse(struct parsed *parsed, enum command command,
                  const char *const *words)
{
    char *argv[WORDS_MAX + 1];
    int argc = 0;

    for (; words[argc]; argc++)
        argv[argc] = (char *)words[argc];
    buf_init(&parsed->error, 4096);
    parsed->good =
        options_parse(&parsed->options, command, argc, argv, &parsed->error);
}

static void release(struct parsed *parsed)
{
    options_release(&parsed->options);
    buf_release(&parsed->error);
}

/* The arguments joined, for a table to compare with. */
static const char *joined(const char *const *item, size_t count,
                          struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < count; i++)
        buf_printf(out, "%s[%s]", i ? " " : "", item[i]);
    return buf_cstr(out);
}

/* --- good ones ------------------------------------------------------- */

static void numbers(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        size_t at; /* of a uint64_t in struct options */
        uint64_t value;
    } cases[] = {
#define AT(field) offsetof(struct options, field)
        {{NULL}, AT(delay_ms), 1000},
        {{NULL}, AT(workers), 80},
        {{NULL}, AT(per_host), 1},
        {{NULL}, AT(max_size), 16 << 20},
        {{NULL}, AT(timeout_ms), 30000},
        {{NULL}, AT(threads), 0},
        {{NULL}, AT(scope), 0},
        {{NULL}, AT(log), 0},
        {{NULL}, AT(max_pages), UINT64_MAX},
        {{NULL}, AT(max_time_ms), UINT64_MAX},
        {{"--delay", "0"}, AT(delay_ms), 0},
        {{"--delay=0"}, AT(delay_ms), 0},
        {{"--delay=1.5s"}, AT(delay_ms), 1500},
        {{"--delay", "500ms"}, AT(delay_ms), 500},
        {{"--delay", "1d"}, AT(delay_ms), 86400000},
        {{"--delay", "2", "--delay", "3"}, AT(delay_ms), 3000},
        {{"--workers", "1"}, AT(workers), 1},
        {{"--workers=10000"}, AT(workers), 10000},
        {{"--max-size", "64K"}, AT(max_size), 65536},
        {{"--max-size", "2G"}, AT(max_size), (uint64_t)1 << 31},
        {{"--max-pages=18446744073709551615"}, AT(max_pages), UINT64_MAX},
        {{"--max-pages", "1"}, AT(max_pages), 1},
        {{"--max-pages", "1", "--max-pages", "none"},
         AT(max_pages),
         UINT64_MAX},
        {{"--max-time=1s", "--max-time=none"}, AT(max_time_ms), UINT64_MAX},
        {{"--max-per-domain=none"}, AT(max_per_domain), UINT64_MAX},
        {{"--queue-memory=none"}, AT(queue_memory), UINT64_MAX},
        {{NULL}, AT(max_bytes), UINT64_MAX},
        {{"--max-bytes", "2K"}, AT(max_bytes), 2048},
        {{"--max-bytes=1", "--max-bytes=none"}, AT(max_bytes), UINT64_MAX},
        {{"--limit-rate=none"}, AT(limit_rate), UINT64_MAX},
        {{"--limit-rate=1M"}, AT(limit_rate), 1 << 20},
        {{"--max-size=none"}, AT(max_size), (uint64_t)1 << 31},
        {{"--timeout=none"}, AT(timeout_ms), 86400000},
        {{"--max-redirects=none"}, AT(max_redirects), 100},
        {{"--max-redirects", "0"}, AT(max_redirects), 0},
        {{"--retries=0"}, AT(retries), 0},
        {{"--scope", "prefix"}, AT(scope), 1},
        {{"--scope=host"}, AT(scope), 2},
        {{"--scope=domain"}, AT(scope), 3},
        {{"--scope=any"}, AT(scope), 4},
        {{"--log=json"}, AT(log), 2},
        {{"--log=none"}, AT(log), 4},
        {{"--log=none", "--log", "tse"}, AT(log), 1},
#undef AT
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct parsed parsed;
        parse(&parsed, COMMAND_CRAWL, cases[i].words);
        uint64_t got;
        memcpy(&got, (char *)&parsed.options + cases[i].at, sizeof(got));
        if (!parsed.good || got != cases[i].value)
            fail_msg("case %zu, %s: expected %llu, got %llu (%s)", i,
                     cases[i].words[0] ? cases[i].words[0] : "(nothing)",
                     (unsigned long long)cases[i].value,
                     (unsigned long long)got, buf_cstr(&parsed.error));
        release(&parsed);
    }
}

static void texts(void **state)
{
    static const struct {
        const char *words[WORDS_MAX];
        size_t at; /* of a const char * */
        const char *value;
    } cases[] = {
#define AT(field) offsetof(struct options, field)
        {{NULL}, AT(user_agent), NULL},
        {{"--user-agent", "a b"}, AT(user_agent), "a b"},
        {{"--user-agent="}, AT(user_agent), ""},
        {{"--user-agent", ""}, AT(user_agent), ""},
        {{"--user-agent=a=b"}, AT(user_agent), "a=b"},
        {{"-U", "a"}, AT(user_agent), "a"},
        {{"-Ua b"}, AT(user_agent), "a b"},
        {{"-U=a"}, AT(user_agent), "=a"},
        {{"-qvUa"}, AT(user_agent), "a"},
        {{"-qU", "-v"}, AT(user_agent), "-v"},
        {{"-U", "--"}, AT(user_agent), "--"},
        {{"--user-agent", "--quiet"}, AT(user_agent), "--quiet"},
        {{"--proxy=http://h:1/?a=b"}, AT(proxy), "http://h:1/?a=b"},
        {{"-U", "a", "-U", "b"}, AT(user_agent), "b"},
#undef AT
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct parsed parsed;
        parse(&parsed, COMMAND_CRAWL, cases[i].words);
        const char *got;
        memcpy(&got, (char *)&parsed.options + cases[i].at, sizeof(got));
        const char *value = cases[i].value;
        if (!parsed.good || !got != !value || (got && strcmp(got, value) != 0))
            fail_msg("case %zu, %s: expected %s, got %s (%s)", i,
                     cases[i].words[0] ? cases[i].words[0] : "(nothing)",
                     value ? value : "nothing", got ? got : "nothing",
                     buf_cstr(&parsed.error));
        release(&parsed);
    }
}

static void arguments(void **state)
{
    static const struct {
        const char *words[WORDS_MAX], *arguments;
        bool quiet, verbose;
    } cases[] = {
        {{NULL}, "", 0, 0},
        {{"a", "b", "c"}, "[a] [b] [c]", 0, 0},
        {{"a", "-q", "b"}, "[a] [b]", 1, 0},
        {{"-qv"}, "", 1, 1},
        {{"-vq", "-q"}, "", 1, 1},
        {{"--quiet", "a", "--verbose"}, "[a]", 1, 1},
        {{"--", "-q", "--quiet", "--"}, "[-q] [--quiet] [--]", 0, 0},
        {{"a", "--", "b"}, "[a] [b]", 0, 0},
        {{"--"}, "", 0, 0},
        {{"-"}, "[-]", 0, 0},
        {{"a", "b", "-1"}, "[a] [b] [-1]", 0, 0},
        {{"-0", "-9z"}, "[-0] [-9z]", 0, 0},
        {{""}, "[]", 0, 0},
        {{"--delay", "-1", "x"}, NULL, 0, 0},
    };
    struct buf text;

    (void)state;
    buf_init(&text, 4096);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct parsed parsed;
        parse(&parsed, COMMAND_CRAWL, cases[i].words);
        const char *expected = cases[i].arguments;
        const char *got = joined(parsed.options.argument,
                                 parsed.options.argument_count, &text);
        if (parsed.good != (expected != NULL) ||
            (expected && strcmp(got, expected) != 0) ||
            parsed.options.quiet != cases[i].quiet ||
            parsed.options.verbose != cases[i].verbose)
            fail_msg("case %zu: expected %s %d %d, got %s %d %d (%s)", i,
                     expected ? expected : "an error", cases[i].quiet,
                     cases[i].verbose, got, parsed.options.quiet,
                     parsed.options.verbose, buf_cstr(&parsed.error));
        release(&parsed);
    }
    buf_release(&text);
}

static void lists(void **state)
{
    static const char *const none[] = {NULL};
    static const char *const many[] = {
        "-H", "A: 1", "--header=B: 2", "-HC: 3", "x", "--header", "A: 1", NULL,
    };
    struct parsed parsed;
    struct buf text;

    (void)state;
    buf_init(&text, 4096);
    parse(&parsed, COMMAND_CRAWL, many);
    assert_true(parsed.good);
    const struct list *headers = &parsed.options.headers;
    assert_string_equal(joined(headers->item, headers->count, &text),
                        "[A: 1] [B: 2] [C: 3] [A: 1]");
    assert_null(headers->item[4]);
    release(&parsed);

    /* "NULL at the end; never NULL itself": also where none was given. */
    parse(&parsed, COMMAND_CRAWL, none);
    const struct list *empty[] = {&parsed.options.headers,
                                  &parsed.options.internal,
                                  &parsed.options.connect_to};
    for (size_t i = 0; i < ARRAY_LEN(empty); i++) {
        assert_int_equal(empty[i]->count, 0);
        assert_non_null(empty[i]->item);
        assert_null(empty[i]->item[0]);
    }
    release(&parsed);
    buf_release(&text);
}

/* "crawler *" in a directory of many files must fail, but not for want of
 * memory. */
static void very_many_arguments(void **state)
{
    enum { COUNT = 100000 };
    char **argv = mem_array(COUNT, sizeof(*argv));
    struct options options;
    struct buf error;

    (void)state;
    for (int i = 0; i < COUNT; i++)
        argv[i] = i % 2 ? "-Hx" : "file";
    buf_init(&error, 4096);
    assert_true(options_parse(&options, COMMAND_CRAWL, COUNT, argv, &error));
    assert_int_equal(options.argument_count, COUNT / 2);
    assert_int_equal(options.headers.count, COUNT / 2);
    assert_string_equal(options.argument[COUNT / 2 - 1], "file");
    assert_string_equal(options.headers.item[COUNT / 2 - 1], "x");
    assert_null(options.headers.item[COUNT / 2]);
    assert_in_range(options.arena.used, 0, 8 * COUNT * sizeof(char *));
    options_release(&options);
    buf_release(&error);
    free(argv);
}

/* --- bad ones -------------------------------------------------------- */

static const struct {
    enum command command;
    const char *words[WORDS_MAX];
    const char *says; /* in the message */
} wrong_lines[] = {
    {COMMAND_CRAWL, {"--nonsense"}, "no option --nonsense"},
    {COMMAND_CRAWL, {"--nonsense=1"}, "no option --nonsense;"},
    {COMMAND_CRAWL, {"--=1"}, "no option --"},
    {COMMAND_CRAWL, {"--del", "1"}, "no option --del;"},
    {COMMAND_CRAWL, {"--Delay", "1"}, "no option --Delay;"},
    {COMMAND_CRAWL, {"---delay", "1"}, "no option"},
    {COMMAND_CRAWL, {"-x"}, "no option -x"},
    {COMMAND_CRAWL, {"-qx"}, "no option -x"},
    {COMMAND_CRAWL, {"-q-"}, "no option --"},
    {COMMAND_CRAWL, {"-.5"}, "no option -."},
    {COMMAND_CRAWL, {"-quiet"}, "no option -u"},
    {COMMAND_CRAWL, {"--base", "x"}, "no option --base"},
    {COMMAND_URL, {"--delay", "1"}, "no option --delay"},
    {COMMAND_URL, {"-q"}, "no option -q"},
    {COMMAND_LINKS, {"--scope", "any"}, "no option --scope"},
    {COMMAND_CRAWL, {"--delay"}, "--delay needs a value"},
    {COMMAND_CRAWL, {"a", "-U"}, "-U needs a value"},
    {COMMAND_CRAWL, {"-qU"}, "-U needs a value"},
    {COMMAND_CRAWL, {"--quiet=1"}, "--quiet takes no value"},
    {COMMAND_CRAWL, {"--quiet="}, "--quiet takes no value"},
    {COMMAND_CRAWL, {"--delay="}, "must be a duration"},
    {COMMAND_CRAWL, {"--delay", ""}, "must be a duration"},
    {COMMAND_CRAWL, {"--delay", "-1"}, "not '-1'"},
    {COMMAND_CRAWL, {"--delay", "1e3"}, "not '1e3'"},
    {COMMAND_CRAWL, {"--delay", "86401"}, "must be at most 24h, not '86401'"},
    {COMMAND_CRAWL, {"--delay", "--quiet"}, "not '--quiet'"},
    {COMMAND_CRAWL, {"--timeout", "0"}, "must be at least 1ms"},
    {COMMAND_CRAWL, {"--max-time", "0"}, "must be at least 1ms, or none, not"},
    {COMMAND_CRAWL, {"--max-time", "x"}, "or 2h, or none, not 'x'"},
    {COMMAND_CRAWL, {"--max-time", "None"}, "not 'None'"},
    {COMMAND_CRAWL, {"--delay", "none"}, "or 2h, not 'none'"},
    {COMMAND_CRAWL, {"--queue-memory", "1"}, "must be at least 64K, or none"},
    {COMMAND_CRAWL, {"--max-pages", "0"}, "must be at least 1"},
    {COMMAND_CRAWL, {"--max-pages", "18446744073709551616"}, "whole"},
    {COMMAND_CRAWL, {"--max-pages", "10k"}, "whole number"},
    {COMMAND_CRAWL, {"--workers", "0"}, "must be at least 1"},
    {COMMAND_CRAWL, {"--workers", "20001"}, "must be at most 20000"},
    {COMMAND_CRAWL, {"--workers", "1.5"}, "whole number"},
    {COMMAND_CRAWL, {"--workers", "+1"}, "whole number"},
    {COMMAND_CRAWL, {"--per-host", "0"}, "must be at least 1"},
    {COMMAND_CRAWL, {"--max-redirects", "101"}, "must be at most 100"},
    {COMMAND_CRAWL, {"--retries", "101"}, "must be at most 100"},
    {COMMAND_CRAWL, {"--max-size", "0"}, "must be at least 1"},
    {COMMAND_CRAWL, {"--max-size", "3G"}, "must be at most 2G"},
    {COMMAND_CRAWL, {"--max-size", "10s"}, "must be a size"},
    {COMMAND_CRAWL, {"--scope", ""}, "prefix|host|domain|any"},
    {COMMAND_CRAWL, {"--scope", "Host"}, "not 'Host'"},
    {COMMAND_CRAWL, {"--scope", "prefix|host"}, "must be one of"},
    {COMMAND_CRAWL, {"--log", "xml"}, "tse|json|pages|none"},
    {COMMAND_CRAWL, {"--log=jso"}, "must be one of"},
    /* The first mistake is the one that is told. */
    {COMMAND_CRAWL, {"--workers=x", "--nonsense"}, "--workers"},
};

static void errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(wrong_lines); i++) {
        struct parsed parsed;
        parse(&parsed, wrong_lines[i].command, wrong_lines[i].words);
        const char *error = buf_cstr(&parsed.error);
        if (parsed.good || !strstr(error, wrong_lines[i].says) ||
            strchr(error, '\n'))
            fail_msg("%s %s: expected '%s', got %s '%s'",
                     wrong_lines[i].words[0],
                     wrong_lines[i].words[1] ? wrong_lines[i].words[1] : "",
                     wrong_lines[i].says, parsed.good ? "no error" : "", error);
        release(&parsed);
    }
}

/* However long the word, there is a message, and not all of the word in it. */
static void long_words(void **state)
{
    static char name[20000] = "--x", value[20000] = "--delay=x";
    const char *const cases[][2] = {{name, NULL}, {value, NULL}};

    (void)state;
    memset(name + 3, 'x', sizeof(name) - 4);
    memset(value + 9, 'x', sizeof(value) - 10);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct parsed parsed;
        parse(&parsed, COMMAND_CRAWL, cases[i]);
        assert_false(parsed.good);
        assert_in_range(parsed.error.len, 20, 1000);
        release(&parsed);
    }
}

/* --- the table itself ------------------------------------------------ */

static bool is_number(enum option_type type)
{
    return type == OPTION_COUNT || type == OPTION_DURATION ||
           type == OPTION_SIZE;
}

static bool initial_is_in_bounds(const struct option_row *row)
{
    struct str text = str_of(row->initial);
    uint64_t value = 0;
    bool read = row->type == OPTION_COUNT      ? str_to_u64(text, &value)
                : row->type == OPTION_DURATION ? value_duration_ms(text, &value)
                                               : value_size(text, &value);

    return read && value >= row->min && value <= row->max;
}

static void every_row_is_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];

        if (!row->name || !row->group || !row->commands || !row->help ||
            !row->help[0])
            fail_msg("row %zu, --%s, lacks something", i, row->name);
        if ((row->type == OPTION_FLAG) != !row->argument)
            fail_msg("--%s: a flag and only a flag has no value", row->name);
        if (is_number(row->type) && (row->min > row->max || !row->max))
            fail_msg("--%s has no bounds", row->name);
        if (row->initial && is_number(row->type) && !initial_is_in_bounds(row))
            fail_msg("--%s: the default is not in bounds", row->name);
        if ((row->type == OPTION_CHOICE) != (row->choices != NULL))
            fail_msg("--%s: choices", row->name);
        if (row->at >= sizeof(struct options))
            fail_msg("--%s is stored nowhere", row->name);
        if (!(row->commands & COMMAND_CRAWL) != (row->owner == OF_NO_CRAWL))
            fail_msg("--%s: whose is it in a fleet?", row->name);
        if (row->fixed && row->owner != OF_CRAWL && row->owner != OF_COMMAND)
            fail_msg("--%s is fixed, so it is the crawl's", row->name);
        for (size_t j = 0; j < i; j++) {
            const struct option_row *other = &option_table[j];
            if (row->commands & other->commands &&
                (!strcmp(row->name, other->name) ||
                 (row->letter && row->letter == other->letter)))
                fail_msg("--%s and --%s cannot be told apart", row->name,
                         other->name);
            if (row->at == other->at)
                fail_msg("--%s and --%s share a field", row->name, other->name);
        }
    }
}

static char *printed_help(enum command command)
{
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);

    options_print_help(out, command);
    fclose(out);
    return text;
}

/* With its end: --check is not --check-external. */
static bool has_word(const char *text, const char *word)
{
    const char *at = text;

    while ((at = strstr(at, word))) {
        at += strlen(word);
        if (*at == ' ' || *at == '\n')
            return true;
    }
    return false;
}

/* Two commands may have options of the same name. */
static bool belongs_to(const char *name, enum command command)
{
    bool belongs = false;

    for (size_t i = 0; i < option_count; i++)
        belongs |= option_table[i].commands & command &&
                   !strcmp(option_table[i].name, name);
    return belongs;
}

/* Help shows every option of the command with its default, in 79 columns. */
static void help_shows_all(void **state)
{
    static const enum command commands[] = {
        COMMAND_CRAWL,  COMMAND_URL,    COMMAND_LINKS,
        COMMAND_ROBOTS, COMMAND_STATUS, COMMAND_WHY,
        COMMAND_VERIFY, COMMAND_EXPORT, COMMAND_REPORT,
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
        char *help = printed_help(commands[i]);
        for (size_t j = 0; j < option_count; j++) {
            const struct option_row *row = &option_table[j];
            char name[64];
            bool shown = belongs_to(row->name, commands[i]);
            char letter[] = {'-', row->letter, ',', ' ', '\0'};
            /* Its own entry; other options may speak of it. */
            snprintf(name, sizeof(name), "\n  %s--%s",
                     row->letter ? letter : "", row->name);
            if (has_word(help, name) != shown)
                fail_msg("%s is %sin the help of command %d", row->name,
                         shown ? "not " : "", commands[i]);
            if (row->commands & commands[i] && row->initial &&
                !strstr(help, row->initial))
                fail_msg("the default of %s is not shown", row->name);
        }
        for (struct str rest = str_of(help); rest.len;
             rest = str_cut(rest, '\n').tail) {
            struct str line = str_cut(rest, '\n').head;
            if (line.len > 79 || str_ends(line, STR(" ")))
                fail_msg("%zu columns: '%.*s'", line.len, (int)line.len,
                         line.ptr);
        }
        free(help);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(texts),
        cmocka_unit_test(arguments),
        cmocka_unit_test(lists),
        cmocka_unit_test(very_many_arguments),
        cmocka_unit_test(errors),
        cmocka_unit_test(long_words),
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(help_shows_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
