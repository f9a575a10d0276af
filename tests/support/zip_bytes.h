/* The entries of a ZIP file unpacked. The crawler reads stored ones in place,
 * so only tests do this. */
#ifndef TESTS_SUPPORT_ZIP_BYTES_H
#define TESTS_SUPPORT_ZIP_BYTES_H

#include "archive/zip.h"

/* NULL if there is none. */
const struct zip_entry *zip_find(const struct zip_reader *zip, struct str name);

/* Append the bytes of an entry; false if it cannot be unpacked. */
bool zip_bytes(int fd, const struct zip_entry *entry, struct buf *out);

#endif
