#include "report/findings.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/terminal.h"

enum { SHOWN_MAX = 100, LINE_LEN_MAX = 10000 };

static const char *const names[FINDINGS] = {
    [FINDING_FILE] = "page files", [FINDING_NUMBER] = "page numbers",
    [FINDING_DEPTH] = "depths",    [FINDING_PAUSE] = "pauses",
    [FINDING_RECORD] = "records",
};

void findings_add(struct findings *findings, enum finding kind,
                  const char *format, ...)
{
    char line[LINE_LEN_MAX];
    va_list args;

    if (findings->count[kind]++ >= SHOWN_MAX)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    terminal_line(stdout, "%s", line);
}

bool findings_end(const struct findings *findings)
{
    uint64_t all = 0;

    for (int kind = 0; kind < FINDINGS; kind++) {
        all += findings->count[kind];
        if (findings->count[kind] > SHOWN_MAX)
            printf("and %llu more %s\n",
                   (unsigned long long)findings->count[kind] - SHOWN_MAX,
                   names[kind]);
    }
    return !all;
}
