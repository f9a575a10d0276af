/* Segments: rows as compact bytes, and back. A store that keeps rows as bytes
 * in a database of others (a fleet's) needs no table for each kind then.
 *
 *     struct packer *packer = packer_new(take_piece, user);
 *     packer_add(packer, ROW_url, &row);      as many as there are
 *     packer_end(packer);                     the last piece of a segment
 *     packer_free(packer);
 *
 *     struct unpacker *unpacker = unpacker_new();
 *     struct unpacked unpacked;
 *     if (unpack(unpacker, &unpacked, piece))
 *         unpack_rows(&unpacked, ROW_url, take_row, user);
 *     unpack_release(&unpacked);
 *     unpacker_free(unpacker);
 *
 * A piece is a head (the version of the format, a digest, the length) and a
 * frame of zstd. Inside are blocks, each of rows of one kind: its name, number
 * of rows, length, rows. Numbers are varints; those that grow from row to row
 * (ID, NUMBER) are written as the difference from the row before. A text is its
 * length plus one, or 0 for NULL, and its bytes. Rows of an earlier version
 * lack the columns that came later, which read as 0 or NULL.
 *
 * Nobody but this file knows the form. Anybody may have changed the bytes: a
 * piece that is not as it was written is never read beyond its end, needs no
 * more memory than PACK_PLAIN_MAX, and is reported as damaged.
 */
#ifndef STORE_PACK_H
#define STORE_PACK_H

#include "store/rows.h"

enum {
    /* A piece is closed when it has this many bytes before compression; a
     * compressed piece is hardly ever larger. */
    PACK_CUT = 512 << 10,
    /* The last row of a piece may pass that, up to this. */
    PACK_PLAIN_MAX = 8 << 20,
};

struct packer;

/* The piece is valid during the call. */
typedef void pack_piece_fn(void *user, struct str piece);

struct packer *packer_new(pack_piece_fn *take, void *user);
void packer_free(struct packer *packer);

/* Rows come out in the order in which they are added, within their kind.
 * Segments are smallest if rows of one kind follow each other. False if the row
 * is larger than a piece can be; nothing is added then. */
bool packer_add(struct packer *packer, enum row_kind kind, const void *row);

/* Give out the last piece, if there is one, and begin the next segment. */
void packer_end(struct packer *packer);

/* The rows of a piece, checked and no longer compressed. */
struct unpacked {
    char *plain;
    size_t len;
    int version; /* STORE_VERSION of the program that packed it */
};

/* Use one for many pieces: to make one asks the processor what it can do, which
 * costs more than a small piece, and in a virtual machine far more. */
struct unpacker;
struct unpacker *unpacker_new(void);
void unpacker_free(struct unpacker *unpacker);

/* False if it is damaged or of a later version; `unpacked` is empty then. */
bool unpack(struct unpacker *unpacker, struct unpacked *unpacked,
            struct str piece);
void unpack_release(struct unpacked *unpacked);

/* `row` is the struct of that kind; its texts live as long as `unpacked`. False
 * ends the walk. */
typedef bool unpack_row_fn(void *user, enum row_kind kind, const void *row);

/* False if a row cannot be valid, or if `take` was false. */
bool unpack_rows(const struct unpacked *unpacked, enum row_kind kind,
                 unpack_row_fn *take, void *user);

#endif
