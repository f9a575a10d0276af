#include "cli/filtering.h"

#include <errno.h>

#include "cli/input.h"
#include "cli/usage.h"

/* How many rules there can be, and how much of a wrong one is repeated. */
enum { RULES_MAX = 10000, FAULT_MAX = 4096, SHOWN_MAX = 200 };

/* --- files -------------------------------------------------------------- */

struct pattern_file {
    struct options *options;
    const char *name;
    size_t lines, patterns;
    int status;
};

/* Check the pattern here, where its line is known. */
static int check_line(const struct pattern_file *file, struct str pattern)
{
    struct filter *filter = filter_new();
    struct buf fault;

    buf_init(&fault, FAULT_MAX);
    bool good = filter_add(filter, RULE_EXCLUDE, pattern, &fault);
    if (!good)
        complain("%s:%zu: '%.*s': %s", file->name, file->lines,
                 (int)str_first(pattern, SHOWN_MAX).len, pattern.ptr,
                 buf_cstr(&fault));
    buf_release(&fault);
    filter_free(filter);
    return good ? 0 : EXIT_USAGE;
}

static void add_line(void *user, struct str line)
{
    struct pattern_file *file = user;
    struct options *options = file->options;

    if (!file->lines++ && str_starts(line, STR("\xEF\xBB\xBF")))
        line = str_skip(line, 3); /* a byte order mark */
    struct str pattern = str_trim(line);
    if (file->status || !pattern.len || pattern.ptr[0] == '#')
        return;
    file->status = check_line(file, pattern);
    if (!file->status && ++file->patterns > RULES_MAX)
        file->status =
            complain("%s has more than %d patterns", file->name, RULES_MAX);
    if (file->status)
        return;
    struct buf given;
    buf_init(&given, pattern.len + sizeof("exclude="));
    buf_put(&given, STR("exclude="));
    buf_put(&given, pattern);
    options_list_add(options, &options->given,
                     arena_copy(&options->arena, buf_str(&given)).ptr);
    buf_release(&given);
}

static int read_file(struct options *options, const char *name)
{
    struct pattern_file file = {.options = options, .name = name};

    if (!strcmp(name, "-") && options->command == COMMAND_URL)
        return complain("--exclude-from cannot be '-': the URLs are read from "
                        "standard input");
    if (!strcmp(name, "-") && options->seeds && !strcmp(options->seeds, "-"))
        return complain("--exclude-from and --seeds cannot both be standard "
                        "input");
    if (!input_lines(name, add_line, &file))
        return complain("--exclude-from '%s': %s",
                        login_hide(&options->arena, name), strerror(errno));
    if (!file.status && !file.patterns)
        return complain("--exclude-from '%s' has no pattern", name);
    return file.status;
}

int filtering_read_files(struct options *options)
{
    const struct list before = options->given;
    int status = 0;

    if (!option_is_given(&before, "exclude-from"))
        return 0;
    options->given = (struct list){
        .item = arena_new(&options->arena, sizeof(*before.item)),
    };
    for (size_t i = 0; i < before.count && !status; i++) {
        if (option_is_named(before.item[i], "exclude-from"))
            status = read_file(options, strchr(before.item[i], '=') + 1);
        else
            options_list_add(options, &options->given, before.item[i]);
    }
    return status;
}

/* --- rules and keys ----------------------------------------------------- */

static int add_rule(struct filter *filter, enum filter_rule_kind kind,
                    const char *pattern)
{
    struct buf fault;

    buf_init(&fault, FAULT_MAX);
    bool good = filter_add(filter, kind, str_of(pattern), &fault);
    if (!good)
        complain("%s '%.*s': %s", filter_option(kind), SHOWN_MAX, pattern,
                 buf_cstr(&fault));
    buf_release(&fault);
    return good ? 0 : EXIT_USAGE;
}

/* In the order in which they were given. */
static int add_rules(const struct list *given, struct filter *filter)
{
    bool has_excluded = false;
    size_t count = 0;
    int status = 0;

    for (size_t i = 0; i < given->count && !status; i++) {
        const char *option = given->item[i];
        bool excludes = option_is_named(option, "exclude");
        if (!excludes && !option_is_named(option, "include"))
            continue;
        const char *pattern = strchr(option, '=') + 1;
        has_excluded |= excludes;
        if (!has_excluded)
            return complain("--include '%.*s' has no effect: without an "
                            "--exclude before it every URL is included; "
                            "--exclude '**' before it crawls only these",
                            SHOWN_MAX, pattern);
        if (++count > RULES_MAX)
            return complain("there are more than %d rules", RULES_MAX);
        status =
            add_rule(filter, excludes ? RULE_EXCLUDE : RULE_INCLUDE, pattern);
    }
    return status;
}

static int add_keys(const struct list *lists, struct query_keys *keys)
{
    struct buf fault;
    bool good = true;

    buf_init(&fault, FAULT_MAX);
    for (size_t i = 0; i < lists->count && good; i++) {
        good = query_keys_add(keys, str_of(lists->item[i]), &fault);
        if (!good)
            complain("--strip-query '%.*s': %s", SHOWN_MAX, lists->item[i],
                     buf_cstr(&fault));
    }
    buf_release(&fault);
    return good ? 0 : EXIT_USAGE;
}

bool filtering_has_rules(const struct options *options)
{
    return options->include.count || options->exclude.count ||
           options->exclude_from.count;
}

int filtering_make(const struct options *options, struct filter **filter,
                   struct query_keys **strip)
{
    int status = 0;

    *filter = NULL;
    *strip = NULL;
    if (filtering_has_rules(options)) {
        *filter = filter_new();
        status = add_rules(&options->given, *filter);
    }
    if (!status && options->strip_query.count) {
        *strip = query_keys_new();
        status = add_keys(&options->strip_query, *strip);
    }
    return status;
}
