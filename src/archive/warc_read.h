/* Reading WARC files of any writer: .warc, .warc.gz (a member a record, or one
 * member for all).
 *
 *     struct warc_reader *reader = warc_reader_open(fd, 0, 0);
 *     while (warc_read(reader, &record) == WARC_RECORD)
 *         ... record.url, record.block ...
 *     warc_reader_free(reader);
 *
 * Memory is bounded: of a long block only the start is kept. Who needs all of
 * it takes a record in steps: warc_begin, warc_keep_start, warc_block,
 * warc_end.
 *
 * Files are hostile: every length is checked against what is there and against
 * the caps below. A file that ends in the middle of a record is an answer, not
 * an error: the records before it are good.
 */
#ifndef ARCHIVE_WARC_READ_H
#define ARCHIVE_WARC_READ_H

#include "base/buf.h"

enum {
    WARC_FIELDS_MAX = 64 << 10, /* bytes of a record's fields */
    WARC_START_MAX = 1 << 20,   /* bytes of a block that are kept */
};

enum warc_type {
    WARC_INFO,
    WARC_RESPONSE,
    WARC_REQUEST,
    WARC_REVISIT,
    WARC_RESOURCE,
    WARC_METADATA,
    WARC_CONVERSION,
    WARC_CONTINUATION,
    WARC_OTHER_TYPE,
};

enum warc_got {
    WARC_RECORD,
    WARC_END,    /* the file is at its end, between two records */
    WARC_CUT,    /* the file ends within a record, which begins at `at` */
    WARC_BROKEN, /* the bytes at `at` are no record; `problem` says why */
    WARC_FAILED, /* the system failed, with errno */
};

/* A record. Its texts are valid until the next call. */
struct warc_record {
    uint64_t at;     /* where it begins in the file */
    uint64_t within; /* its place in the unpacked gzip member, which is not 0 if
                      * a record is before it in the same member */
    uint64_t length; /* its bytes in the file; 0 where several records share a
                      * gzip member */
    uint64_t end;    /* where it, or the gzip member that ends with it, ends in
                      * the file; 0 if more follows in the member */
    enum warc_type type;
    struct str version; /* "WARC/1.1" */
    struct str fields;  /* all lines */
    struct str id;      /* WARC-Record-ID, without its brackets */
    struct str url;     /* WARC-Target-URI, without brackets around it */
    struct str date;
    struct str content_type;
    struct str payload_digest, block_digest;
    struct str refers_to_id, refers_to_url, refers_to_date;
    struct str concurrent_to;
    struct str truncated, profile;
    uint64_t block_len; /* its Content-Length */
    struct str block;   /* its first bytes, up to WARC_START_MAX */
};

struct warc_reader;

/* Read from the start of a file, or of any part of it: `from` and `len` (0: to
 * its end) serve for a WARC that is stored in a ZIP file. The descriptor stays
 * the caller's. */
struct warc_reader *warc_reader_open(int fd, uint64_t from, uint64_t len);
void warc_reader_free(struct warc_reader *reader);

/* The next record is the one that begins here, counted from `from`; `within` is
 * as in struct warc_record. */
void warc_reader_seek(struct warc_reader *reader, uint64_t at, uint64_t within);

/* On WARC_CUT and WARC_BROKEN `record->at` is set; a broken record is skipped
 * as far as that is possible, so that one may go on. A block that is not
 * followed by an empty line is a record; the bytes behind it are broken. */
enum warc_got warc_read(struct warc_reader *reader, struct warc_record *record);

/* The same in steps. warc_begin reads the fields; warc_keep_start then fills in
 * `record->block`. Each call of warc_block takes the next bytes of the block,
 * until WARC_END; they are valid until the next call. warc_end passes over what
 * is left and sets the record's length and end. After WARC_RECORD of warc_begin
 * the next call is one of the others, or warc_reader_seek. Where one of them
 * returns neither WARC_RECORD nor WARC_END it is as with warc_read. */
enum warc_got warc_begin(struct warc_reader *reader,
                         struct warc_record *record);
enum warc_got warc_keep_start(struct warc_reader *reader,
                              struct warc_record *record);
enum warc_got warc_block(struct warc_reader *reader, struct str *bytes);
enum warc_got warc_end(struct warc_reader *reader, struct warc_record *record);

static inline bool warc_is_long(const struct warc_record *record)
{
    return record->block_len > WARC_START_MAX;
}

const char *warc_reader_problem(const struct warc_reader *reader);

/* The value of the first field of that name; empty without one. */
struct str warc_field(const struct warc_record *record, struct str name);

/* --- the HTTP response in a block --------------------------------------- */

enum { WARC_MIME_MAX = 255 };

struct warc_http {
    int status;
    struct str head;     /* with its empty line */
    struct str body;     /* in `scratch` if chunks were undone; of a long
                          * record its start */
    bool is_chunked;     /* they were */
    struct str mime;     /* of Content-Type, without parameters; empty if it is
                          * longer than WARC_MIME_MAX */
    struct str location; /* empty if it is longer than URL_LEN_MAX */
    struct str content_encoding;
};

/* Chunks that are undone piece by piece; begin with {0}. The next piece is a
 * part of `bytes`, which are taken. False: all of them are, or the chunks are
 * over. */
struct warc_chunks {
    uint64_t left; /* of the chunk at hand */
    bool has_begun, is_over, is_behind_bytes, in_extension;
    size_t line_len;
    char line[32];
};

bool warc_chunks_next(struct warc_chunks *chunks, struct str *bytes,
                      struct str *piece);

/* False if the block is no HTTP response. Chunks that a writer kept are undone
 * into `scratch`; a body that is not in chunks though its head says so stays as
 * it is. */
bool warc_http_parse(const struct warc_record *record, struct buf *scratch,
                     struct warc_http *http);

#endif
