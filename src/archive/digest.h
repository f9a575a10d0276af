/* Digests as archives write them: "sha1:" and base32 in upper case, "sha256:"
 * and hexadecimal in lower case. */
#ifndef ARCHIVE_DIGEST_H
#define ARCHIVE_DIGEST_H

#include "base/str.h"

enum digest_kind { DIGEST_SHA1, DIGEST_SHA256 };

enum { DIGEST_TEXT_MAX = 7 + 64 };

/* A digest of bytes that come piece by piece. */
struct digest {
    enum digest_kind kind;
    void *context; /* of libcrypto */
};

void digest_begin(struct digest *digest, enum digest_kind kind);
void digest_add(struct digest *digest, struct str bytes);

/* The text, NUL-terminated. The digest is released. */
void digest_end(struct digest *digest, char text[DIGEST_TEXT_MAX + 1]);

/* All of that for bytes that are at hand. */
void digest_text(enum digest_kind kind, struct str bytes,
                 char text[DIGEST_TEXT_MAX + 1]);

#endif
