/* What crawler verify finds: a line each on standard output, of every kind at
 * most a hundred. */
#ifndef REPORT_FINDINGS_H
#define REPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

enum finding {
    FINDING_FILE,   /* a page file */
    FINDING_NUMBER, /* of a page */
    FINDING_DEPTH,
    FINDING_PAUSE,
    FINDING_RECORD, /* the state file, or rows that do not fit */
    FINDINGS,
};

struct findings {
    uint64_t count[FINDINGS];
};

/* What a terminal might obey is shown as '?'. */
void findings_add(struct findings *findings, enum finding kind,
                  const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How many more there are than were shown. True where there are none at all. */
bool findings_end(const struct findings *findings);

#endif
