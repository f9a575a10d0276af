#include "http/conn.h"

#include <assert.h>
#include <errno.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    STAGE_AT_ONCE = 64 * 1024, /* chunks are gathered up to so many bytes */
    COPY_UP_TO = 16 * 1024,    /* larger chunks are sent without a copy */
    MAX_ROUNDS = 64,           /* then it is another connection's turn */
    READ_ROOM = 16 * 1024,
    MAX_STAGED = 4 * 1024 * 1024,
    MAX_TURNS = 64,       /* requests answered before others have their turn */
    MAX_DRAIN_READS = 64, /* the same for reads of what is thrown away */
    DRAIN_US = 1000 * 1000,
};

void http_conn_init(struct http_conn *conn, int fd, uint64_t id,
                    struct str local_addr, const struct http_service *service,
                    uint64_t now_us)
{
    const struct http_limits *limits = &service->limits;

    memset(conn, 0, sizeof(*conn));
    conn->fd = fd;
    conn->service = service;
    conn->readable = true;
    conn->need = 1;
    conn->since_us = now_us;
    conn->exchange.conn_id = id;
    conn->exchange.local_addr = local_addr;
    http_reply_init(&conn->exchange.reply);
    buf_init(&conn->in,
             limits->request.max_head + limits->request.max_body + READ_ROOM);
    buf_init(&conn->exchange.scratch, limits->max_scratch);
    buf_init(&conn->staged, MAX_STAGED);
}

/* --- the body of a reply
 * ---------------------------------------------------------- */

static bool has_no_body(const struct http_conn *conn)
{
    const struct http_exchange *exchange = &conn->exchange;
    unsigned status = exchange->reply.status;

    if (exchange->reply.framing == HTTP_RAW)
        return false;
    return str_eq(exchange->request.method, STR("HEAD")) || status == 204 ||
           status == 304 || exchange->reply.opens_tunnel;
}

/* Prepare the reply of the exchange; false if its head is too large. */
static bool begin_sending(struct http_conn *conn)
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

/* --- sending -------------------------------------------------------- */

enum sent {
    SENT_ALL,    /* the reply is with the kernel; conn->end says how */
    SENT_SOME,   /* the kernel takes no more yet */
    SENT_WAITS,  /* all of it so far; the stream waits until wake_us */
    SENT_FAILED, /* the connection is of no use any more */
};

static void tell_handler(struct http_conn *conn)
{
    const struct http_handler *handler = &conn->service->handler;

    if (handler->sending)
        handler->sending(handler->self, &conn->exchange);
}

static enum sent failed_or_full(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK ? SENT_SOME : SENT_FAILED;
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

static enum sent send_bytes(struct http_conn *conn, uint64_t now_us)
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
    return SENT_ALL;
}

static enum sent send_file(struct http_conn *conn, uint64_t now_us)
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
            return SENT_FAILED; /* the file is shorter than announced */
        conn->exchange.body_sent += (uint64_t)n;
        conn->file_at += (uint64_t)n;
        conn->file_now -= (uint64_t)n;
        conn->progress_us = now_us;
    }
    return SENT_ALL;
}

/* Send as much as goes without waiting. */
static enum sent send_more(struct http_conn *conn, uint64_t now_us)
{
    for (int round = 0; round < MAX_ROUNDS; round++) {
        /* Load before the first flush: the head and the beginning of the
         * body leave in one piece. */
        bool waits = !conn->direct.len && !load(conn, now_us);
        enum sent sent = send_bytes(conn, now_us);

        if (sent == SENT_ALL)
            sent = send_file(conn, now_us);
        if (sent != SENT_ALL)
            return sent;
        if (conn->end != HTTP_BODY_OPEN)
            return SENT_ALL;
        if (waits)
            return SENT_WAITS;
    }
    conn->wake_us = now_us + 1;
    return SENT_WAITS;
}

/* --- the exchange ------------------------------------------------------ */

static void begin_exchange(struct http_conn *conn)
{
    struct http_exchange *exchange = &conn->exchange;

    http_reply_init(&exchange->reply);
    buf_clear(&exchange->scratch);
    exchange->error = HTTP_NO_ERROR;
    exchange->user = NULL;
    exchange->began = false;
    exchange->body_sent = 0;
    conn->direct = (struct str){0};
}

static void end_exchange(struct http_conn *conn)
{
    const struct http_handler *handler = &conn->service->handler;
    struct http_exchange *exchange = &conn->exchange;

    exchange->body_sent -= conn->direct.len; /* those have not been sent */
    if (handler->ended)
        handler->ended(handler->self, exchange);
    if (exchange->reply.file_fd >= 0)
        close(exchange->reply.file_fd);
    exchange->reply.file_fd = -1;
    exchange->user = NULL;
}

void http_conn_release(struct http_conn *conn)
{
    if (conn->state == HTTP_CONN_DELAYED || conn->state == HTTP_CONN_SENDING)
        end_exchange(conn);
    if (conn->transport.release)
        conn->transport.release(conn->transport.self);
    close(conn->fd);
    buf_release(&conn->in);
    buf_release(&conn->exchange.scratch);
    buf_release(&conn->staged);
}

/* The framing must suit the client and the end of the connection. */
static void settle_framing(struct http_conn *conn)
{
    const struct http_request *request = &conn->exchange.request;
    struct http_reply *reply = &conn->exchange.reply;

    reply->close &= !reply->opens_tunnel;
    if (reply->opens_tunnel)
        return;
    if (reply->framing == HTTP_CHUNKED && reply->file_fd >= 0)
        reply->framing = HTTP_BY_LENGTH;
    if (reply->framing == HTTP_CHUNKED && request->http_1_0)
        reply->framing = HTTP_UNTIL_CLOSE;
    if (!request->keep_alive || reply->http_1_0 ||
        reply->framing == HTTP_UNTIL_CLOSE || reply->framing == HTTP_RAW ||
        (reply->framing == HTTP_BY_LENGTH &&
         http_reply_body_len(reply) == HTTP_LEN_UNKNOWN))
        reply->close = true;
}

static void start_sending(struct http_conn *conn, uint64_t now_us)
{
    conn->state = HTTP_CONN_SENDING;
    conn->wake_us = 0;
    conn->progress_us = now_us;
    if (!begin_sending(conn)) {
        end_exchange(conn);
        conn->state = HTTP_CONN_OVER;
    }
}

static void start_reply(struct http_conn *conn, uint64_t now_us)
{
    const struct http_reply *reply = &conn->exchange.reply;

    if (reply->again_us) {
        conn->state = HTTP_CONN_DELAYED;
        conn->wake_us = reply->again_us > now_us ? reply->again_us : now_us + 1;
        return;
    }
    settle_framing(conn);
    if (reply->not_before_us > now_us) {
        conn->state = HTTP_CONN_DELAYED;
        conn->wake_us = reply->not_before_us;
    } else {
        start_sending(conn, now_us);
    }
}

/* Once more where the handler had to wait. */
static void answer(struct http_conn *conn, uint64_t now_us)
{
    const struct http_handler *handler = &conn->service->handler;

    http_reply_init(&conn->exchange.reply);
    buf_clear(&conn->exchange.scratch);
    handler->answer(handler->self, &conn->exchange, now_us);
    start_reply(conn, now_us);
}

/* A request that cannot be read is answered, so that the client sees why. */
static void refuse(struct http_conn *conn, struct str unread,
                   enum http_error error, uint64_t now_us)
{
    const struct http_handler *handler = &conn->service->handler;
    struct http_exchange *exchange = &conn->exchange;

    begin_exchange(conn);
    exchange->error = error;
    exchange->request.method = STR("-");
    exchange->request.target = exchange->request.path = (struct str){0};
    exchange->request.query = exchange->request.host = (struct str){0};
    exchange->request.body = (struct str){0};
    exchange->request.header_count = 0;
    exchange->request.all = unread;
    exchange->request.keep_alive = false;
    http_reply_set_error(&exchange->reply, http_error_status(error),
                         &exchange->scratch);
    if (handler->refuse)
        handler->refuse(handler->self, exchange, now_us);
    start_reply(conn, now_us);
}

/* --- reading ----------------------------------------------------------- */

static struct str unread_bytes(const struct http_conn *conn)
{
    return str_skip(buf_str(&conn->in), conn->in_at);
}

/* Move the unread bytes to the front, where there is room behind them. */
static void compact(struct http_conn *conn)
{
    if (!conn->in_at)
        return;
    conn->in.len -= conn->in_at;
    if (conn->in.len)
        memmove(conn->in.ptr, conn->in.ptr + conn->in_at, conn->in.len);
    conn->in_at = 0;
}

/* A transport may have to write before it can read on. */
void http_conn_ready(struct http_conn *conn, bool to_read)
{
    if (to_read || conn->transport.recv)
        conn->readable = true;
}

static ssize_t receive(struct http_conn *conn, void *to, size_t room)
{
    ssize_t n;

    if (conn->transport.recv)
        return conn->transport.recv(conn->transport.self, to, room);
    do
        n = recv(conn->fd, to, room, 0);
    while (n < 0 && errno == EINTR);
    return n;
}

/* True if bytes came in; else nothing is there now, or the end is. */
static bool read_more(struct http_conn *conn)
{
    compact(conn);
    char *at = buf_reserve(&conn->in, READ_ROOM);
    if (!at) {
        conn->state = HTTP_CONN_OVER;
        return false;
    }
    ssize_t n = receive(conn, at, READ_ROOM);
    if (n > 0) {
        conn->in.len += (size_t)n;
        /* epoll reports edges: after a short read it reports again when more
         * bytes come. A transport may have more without a report. */
        conn->readable = n == READ_ROOM || conn->transport.recv;
        return true;
    }
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        conn->readable = false;
    else
        conn->state = HTTP_CONN_OVER;
    return false;
}

static bool shakes_hands(const struct http_conn *conn)
{
    const struct http_transport *transport = &conn->transport;

    return transport->is_ready && !transport->is_ready(transport->self);
}

/* Nothing more has come yet: wait, but not for ever. */
static void wait_for_request(struct http_conn *conn, uint64_t now_us)
{
    const struct http_limits *limits = &conn->service->limits;
    struct str unread = unread_bytes(conn);
    uint64_t limit_us = unread.len           ? limits->request_us
                        : shakes_hands(conn) ? limits->handshake_us
                                             : limits->idle_us;

    conn->wake_us = limit_us ? conn->since_us + limit_us : 0;
    if (!limit_us || now_us < conn->wake_us)
        return;
    if (unread.len)
        refuse(conn, unread, HTTP_TOO_SLOW, now_us);
    else
        conn->state = HTTP_CONN_OVER;
}

static void read_request(struct http_conn *conn, uint64_t now_us)
{
    struct http_request *request = &conn->exchange.request;

    for (;;) {
        struct str unread = unread_bytes(conn);

        if (unread.len >= conn->need) {
            switch (http_request_parse(unread, &conn->service->limits.request,
                                       request)) {
            case HTTP_DONE:
                begin_exchange(conn);
                answer(conn, now_us);
                return;
            case HTTP_BROKEN:
                refuse(conn, unread, request->error, now_us);
                return;
            case HTTP_MORE:
                conn->need = request->need;
                break;
            }
        }
        if (!conn->readable || !read_more(conn))
            break;
        if (!unread.len)
            conn->since_us = now_us;
    }
    if (conn->state == HTTP_CONN_READING)
        wait_for_request(conn, now_us);
}

/* --- the end ----------------------------------------------------------- */

/* Forget what the kernel still holds for this client. */
static void reset(struct http_conn *conn)
{
    struct linger at_once = {.l_onoff = 1};

    setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    conn->state = HTTP_CONN_OVER;
}

/* Closing with unread bytes in would reset the connection and take the answer
 * from the client; so the client closes first, or the time is over. */
static void start_draining(struct http_conn *conn, uint64_t now_us)
{
    if (conn->transport.finish)
        conn->transport.finish(conn->transport.self);
    shutdown(conn->fd, SHUT_WR);
    conn->state = HTTP_CONN_DRAINING;
    conn->drain_until_us = conn->wake_us = now_us + DRAIN_US;
}

static void drain(struct http_conn *conn, uint64_t now_us)
{
    char waste[16 * 1024];
    ssize_t n = 1;

    for (int i = 0; i < MAX_DRAIN_READS && n > 0; i++)
        n = recv(conn->fd, waste, sizeof(waste), 0);
    conn->wake_us = n > 0 ? now_us + 1 : conn->drain_until_us;
    if (n == 0 || now_us >= conn->drain_until_us ||
        (n < 0 && errno != EAGAIN && errno != EINTR))
        conn->state = HTTP_CONN_OVER;
}

/* Bytes that came before the tunnel was open would be lost: a client that
 * does not wait is refused. */
static bool open_tunnel(struct http_conn *conn)
{
    const struct http_handler *handler = &conn->service->handler;
    struct http_exchange *exchange = &conn->exchange;

    if (!exchange->reply.opens_tunnel)
        return true;
    if (!handler->open_tunnel || exchange->tunnel ||
        unread_bytes(conn).len > exchange->request.all.len ||
        !handler->open_tunnel(handler->self, exchange, conn->fd,
                              &conn->transport))
        return false;
    exchange->tunnel = conn->transport.self;
    conn->readable = true;
    return true;
}

static void end_reply(struct http_conn *conn, uint64_t now_us)
{
    bool whole = conn->end == HTTP_BODY_WHOLE && open_tunnel(conn);

    end_exchange(conn);
    conn->in_at += conn->exchange.request.all.len;
    conn->need = 1;
    conn->since_us = now_us;
    conn->wake_us = 0;
    conn->turn++;
    if (conn->end == HTTP_BODY_RESET)
        reset(conn);
    else if (!whole || conn->exchange.reply.close)
        start_draining(conn, now_us);
    else
        conn->state = HTTP_CONN_READING;
}

static void send_reply(struct http_conn *conn, uint64_t now_us)
{
    uint64_t stall_us = conn->service->limits.stall_us;

    switch (send_more(conn, now_us)) {
    case SENT_ALL:
        end_reply(conn, now_us);
        break;
    case SENT_WAITS:
        conn->progress_us = now_us;
        break;
    case SENT_FAILED:
        end_exchange(conn);
        conn->state = HTTP_CONN_OVER;
        break;
    case SENT_SOME:
        conn->wake_us = stall_us ? conn->progress_us + stall_us : 0;
        if (stall_us && now_us >= conn->wake_us) {
            end_exchange(conn);
            reset(conn);
        }
        break;
    }
}

void http_conn_run(struct http_conn *conn, uint64_t now_us)
{
    enum http_conn_state before;

    conn->turn = 0;
    do {
        before = conn->state;
        switch (conn->state) {
        case HTTP_CONN_READING:
            if (conn->turn < MAX_TURNS)
                read_request(conn, now_us);
            else
                conn->wake_us = now_us + 1;
            break;
        case HTTP_CONN_DELAYED:
            if (now_us < conn->wake_us)
                break;
            if (conn->exchange.reply.again_us)
                answer(conn, now_us);
            else
                start_sending(conn, now_us);
            break;
        case HTTP_CONN_SENDING:
            send_reply(conn, now_us);
            break;
        case HTTP_CONN_DRAINING:
            drain(conn, now_us);
            break;
        case HTTP_CONN_OVER:
            break;
        }
    } while (conn->state != before);
}
