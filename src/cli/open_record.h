/* The record of a crawl, opened to be read for one of the reports. Nothing is
 * changed, and it works beside the crawl at work and in a directory that
 * cannot be written.
 *
 * The functions return status 0, or another after one line on standard error:
 * EXIT_USAGE if there is no record, 1 if it is damaged or cannot be read. */
#ifndef CLI_OPEN_RECORD_H
#define CLI_OPEN_RECORD_H

#include "cli/plan.h"
#include "report/report.h"

struct open_record {
    struct arena arena;
    const char *label; /* of the record, for messages */
    struct pagedir dir;
    struct store *store;
    struct crawl_record record; /* until it is part of the plan */
    bool recalled;              /* the rest is filled in: */
    struct options options;     /* of the crawl */
    struct plan plan;
    struct report report;
};

/* In any case close it. */
int record_open(struct open_record *record, const char *dir_path);
void record_close(struct open_record *record);

/* Read what is known of the crawl as a whole, into `record`. */
int record_read_facts(struct open_record *record);

/* From there, the rules that the crawl was run with, into `report`. */
int record_recall(struct open_record *record);

/* Say that the record cannot be read; status 1. */
int record_fail(const struct open_record *record,
                const struct store_error *error);

#endif
