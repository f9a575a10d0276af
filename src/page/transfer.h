/* One transfer of the pagefetcher: a libcurl handle with its callbacks, and
 * how its end is judged. Private to the pagefetcher. */
#ifndef PAGE_TRANSFER_H
#define PAGE_TRANSFER_H

#include <curl/curl.h>

#include "page/bodies.h"
#include "page/coding.h"
#include "page/dns_overrides.h"
#include "page/heads.h"
#include "page/pagefetcher.h"

/* The lists that every handle shares; read-only once made. */
struct transfer_setup {
    const struct fetch_options *options;
    struct curl_slist *headers;        /* all, for origins that were named */
    struct curl_slist *public_headers; /* without secrets (page/secret.h) */
    struct curl_slist *connect_to;
    bool preview_headers; /* see transfer_setup.c */
};

enum {
    HEADER_BYTES_MAX = 256 * 1024,
    /* Read a small unwanted body (an error page), so that the connection can
     * be used again; cut a larger one. */
    UNWANTED_BYTES_MAX = 64 * 1024,
    /* One more than counts: a line that is cut there is not one that ends. */
    ROBOTS_BODY_MAX = 500 * 1024 + 1,
    SITEMAP_BODY_MAX = 50 << 20,
    DECODED_KEEP_MAX = 256 * 1024, /* the room of a buffer that is kept */
};

struct transfer {
    struct transfer *next; /* free, or finished */
    struct transfer *previous_running, *next_running;
    CURL *easy;
    const struct transfer_setup *setup;
    struct bodies *bodies;
    struct dns_overrides *dns_overrides;
    struct webpage *page;
    struct exchange *exchange; /* the page's, as far as it has come */
    struct heads heads;
    struct buf body; /* one of `bodies` */
    struct curl_slist *dns_override;
    size_t unwanted_bytes; /* of a body that will not be kept */
    bool to_sniff;         /* the type says nothing: the first bytes must */
    bool may_be_private;
    bool refused_private; /* an address, for what it is */
    bool is_waiting;      /* paused, until there is room for its body */
    int hidden_fd;        /* its socket, while nobody watches it, or -1 */
    enum outcome cut_as;  /* why we cut it; OUTCOMES where we did not */
    unsigned certificates_described; /* see describe_certificate */
    char message[CURL_ERROR_SIZE];   /* libcurl's, of a failure */
    /* transfer_headers.c */
    size_t header_bytes, header_lines;
    struct buf header; /* the last line, which may go on */
    bool in_headers;   /* between a status line and the empty line */
    bool has_header;   /* one came after the last status line */
    bool in_line;      /* a long header line comes in parts */
    bool headers_done;
    struct codings codings;
    bool is_coding_unknown;               /* beside those */
    bool is_chunked, has_transfer_coding; /* another one */
    bool has_length, is_length_bad;
    uint64_t length;
    /* transfer_guard.c */
    unsigned requests;
    uint64_t seen_ms; /* by transfer_is_slow, or 0 */
    size_t seen_len;  /* the body then */
};

void transfer_setup_init(struct transfer_setup *setup,
                         const struct fetch_options *options);
void transfer_setup_release(struct transfer_setup *setup);

struct transfer *transfer_new(const struct transfer_setup *setup,
                              struct bodies *bodies,
                              struct dns_overrides *overrides);
void transfer_free(struct transfer *transfer);

/* Aim it at the page's URL. False, with the outcome set, where the URL must
 * not be asked at all. */
bool transfer_begin(struct transfer *transfer, struct webpage *page);

/* Of an answer whose status is not 200. */
enum outcome transfer_outcome_of_status(const struct exchange *exchange);

/* libcurl is done with it: fill in the exchange. */
void transfer_end(struct transfer *transfer, CURLcode code);

/* We want no more of it, whatever has come: it ended so. */
void transfer_give_up(struct transfer *transfer, enum outcome outcome);

/* Undo the content codings, if there are any; the body is in `decoded` then. */
void transfer_decode(struct transfer *transfer, struct buf *decoded);

/* A callback of libcurl, for a header line. All of it is forgotten with
 * transfer_forget_headers. */
size_t transfer_on_header(char *bytes, size_t size, size_t count, void *user);
void transfer_forget_headers(struct transfer *transfer);

/* A header line, or a part of a long one, before libcurl stores it (see
 * transfer_setup.c). */
size_t transfer_preview_header(struct transfer *transfer, struct str part);

/* What a callback returns to end the transfer, and why. */
size_t transfer_cut(struct transfer *transfer, enum outcome outcome);

/* A callback of libcurl: it is about to ask. */
int transfer_on_request(void *user, char *ip, char *local_ip, int port,
                        int local_port);

/* To be asked every second while others wait for memory: does it hold a lot,
 * and hardly get on? */
bool transfer_is_slow(struct transfer *transfer, uint64_t now_ms);

/* The page has gone on: be ready for the next. The exchange's bytes go. */
void transfer_clear(struct transfer *transfer);

#endif
