#include <stdio.h>

#include "cli/option_table.h"
#include "cli/usage.h"
#include "report/findings.h"
#include "view/order.h"

/* Scripts for shells, made of the tables of commands and options, so that they
 * never lag behind. */

static void print_bash(void), print_zsh(void), print_fish(void);

static const struct {
    const char *name;
    void (*print)(void);
} shells[] = {
    {"bash", print_bash},
    {"zsh", print_zsh},
    {"fish", print_fish},
};

/* --- what an option takes ----------------------------------------------- */

enum value { VALUE_NONE, VALUE_CHOICE, VALUE_KINDS, VALUE_FILE, VALUE_OTHER };

static enum value value_of(const struct option_row *row)
{
    static const char *const files[] = {"FILE", "PATH", "ARCHIVE", "WHERE"};

    if (row->type == OPTION_FLAG)
        return VALUE_NONE;
    if (row->type == OPTION_CHOICE)
        return VALUE_CHOICE;
    if (row->argument && !strcmp(row->argument, "KIND,..."))
        return VALUE_KINDS;
    for (size_t i = 0; i < ARRAY_LEN(files); i++)
        if (row->argument && !strcmp(row->argument, files[i]))
            return VALUE_FILE;
    return VALUE_OTHER;
}

/* "a|b|c" as "a b c". */
static void print_choices(const struct option_row *row)
{
    for (const char *c = row->choices + (row->choices[0] == '|'); *c; c++)
        putchar(*c == '|' ? ' ' : *c);
}

/* The kinds of findings; several are given with commas in between. */
static void print_kinds(void)
{
    for (unsigned i = 0; i < FINDINGS; i++)
        printf("%s ", finding_words((enum finding_kind)i)->name);
    fputs("any", stdout);
}

/* The orders of ctl. */
static void print_orders(void)
{
    for (unsigned i = 0; i < ORDER_KINDS; i++)
        if (i != ORDER_NONE)
            printf("%s ", view_order_name((enum view_order_kind)i));
}

static void print_shells(void)
{
    for (size_t i = 0; i < ARRAY_LEN(shells); i++)
        printf("%s ", shells[i].name);
}

/* The text up to its first ';', ':' or full stop, for a shell that reads it
 * between single quotes, with a backslash before each of `escaped`. */
static void print_text(const char *text, const char *escaped)
{
    for (; *text && !strchr(";:", *text); text++) {
        if (*text == '.' && (!text[1] || strchr(" \n", text[1])))
            break;
        if (*text == '\'')
            fputs("'\\'", stdout);
        else if (strchr(escaped, *text))
            putchar('\\');
        putchar(*text == '\n' ? ' ' : *text);
    }
}

static bool is_of(const struct option_row *row, unsigned command)
{
    return (row->commands & command) != 0;
}

/* The names of all commands that have one. */
static void print_names(void)
{
    unsigned command;
    const char *name, *help;

    for (size_t i = 1; (name = usage_command(i, &command, &help)); i++)
        printf("%s%s", i > 1 ? " " : "", name);
}

/* An argument that is one of a few words: its place, counted behind "crawler".
 */
static const struct fixed_words {
    unsigned command, place;
    void (*print)(void);
} fixed_words[] = {
    {COMMAND_CTL, 3, print_orders},
    {COMMAND_COMPLETION, 2, print_shells},
};

/* NULL: the command has none. */
static const struct fixed_words *words_of(unsigned command)
{
    for (size_t i = 0; i < ARRAY_LEN(fixed_words); i++)
        if (fixed_words[i].command == command)
            return &fixed_words[i];
    return NULL;
}

/* --- bash ---------------------------------------------------------------- */

static void print_options(unsigned command)
{
    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        if (!is_of(row, command))
            continue;
        printf("--%s ", row->name);
        if (row->letter)
            printf("-%c ", row->letter);
    }
}

/* A row of the case that looks at the word before. */
static void print_bash_value(const struct option_row *row)
{
    if (value_of(row) == VALUE_NONE)
        return;
    printf("        --%s", row->name);
    if (row->letter)
        printf(" | -%c", row->letter);
    fputs(") ", stdout);
    if (value_of(row) == VALUE_CHOICE) {
        fputs("choices='", stdout);
        print_choices(row);
        fputs("' ;;\n", stdout);
    } else if (value_of(row) == VALUE_KINDS) {
        fputs("list=${current%\"${current##*,}\"} choices='", stdout);
        print_kinds();
        fputs("' ;;\n", stdout);
    } else if (value_of(row) == VALUE_FILE) {
        fputs("compopt -o default; return ;;\n", stdout);
    } else {
        printf("%s ;;\n", row->may_be_none ? "choices=none" : "return");
    }
}

/* The options of a command and what each takes: the same name may mean
 * different things to two commands. */
static void print_bash_command(const char *name, unsigned command)
{
    const struct fixed_words *words = words_of(command);

    printf("    %s)\n"
           "        options='",
           name);
    print_options(command);
    fputs("'\n"
          "        case $before in\n",
          stdout);
    for (size_t i = 0; i < option_count; i++)
        if (is_of(&option_table[i], command))
            print_bash_value(&option_table[i]);
    fputs("        esac\n", stdout);
    if (words) {
        printf(
            "        [[ $COMP_CWORD -ne %u || $current == -* ]] || choices='",
            words->place);
        words->print();
        fputs("'\n", stdout);
    }
    fputs("        ;;\n", stdout);
}

static void print_bash(void)
{
    unsigned command;
    const char *name, *help;

    fputs("# Completion of crawler for bash, made by crawler completion bash.\n"
          "_crawler() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} "
          "before=${COMP_WORDS[COMP_CWORD - 1]} choices= options= list=\n"
          "    COMPREPLY=()\n"
          "    # --name=value comes as three words.\n"
          "    if [ \"$current\" = = ]; then\n"
          "        current=\n"
          "    elif [ \"$before\" = = ]; then\n"
          "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
    for (size_t i = 1; (name = usage_command(i, &command, &help)); i++)
        print_bash_command(name, command);
    print_bash_command("*", COMMAND_CRAWL);
    fputs("    esac\n"
          "    if [ -z \"$choices\" ] && [[ $current == -* ]]; then\n"
          "        choices=$options\n"
          "    elif [ -z \"$choices\" ]; then\n"
          "        compopt -o default\n"
          "        [ \"$COMP_CWORD\" -ne 1 ] || choices='",
          stdout);
    print_names();
    fputs("'\n"
          "    fi\n"
          "    mapfile -t COMPREPLY < <(compgen -P \"$list\" -W "
          "\"$choices\" -- \"${current#\"$list\"}\")\n"
          "}\n"
          "complete -F _crawler crawler\n",
          stdout);
}

/* --- zsh ----------------------------------------------------------------- */

static void print_zsh_value(const struct option_row *row)
{
    switch (value_of(row)) {
    case VALUE_NONE:
        break;
    case VALUE_CHOICE:
        printf(":%s:(", row->argument);
        print_choices(row);
        putchar(')');
        break;
    case VALUE_KINDS:
        printf(":%s:_values -s , kind ", row->argument);
        print_kinds();
        break;
    case VALUE_FILE:
        printf(":%s:_files", row->argument);
        break;
    case VALUE_OTHER:
        fputs(row->may_be_none ? ":value:(none)" : ":value: ", stdout);
        break;
    }
}

/* An option may be given again only if that means something. */
static void print_zsh_option(const struct option_row *row, bool letter)
{
    bool repeats = row->type == OPTION_LIST;

    if (letter)
        printf("            '%s-%c%s[", repeats ? "*" : "", row->letter,
               value_of(row) == VALUE_NONE ? "" : "+");
    else
        printf("            '%s--%s%s[", repeats ? "*" : "", row->name,
               value_of(row) == VALUE_NONE ? "" : "=");
    print_text(row->help, "[]\\");
    putchar(']');
    print_zsh_value(row);
    fputs("'\n", stdout);
}

static void print_zsh_options(unsigned command)
{
    const struct fixed_words *words = words_of(command);

    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];
        if (!is_of(row, command))
            continue;
        print_zsh_option(row, false);
        if (row->letter)
            print_zsh_option(row, true);
    }
    if (words) {
        printf("            '%u:word:(", words->place);
        words->print();
        fputs(")'\n", stdout);
    }
}

static void print_zsh(void)
{
    unsigned command;
    const char *name, *help;

    fputs("#compdef crawler\n"
          "# Completion of crawler for zsh, made by crawler completion zsh.\n"
          "_crawler_first() {\n"
          "    local -a commands\n"
          "    commands=(\n",
          stdout);
    for (size_t i = 1; (name = usage_command(i, &command, &help)); i++) {
        printf("        '%s:", name);
        print_text(help, ":\\");
        fputs("'\n", stdout);
    }
    fputs("    )\n"
          "    _describe command commands\n"
          "    _files\n"
          "}\n"
          "_crawler() {\n"
          "    local -a options\n"
          "    case $words[2] in\n",
          stdout);
    for (size_t i = 1; (name = usage_command(i, &command, &help)); i++) {
        printf("    %s)\n        options=(\n", name);
        print_zsh_options(command);
        fputs("        )\n        ;;\n", stdout);
    }
    fputs("    *)\n        options=(\n", stdout);
    print_zsh_options(COMMAND_CRAWL);
    fputs("        )\n"
          "        ;;\n"
          "    esac\n"
          "    _arguments -s -S $options '1:command:_crawler_first' "
          "'*:file:_files'\n"
          "}\n"
          "_crawler \"$@\"\n",
          stdout);
}

/* --- fish ---------------------------------------------------------------- */

static void print_fish_option(const struct option_row *row, const char *name)
{
    fputs("complete -c crawler -n '", stdout);
    if (name[0]) {
        printf("__fish_seen_subcommand_from %s", name);
    } else {
        fputs("not __fish_seen_subcommand_from ", stdout);
        print_names();
    }
    printf("' -l %s", row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    switch (value_of(row)) {
    case VALUE_NONE:
        break;
    case VALUE_CHOICE:
        fputs(" -x -a '", stdout);
        print_choices(row);
        putchar('\'');
        break;
    case VALUE_KINDS:
        fputs(" -x -a '(__fish_append , ", stdout);
        print_kinds();
        fputs(")'", stdout);
        break;
    case VALUE_FILE:
        fputs(" -r -F", stdout);
        break;
    case VALUE_OTHER:
        fputs(row->may_be_none ? " -x -a none" : " -x", stdout);
        break;
    }
    fputs(" -d '", stdout);
    print_text(row->help, "\\");
    fputs("'\n", stdout);
}

static void print_fish_words(const char *name, unsigned command)
{
    const struct fixed_words *words = words_of(command);

    if (!words)
        return;
    printf("complete -c crawler -n '__fish_seen_subcommand_from %s; and "
           "test (count (commandline -opc)) -eq %u' -x -a '",
           name, words->place);
    words->print();
    fputs("'\n", stdout);
}

static void print_fish(void)
{
    unsigned command;
    const char *name, *help;

    fputs(
        "# Completion of crawler for fish, made by crawler completion fish.\n",
        stdout);
    for (size_t i = 1; (name = usage_command(i, &command, &help)); i++) {
        printf("complete -c crawler -n __fish_use_subcommand -a %s -d '", name);
        print_text(help, "\\");
        fputs("'\n", stdout);
    }
    for (size_t i = 0; (name = usage_command(i, &command, &help)); i++) {
        for (size_t j = 0; j < option_count; j++)
            if (is_of(&option_table[j], command))
                print_fish_option(&option_table[j], name);
        print_fish_words(name, command);
    }
}

/* --- all of them --------------------------------------------------------- */

int command_completion(const struct options *options)
{
    const char *wanted = options->argument[0];

    for (size_t i = 0; i < ARRAY_LEN(shells); i++)
        if (!strcmp(wanted, shells[i].name)) {
            shells[i].print();
            return 0;
        }
    return complain("completion is for bash, zsh or fish, not '%.100s'",
                    wanted);
}
