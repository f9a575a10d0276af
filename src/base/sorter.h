/* A sorter: texts go in, and come out in the order of their bytes.
 *
 *     struct sorter *sorter = sorter_new();
 *     sorter_add(sorter, text);
 *     sorter_rewind(sorter);
 *     while (sorter_next(sorter, &text))
 *         use(text);
 *     if (sorter_failed(sorter))
 *         complain();
 *     sorter_free(sorter);
 *
 * SQLite sorts in a temporary file that has no name, so that memory stays small
 * whatever the number of texts. Equal texts come out as often as they went in.
 */
#ifndef BASE_SORTER_H
#define BASE_SORTER_H

#include "base/str.h"

struct sorter;

/* NULL if there is no room for a temporary file. */
struct sorter *sorter_new(void);
void sorter_free(struct sorter *sorter);

/* After a failure nothing is added and nothing comes out. */
void sorter_add(struct sorter *sorter, struct str text);
bool sorter_failed(const struct sorter *sorter);

/* Begin at the first text. It may be called again; nothing can be added after
 * the first call. */
void sorter_rewind(struct sorter *sorter);

/* Begin at the first text, instead of sorter_rewind, where they are read only
 * once: that takes half the room on the disk. */
void sorter_read_once(struct sorter *sorter);

/* The text is valid until the next call. False at the end. */
bool sorter_next(struct sorter *sorter, struct str *text);

#endif
