#include "cli/option_table.h"

#include "base/str.h"

enum { HELP_COLUMN = 30, HELP_WIDTH = 79 };

static bool is_shown(const struct option_row *row, enum command command)
{
    return (row->commands & command) && row->help;
}

static bool is_new_group(size_t i, const char **group, enum command command)
{
    const struct option_row *row = &option_table[i];

    if (!is_shown(row, command) || *group == row->group ||
        (*group && !strcmp(*group, row->group)))
        return false;
    *group = row->group;
    return true;
}

/* Words from `column` on, wrapped and indented. */
static void print_wrapped(FILE *out, struct str text, int column)
{
    int at = column;

    while (text.len) {
        struct str_pair cut = str_cut(text, ' ');
        if (at > column && at + 1 + (int)cut.head.len > HELP_WIDTH) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        }
        at += fprintf(out, "%s%.*s", at > column ? " " : "", (int)cut.head.len,
                      cut.head.ptr);
        text = cut.tail;
    }
}

static const char *none_of(const struct option_row *row)
{
    return row->may_be_none ? "|none" : "";
}

static void print_row(FILE *out, const struct option_row *row)
{
    char left[96], help[256];
    char letter[] = {'-', row->letter, ',', ' ', '\0'};

    snprintf(left, sizeof(left), "  %s--%s%s%s%s", row->letter ? letter : "",
             row->name, row->argument ? " " : "",
             row->argument ? row->argument : "", none_of(row));
    snprintf(help, sizeof(help), "%s%s%s%s", row->help,
             row->initial ? " (default " : "", row->initial ? row->initial : "",
             row->initial ? ")" : "");
    if ((int)strlen(left) + 2 > HELP_COLUMN)
        fprintf(out, "%s\n%*s", left, HELP_COLUMN, "");
    else
        fprintf(out, "%-*s", HELP_COLUMN, left);
    print_wrapped(out, str_of(help), HELP_COLUMN);
    fputc('\n', out);
}

void options_print_help(FILE *out, enum command command)
{
    const char *group = NULL;

    for (size_t i = 0; i < option_count; i++) {
        if (is_new_group(i, &group, command))
            fprintf(out, "\n%s:\n", group);
        if (is_shown(&option_table[i], command))
            print_row(out, &option_table[i]);
    }
}

/* Hyphens in roff would else become typographic ones. */
static void print_roff(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '-')
            fputs("\\-", out);
        else
            fputc(*text, out);
}

void options_print_man(FILE *out, enum command command)
{
    const char *group = NULL;

    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];

        if (is_new_group(i, &group, command))
            fprintf(out, ".SS %s\n", group);
        if (!is_shown(row, command))
            continue;
        fputs(".TP\n.B ", out);
        if (row->letter)
            fprintf(out, "\\-%c, ", row->letter);
        fputs("\\-\\-", out);
        print_roff(out, row->name);
        if (row->argument) {
            fputs(" \\fI", out);
            print_roff(out, row->argument);
            fprintf(out, "\\fR%s", none_of(row));
        }
        fputc('\n', out);
        print_roff(out, row->help);
        if (row->initial)
            fprintf(out, "; default %s", row->initial);
        fputs(".\n", out);
    }
}
