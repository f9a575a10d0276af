/* One transfer of the pagefetcher: a libcurl handle with its callbacks, and
 * how its end is judged. Private to the pagefetcher. */
#ifndef PAGE_TRANSFER_H
#define PAGE_TRANSFER_H

#include <curl/curl.h>
#include <sys/queue.h>
#include <sys/socket.h>

#include "page/bodies.h"
#include "page/coding.h"
#include "page/connections.h"
#include "page/pagefetcher.h"
#include "page/tls_sessions.h"

/* All handles of a fetcher share this. */
struct transfer_setup {
    const struct fetch_options *options;
    struct connections *connections;
    struct tls_sessions *sessions;
    /* read-only once made */
    struct curl_slist *headers;        /* all, for origins that were named */
    struct curl_slist *public_headers; /* without secrets (page/secret.h) */
    struct curl_slist *connect_to;
    bool preview_headers; /* see must_preview_headers */
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

TAILQ_HEAD(transfers, transfer);

struct transfer {
    TAILQ_ENTRY(transfer) link; /* free, running or finished */
    CURL *easy;
    CURLM *multi; /* that has it, or had it last */
    const struct transfer_setup *setup;
    struct bodies *bodies;
    struct webpage *page;
    const char *proxy;         /* that its page is asked through, or NULL */
    struct exchange *exchange; /* the page's, as far as it has come */
    struct buf request_head, response_head; /* where they are wished for */
    struct buf body;                        /* one of `bodies` */
    struct spool *spooled; /* the body is there, not in `body`; or NULL */
    bool waits_for_spool;  /* until there are fewer */
    struct curl_slist *dns_override; /* a rule of CURLOPT_CONNECT_TO */
    size_t unwanted_bytes;           /* of a body that will not be kept */
    bool to_sniff;       /* the type says nothing: the first bytes must */
    bool is_not_page;    /* the type says so */
    bool is_kept_anyway; /* also if it is no page: for an archive */
    bool may_be_private;
    bool refused_private; /* an address, for what it is */
    bool is_tls_closed;   /* the server announced the end (close_notify) */
    bool is_waiting;      /* paused, until there is room for its body */
    bool has_address;     /* that is connected to: */
    struct sockaddr_storage address;
    struct str tls_host; /* of an https URL */
    uint64_t origin;     /* a hash; 0: connections are not of one origin */
    int fd;              /* its socket, as far as it is known, or -1 */
    int hidden_fd;       /* its socket, while nobody watches it, or -1 */
    int closes_fd;       /* it only makes libcurl close this; or -1 */
    enum outcome cut_as; /* why we cut it; OUTCOMES where we did not */
    enum outcome judged; /* it is no page, and ends so; OUTCOMES: it may be */
    uint16_t tls_port;
    unsigned certificates_described; /* see describe_certificate */
    char message[CURL_ERROR_SIZE];   /* libcurl's, of a failure */
    /* transfer_answer.c */
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
    bool is_retry_endless; /* Retry-After: more seconds than a number holds */
    uint64_t length;
    /* what a server must not do to the others */
    unsigned requests;
    uint64_t seen_ms; /* by transfer_is_slow, or 0 */
    size_t seen_len;  /* the body then */
};

void transfer_setup_init(struct transfer_setup *setup,
                         const struct fetch_options *options);
void transfer_setup_release(struct transfer_setup *setup);

struct transfer *transfer_new(const struct transfer_setup *setup,
                              struct bodies *bodies);
void transfer_free(struct transfer *transfer);

/* Aim it at the page's URL. False, with the outcome set, where the URL must
 * not be asked at all. */
bool transfer_begin(struct transfer *transfer, struct webpage *page);

/* Aim it at an idle connection, to get it and to be refused. */
void transfer_aim_at_connection(struct transfer *transfer, int fd,
                                uint64_t origin,
                                const struct connection_way *way);

/* transfer_tls.c: before every round; after one that ended so. */
void transfer_set_up_tls(struct transfer *transfer);
void transfer_end_tls(struct transfer *transfer, enum outcome outcome);

/* Note the version and the cipher suite in the exchange, if they are wished
 * for. To be called in a callback of libcurl: later it knows no connection. */
void transfer_describe_tls(struct transfer *transfer);

/* Only the end of the connection is the end of the body, and the server did not
 * say that it is: anybody between us could have cut it. */
bool transfer_is_tls_cut(const struct transfer *transfer);

/* Of an answer whose status is not 200. */
enum outcome transfer_outcome_of_status(const struct exchange *exchange);

/* transfer_archive.c: fill in the exchange from the archive of the options,
 * without libcurl. */
void transfer_aim_at_archive(struct transfer *transfer, struct webpage *page);
void transfer_read_archive(struct transfer *transfer);

/* libcurl is done with it: fill in the exchange. */
void transfer_end(struct transfer *transfer, CURLcode code);

/* We want no more of it, whatever has come: it ended so. */
void transfer_give_up(struct transfer *transfer, enum outcome outcome);

/* Undo the content codings, if there are any; the body is in `decoded` then. */
void transfer_decode(struct transfer *transfer, struct buf *decoded);

/* The callbacks of libcurl for header lines and for parts of the body. */
size_t transfer_on_header(char *bytes, size_t size, size_t count, void *user);
size_t transfer_on_body(char *bytes, size_t size, size_t count, void *user);

/* How much of the body has come. */
size_t transfer_body_len(const struct transfer *transfer);

/* The most bytes that a body of this kind may have. */
size_t transfer_body_max(const struct fetch_options *options,
                         enum webpage_kind kind);

/* Forget all that the headers said. */
void transfer_forget_headers(struct transfer *transfer);

/* Does it hold much memory, or a spool, and has hardly anything come in the
 * last second? To be asked again and again while others wait for that. */
bool transfer_is_slow(struct transfer *transfer, uint64_t now_ms);

/* The body in its spool is not needed any more, nor a spool. */
void transfer_drop_spool(struct transfer *transfer);

/* The page has gone on: be ready for the next. The exchange's bytes go. */
void transfer_clear(struct transfer *transfer);

#endif
