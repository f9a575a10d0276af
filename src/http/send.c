#include "http/send.h"

#include <assert.h>
#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum {
    STAGE_AT_ONCE = 64 * 1024, /* chunks are gathered up to so many bytes */
    COPY_UP_TO = 16 * 1024,    /* larger chunks are sent without a copy */
    MAX_ROUNDS = 64,           /* then it is another connection's turn */
};

/* --- the body ---------------------------------------------------------- */

static bool has_no_body(const struct http_conn *conn)
{
    const struct http_exchange *exchange = &conn->exchange;
    unsigned status = exchange->reply.status;

    if (exchange->reply.framing == HTTP_RAW)
        return false;
    return str_eq(exchange->request.method, STR("HEAD")) || status == 204 ||
           status == 304 || exchange->reply.opens_tunnel;
}

bool http_send_begin(struct http_conn *conn)
{
    struct http_exchange *exchange = &conn->exchange;
    const struct http_reply *reply = &exchange->reply;

    exchange->began = true;
    buf_clear(&conn->staged);
    conn->staged_at = 0;
    conn->direct = (struct str){0};
    conn->file_now = conn->file_at = 0;
    conn->body_given = conn->chunk_open = false;
    conn->end = has_no_body(conn) ? HTTP_BODY_WHOLE : HTTP_BODY_OPEN;
    conn->body_left = reply->framing == HTTP_BY_LENGTH && !reply->has_length
                          ? http_reply_body_len(reply)
                          : HTTP_LEN_UNKNOWN;
    return reply->framing == HTTP_RAW ||
           http_reply_write_head(reply, &conn->staged);
}

/* The next bytes of a reply that is no stream; its file comes last. */
static enum http_pull next_of_body(struct http_conn *conn,
                                   struct http_piece *piece)
{
    const struct http_reply *reply = &conn->exchange.reply;

    if (!conn->body_given && reply->body.len) {
        conn->body_given = true;
        piece->bytes = reply->body;
        return HTTP_PULL_BYTES;
    }
    if (reply->file_fd >= 0)
        conn->file_now = reply->file_len - conn->file_at;
    return HTTP_PULL_END;
}

static enum http_pull next_piece(struct http_conn *conn, uint64_t now_us,
                                 struct http_piece *piece)
{
    const struct http_stream *stream = &conn->exchange.reply.stream;
    enum http_pull pull = stream->pull
                              ? stream->pull(stream->self, now_us, piece)
                              : next_of_body(conn, piece);

    if (pull != HTTP_PULL_BYTES)
        return pull;
    /* Not a byte more than was announced. */
    if (piece->bytes.len > conn->body_left)
        piece->bytes.len = (size_t)conn->body_left;
    if (!piece->bytes.len)
        return HTTP_PULL_END;
    conn->exchange.body_sent += piece->bytes.len;
    if (conn->body_left != HTTP_LEN_UNKNOWN)
        conn->body_left -= piece->bytes.len;
    return pull;
}

static void put_chunk(struct http_conn *conn, struct str bytes)
{
    buf_printf(&conn->staged, "%zx\r\n", bytes.len);
    if (bytes.len > COPY_UP_TO) {
        conn->direct = bytes;
        conn->chunk_open = true;
    } else {
        buf_put(&conn->staged, bytes);
        buf_put(&conn->staged, STR("\r\n"));
    }
}

static void end_body(struct http_conn *conn, enum http_pull pull)
{
    bool known = conn->body_left != HTTP_LEN_UNKNOWN;

    if (pull == HTTP_PULL_RESET)
        conn->end = HTTP_BODY_RESET;
    else if (pull == HTTP_PULL_CUT ||
             (known && conn->body_left > conn->file_now))
        conn->end = HTTP_BODY_CUT; /* it is shorter than announced */
    else
        conn->end = HTTP_BODY_WHOLE;
    if (pull == HTTP_PULL_END && conn->exchange.reply.framing == HTTP_CHUNKED)
        buf_put(&conn->staged, STR("0\r\n\r\n"));
}

/* Make the next bytes of the body ready to go; false if they must wait. */
static bool load(struct http_conn *conn, uint64_t now_us)
{
    bool chunked = conn->exchange.reply.framing == HTTP_CHUNKED;

    if (conn->chunk_open)
        buf_put(&conn->staged, STR("\r\n"));
    conn->chunk_open = false;
    while (conn->end == HTTP_BODY_OPEN && !conn->direct.len &&
           conn->staged.len < STAGE_AT_ONCE) {
        struct http_piece piece = {0};
        enum http_pull pull = next_piece(conn, now_us, &piece);

        if (pull == HTTP_PULL_WAIT) {
            /* In the past it would be run again and again. */
            conn->wake_us = piece.wake_us > now_us ? piece.wake_us : now_us + 1;
            return false;
        }
        if (pull != HTTP_PULL_BYTES)
            end_body(conn, pull);
        else if (chunked)
            put_chunk(conn, piece.bytes);
        else
            conn->direct = piece.bytes;
    }
    return true;
}

/* --- the kernel -------------------------------------------------------- */

static void tell_handler(struct http_conn *conn)
{
    const struct http_handler *handler = &conn->service->handler;

    if (handler->sending)
        handler->sending(handler->self, &conn->exchange);
}

static enum http_sent failed_or_full(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK ? HTTP_SENT_SOME
                                                   : HTTP_SENT_FAILED;
}

/* Both in one call where that is possible; the number of bytes that went. */
static ssize_t send_both(struct http_conn *conn, struct str staged,
                         struct str direct)
{
    struct iovec iov[2] = {
        {(void *)staged.ptr, staged.len},
        {(void *)direct.ptr, direct.len},
    };
    struct msghdr message = {
        .msg_iov = staged.len ? iov : iov + 1,
        .msg_iovlen = staged.len && direct.len ? 2 : 1,
    };

    if (conn->transport.send) {
        struct str first = staged.len ? staged : direct;
        return conn->transport.send(conn->transport.self, first.ptr, first.len);
    }
    return sendmsg(conn->fd, &message, MSG_NOSIGNAL);
}

static enum http_sent send_bytes(struct http_conn *conn, uint64_t now_us)
{
    while (conn->staged_at < conn->staged.len || conn->direct.len) {
        struct str staged = str_skip(buf_str(&conn->staged), conn->staged_at);
        size_t staged_len = staged.len;

        tell_handler(conn);
        ssize_t n = send_both(conn, staged, conn->direct);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed_or_full();
        size_t of_staged = (size_t)n < staged_len ? (size_t)n : staged_len;
        conn->staged_at += of_staged;
        conn->direct = str_skip(conn->direct, (size_t)n - of_staged);
        conn->progress_us = now_us;
    }
    buf_clear(&conn->staged);
    conn->staged_at = 0;
    return HTTP_SENT_ALL;
}

static enum http_sent send_file(struct http_conn *conn, uint64_t now_us)
{
    const struct http_reply *reply = &conn->exchange.reply;

    assert(!conn->file_now || !conn->transport.send);
    while (conn->file_now) {
        off_t from = (off_t)(reply->file_from + conn->file_at);

        tell_handler(conn);
        ssize_t n =
            sendfile(conn->fd, reply->file_fd, &from, (size_t)conn->file_now);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed_or_full();
        if (n == 0)
            return HTTP_SENT_FAILED; /* the file is shorter than announced */
        conn->exchange.body_sent += (uint64_t)n;
        conn->file_at += (uint64_t)n;
        conn->file_now -= (uint64_t)n;
        conn->progress_us = now_us;
    }
    return HTTP_SENT_ALL;
}

enum http_sent http_send_more(struct http_conn *conn, uint64_t now_us)
{
    for (int round = 0; round < MAX_ROUNDS; round++) {
        /* Load before the first flush: the head and the beginning of the
         * body leave in one piece. */
        bool waits = !conn->direct.len && !load(conn, now_us);
        enum http_sent sent = send_bytes(conn, now_us);

        if (sent == HTTP_SENT_ALL)
            sent = send_file(conn, now_us);
        if (sent != HTTP_SENT_ALL)
            return sent;
        if (conn->end != HTTP_BODY_OPEN)
            return HTTP_SENT_ALL;
        if (waits)
            return HTTP_SENT_WAITS;
    }
    conn->wake_us = now_us + 1;
    return HTTP_SENT_WAITS;
}
