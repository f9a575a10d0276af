/* Option values as people type them: whole strings, strictly read. */
#ifndef CLI_VALUES_H
#define CLI_VALUES_H

#include "base/str.h"

/* "500ms", "10s", "1.5s", "2m", "2h", "7d", "0"; a bare number is seconds. */
bool value_duration_ms(struct str text, uint64_t *ms);

/* "1000", "64K", "16M", "2G", powers of 1024. */
bool value_size(struct str text, uint64_t *bytes);

#endif
