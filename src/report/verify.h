/* crawler verify: read everything again, record and page files, and find what
 * is not as it was recorded. */
#ifndef REPORT_VERIFY_H
#define REPORT_VERIFY_H

#include "page/pagedir.h"
#include "store/store.h"

/* Print findings, or that there are none, on standard output. `*clean` says
 * which. `seed` is for hash tables. False with `error` if not all of it could
 * be read. */
bool verify_print(struct store *store, const struct pagedir *dir, uint64_t seed,
                  bool *clean, struct store_error *error);

#endif
