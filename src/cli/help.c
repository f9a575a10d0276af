#include "cli/option_table.h"

#include "base/str.h"

enum { HELP_COLUMN = 30, HELP_WIDTH = 79 };

/* Print words from `column` on, wrapped and indented. */
static void print_wrapped(FILE *out, struct str text, int column)
{
    int at = column;

    while (text.len) {
        struct str_pair cut = str_cut(text, ' ');
        if (at > column && at + 1 + (int)cut.head.len > HELP_WIDTH) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        }
        at +=
            fprintf(out, "%s%.*s", at > column ? " " : "", STR_ARGS(cut.head));
        text = cut.tail;
    }
}

static void print_row(FILE *out, const struct option_row *row)
{
    char left[96], help[256];
    char letter[] = {'-', row->letter, ',', ' ', '\0'};

    snprintf(left, sizeof(left), "  %s--%s%s%s%s", row->letter ? letter : "",
             row->name, row->argument ? " " : "",
             row->argument ? row->argument : "",
             row->may_be_none ? "|none" : "");
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
    const char *group = "";

    for (size_t i = 0; i < option_count; i++) {
        const struct option_row *row = &option_table[i];

        if (!(row->commands & command))
            continue;
        if (strcmp(row->group, group) != 0)
            fprintf(out, "\n%s:\n", row->group);
        group = row->group;
        print_row(out, row);
    }
}
