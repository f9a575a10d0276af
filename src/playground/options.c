#include "playground/options.h"

#include <stddef.h>

enum kind { FLAG, TEXT, LIST, DURATION };

struct option {
    const char *name;
    const char *value; /* what it is called in the help; NULL: none */
    enum kind kind;
    size_t at; /* in struct options */
    const char *help;
};

#define AT(member) offsetof(struct options, member)

// clang-format off
static const struct option table[] = {
    {"letters", NULL, FLAG, AT(letters),
     "the letters site, under /tse/letters/"},
    {"root", "DIR", LIST, AT(root),
     "the files of a directory (repeatable)"},
    {"site", "FILE", LIST, AT(site),
     "a site described in a text file (repeatable)"},
    {"listen", "ADDR:PORT", LIST, AT(listen),
     "loopback address, port 0 is any free one (repeatable; 127.0.0.1:0)"},
    {"lifetime", "TIME", DURATION, AT(lifetime_us),
     "end after that time (600s); 0 is never"},
    {"record", "FILE", TEXT, AT(record),
     "write one line for every request"},
    {"record-headers", NULL, FLAG, AT(record_headers),
     "... with the whole request in the last column"},
    {"outlive-parent", NULL, FLAG, AT(outlive_parent),
     "do not end with the process that started it"},
    {"help", NULL, FLAG, AT(help),
     "show this"},
};
// clang-format on

bool options_duration(struct str text, uint64_t *us)
{
    static const struct {
        struct str suffix;
        uint64_t us;
    } units[] = {
        {STR_INIT("ms"), 1000},
        {STR_INIT("s"), 1000 * 1000},
        {STR_INIT("m"), 60 * 1000 * 1000ULL},
        {STR_INIT("h"), 3600 * 1000 * 1000ULL},
        {STR_INIT(""), 1000 * 1000},
    };
    uint64_t value = 0;
    size_t digits = 0;

    while (digits < text.len && ascii_is_digit(text.ptr[digits]))
        digits++;
    if (!str_to_u64(str_first(text, digits), &value) || value > UINT32_MAX)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (str_eq(str_skip(text, digits), units[i].suffix)) {
            *us = value * units[i].us;
            return true;
        }
    }
    return false;
}

static const struct option *find(struct str name)
{
    for (size_t i = 0; i < ARRAY_LEN(table); i++)
        if (str_eq(str_of(table[i].name), name))
            return &table[i];
    return NULL;
}

static bool set(struct options *options, const struct option *option,
                const char *value)
{
    void *at = (char *)options + option->at;

    switch (option->kind) {
    case FLAG:
        *(bool *)at = true;
        return true;
    case TEXT:
        *(const char **)at = value;
        return true;
    case LIST: {
        struct option_list *list = at;
        if (list->count == OPTIONS_MAX_LIST)
            return false;
        list->item[list->count++] = value;
        return true;
    }
    case DURATION:
        return options_duration(str_of(value), at);
    }
    return false;
}

/* One option; *argi moves past what was used. */
static bool parse_one(int argc, char **argv, int *argi, struct options *options,
                      char problem[OPTIONS_PROBLEM])
{
    const char *arg = argv[(*argi)++];
    const char *equals = strchr(arg, '=');
    struct str name = str_of(arg);

    if (equals)
        name.len = (size_t)(equals - arg);
    const struct option *option = NULL;
    if (str_starts(name, STR("--")))
        option = find(str_skip(name, 2));
    if (!option) {
        snprintf(problem, OPTIONS_PROBLEM,
                 "'%.100s' is not an option; --help lists them", arg);
        return false;
    }

    const char *value = equals ? equals + 1 : NULL;
    if (option->value && !value && *argi < argc)
        value = argv[(*argi)++];
    if (!option->value != !value) {
        snprintf(problem, OPTIONS_PROBLEM, "--%s takes %s%s", option->name,
                 option->value ? "a value: " : "no value",
                 option->value ? option->value : "");
        return false;
    }
    if (!set(options, option, value)) {
        snprintf(problem, OPTIONS_PROBLEM, "--%s: '%.100s' is no good value",
                 option->name, value);
        return false;
    }
    return true;
}

bool options_parse(int argc, char **argv, struct options *options,
                   char problem[OPTIONS_PROBLEM])
{
    *options = (struct options){.lifetime_us = 600 * 1000 * 1000ULL};
    for (int argi = 1; argi < argc;)
        if (!parse_one(argc, argv, &argi, options, problem))
            return false;
    if (!options->listen.count)
        options->listen = (struct option_list){{"127.0.0.1:0"}, 1};
    return true;
}

void options_help(FILE *out)
{
    fputs("usage: playground [options]\n\n"
          "A web server for tests, on loopback addresses only.\n\n",
          out);
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        char left[32];

        snprintf(left, sizeof(left), "--%s %s", table[i].name,
                 table[i].value ? table[i].value : "");
        fprintf(out, "  %-22s %s\n", left, table[i].help);
    }
}
