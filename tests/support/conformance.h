/* The public test suites, read where they lie: under $CONFORMANCE, or else
 * ../shared/conformance from the project root. They are not part of the
 * project; a test whose data is missing calls skip():
 *
 *     const struct json *rows = conformance_json("url/toascii.json", &arena);
 *     if (!rows)
 *         skip();
 */
#ifndef TESTS_SUPPORT_CONFORMANCE_H
#define TESTS_SUPPORT_CONFORMANCE_H

#include "base/buf.h"
#include "base/mem.h"
#include "support/json.h"

/* Append the file's bytes to `out`. Where there is no such file: false, and
 * a line "skipped: " with the reason on standard output, for tools/run-tests.
 */
bool conformance_read(const char *relative_path, struct buf *out);

/* The same as a tree in `arena`, NULL where the file is missing. A file that
 * is there but cannot be read as JSON ends the program. */
const struct json *conformance_json(const char *relative_path,
                                    struct arena *arena);

#endif
