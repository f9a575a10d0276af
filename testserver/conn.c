#include "testserver/conn.h"

#include <errno.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/clock.h"

enum {
    READ_ROOM = 16 * 1024,
    MAX_IN = REQUEST_MAX_HEAD + REQUEST_MAX_BODY + READ_ROOM,
    MAX_SCRATCH = 64 * 1024 * 1024,
    MAX_STAGED = 4 * 1024 * 1024,
    STAGE_AT_ONCE = 64 * 1024,
    DRAIN_US = 1000 * 1000,
};

void conn_init(struct conn *conn, int fd, uint64_t id, struct str local_addr)
{
    *conn = (struct conn){
        .fd = fd,
        .id = id,
        .local_addr = local_addr,
        .readable = true,
    };
    buf_init(&conn->in, MAX_IN);
    buf_init(&conn->scratch, MAX_SCRATCH);
    buf_init(&conn->staged, MAX_STAGED);
    reply_init(&conn->reply);
}

static void record(struct conn *conn, const struct service *service)
{
    const struct request *request = &conn->request;
    struct record_line line = {
        .start_us = conn->start_us,
        /* Before the last of it was sent: nobody can have had all of it
         * earlier, however long we are kept from reading the clock. */
        .end_us = conn->sent_us ? conn->sent_us : clock_mono_us(),
        .conn = conn->id,
        .local_addr = conn->local_addr,
        .host = request->host,
        .method = request->method,
        .path = request->target,
        .status = conn->reply.status,
        .bytes = conn->body_sent - conn->direct.len,
        .user_agent = request->user_agent,
        .request = request->all,
    };

    if (conn->state == CONN_DELAYED)
        line.status = 0;
    record_put(service->record, &line);
}

static void close_file(struct conn *conn)
{
    if (conn->reply.file_fd >= 0)
        close(conn->reply.file_fd);
    conn->reply.file_fd = -1;
}

void conn_release(struct conn *conn, const struct service *service)
{
    if (conn->state == CONN_DELAYED || conn->state == CONN_SENDING)
        record(conn, service);
    close_file(conn);
    close(conn->fd);
    buf_release(&conn->in);
    buf_release(&conn->scratch);
    buf_release(&conn->staged);
}

/* --- reading ----------------------------------------------------------- */

/* Move what has not been used to the front, where there is room behind. */
static void compact(struct conn *conn)
{
    if (!conn->in_at)
        return;
    conn->in.len -= conn->in_at;
    if (conn->in.len)
        memmove(conn->in.ptr, conn->in.ptr + conn->in_at, conn->in.len);
    conn->in_at = 0;
}

/* True if bytes came in; else nothing is there now, or the end is. */
static bool read_more(struct conn *conn)
{
    compact(conn);

    char *at = buf_reserve(&conn->in, READ_ROOM);
    if (!at) {
        conn->state = CONN_OVER;
        return false;
    }
    ssize_t n = recv(conn->fd, at, READ_ROOM, 0);
    if (n > 0) {
        conn->in.len += (size_t)n;
        /* Readiness is told by edges: after a short read, what comes next
         * is told again. */
        conn->readable = n == READ_ROOM;
        return true;
    }
    if (n < 0 && errno == EINTR)
        return read_more(conn);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        conn->readable = false;
    else
        conn->state = CONN_OVER;
    return false;
}

static void drain(struct conn *conn)
{
    char waste[16 * 1024];
    ssize_t n;

    do
        n = recv(conn->fd, waste, sizeof(waste), 0);
    while (n > 0);
    conn->readable = false;
    if (n == 0 || (errno != EAGAIN && errno != EINTR) ||
        clock_mono_us() >= conn->wake_us)
        conn->state = CONN_OVER;
}

/* --- the reply's beginning --------------------------------------------- */

static void ask_sources(struct conn *conn, const struct service *service)
{
    for (size_t i = 0; i < service->source_count; i++) {
        const struct source *source = &service->sources[i];

        reply_init(&conn->reply);
        buf_clear(&conn->scratch);
        if (source->answer(source->self, &conn->request, &conn->scratch,
                           &conn->reply))
            return;
    }
    reply_init(&conn->reply);
    reply_set_error(&conn->reply, 404, &conn->scratch);
}

/* A request that cannot be read is answered, so that the client sees why. */
static void answer_broken(struct conn *conn, enum request_state state)
{
    conn->request = (struct request){
        .method = STR("-"),
        .all = buf_str(&conn->in),
    };
    reply_init(&conn->reply);
    reply_set_error(&conn->reply, state == REQUEST_BAD ? 400 : 431,
                    &conn->scratch);
    conn->reply.close = true;
}

/* The framing must suit the client and the end of the connection. */
static void settle_framing(struct conn *conn)
{
    struct reply *reply = &conn->reply;

    if (reply->framing == FRAMING_CHUNKED && conn->request.http_1_0)
        reply->framing = FRAMING_CLOSE;
    if (!conn->request.keep_alive || reply->framing == FRAMING_CLOSE ||
        reply->framing == FRAMING_RAW || reply->http_1_0 ||
        reply_body_len(reply) == BODY_ENDLESS)
        reply->close = true;
}

static bool sends_no_body(const struct conn *conn)
{
    unsigned status = conn->reply.status;

    if (conn->reply.framing == FRAMING_RAW)
        return false;
    return str_eq(conn->request.method, STR("HEAD")) || status == 204 ||
           status == 304;
}

static void start_sending(struct conn *conn)
{
    const struct reply *reply = &conn->reply;

    conn->state = CONN_SENDING;
    conn->wake_us = 0;
    buf_clear(&conn->staged);
    conn->staged_at = 0;
    conn->direct = (struct str){0};
    conn->part = 0;
    conn->round = 0;
    conn->offset = 0;
    conn->file_now = 0;
    conn->loaded = false;
    conn->body_sent = 0;
    conn->body_left = reply_body_len(reply);
    conn->ended = sends_no_body(conn);
    if (reply->cut_after < conn->body_left)
        conn->body_left = reply->cut_after;
    if (reply->framing != FRAMING_RAW)
        reply_write_head(reply, &conn->staged);
}

static void start_reply(struct conn *conn, const struct service *service,
                        enum request_state state)
{
    conn->start_us = clock_mono_us();
    conn->sent_us = 0;
    conn->next_drip_us = 0;
    if (state == REQUEST_DONE)
        ask_sources(conn, service);
    else
        answer_broken(conn, state);
    settle_framing(conn);
    if (conn->reply.delay_us) {
        conn->state = CONN_DELAYED;
        conn->wake_us = conn->start_us + conn->reply.delay_us;
    } else {
        start_sending(conn);
    }
}

static void read_request(struct conn *conn, const struct service *service)
{
    for (;;) {
        struct str unread = str_skip(buf_str(&conn->in), conn->in_at);
        enum request_state state =
            unread.len ? request_parse(unread, &conn->request) : REQUEST_MORE;

        if (state != REQUEST_MORE) {
            start_reply(conn, service, state);
            return;
        }
        if (!conn->readable || !read_more(conn))
            return;
    }
}

/* --- the body ---------------------------------------------------------- */

/* The next bytes of the body in one piece, at most `max`; empty at the end of
 * the parts. */
static struct str next_piece(struct conn *conn, uint64_t max)
{
    const struct reply *reply = &conn->reply;
    const struct body_part *parts = reply->parts ? reply->parts : &reply->one;
    size_t count = reply->parts ? reply->part_count : 1;

    while (conn->part < count) {
        const struct body_part *part = &parts[conn->part];

        if (conn->round >= part->times || !part->bytes.len) {
            conn->part++;
            conn->round = 0;
            conn->offset = 0;
        } else if (conn->offset == part->bytes.len) {
            conn->round += part->times != BODY_ENDLESS;
            conn->offset = 0;
        } else {
            struct str piece = str_skip(part->bytes, conn->offset);

            if (piece.len > max)
                piece.len = (size_t)max;
            conn->offset += piece.len;
            return piece;
        }
    }
    return (struct str){0};
}

static void count_body(struct conn *conn, uint64_t n)
{
    conn->body_sent += n;
    if (conn->body_left != BODY_ENDLESS)
        conn->body_left -= n;
}

/* Copy up to `max` body bytes to `staged`, from the parts or the file. */
static size_t stage(struct conn *conn, size_t max)
{
    size_t total = 0;

    while (total < max) {
        struct str piece = next_piece(conn, max - total);
        if (!piece.len)
            break;
        buf_put(&conn->staged, piece);
        total += piece.len;
    }
    if (total < max && conn->reply.file_fd >= 0) {
        char *at = buf_reserve(&conn->staged, max - total);
        ssize_t n = at ? read(conn->reply.file_fd, at, max - total) : 0;
        if (n > 0) {
            conn->staged.len += (size_t)n;
            total += (size_t)n;
        }
    }
    return total;
}

static void stage_chunk(struct conn *conn, size_t max)
{
    char size_line[20];
    size_t before = conn->staged.len;
    size_t len = stage(conn, max);

    /* The size goes before the bytes; they move up to make room for it. */
    int digits = snprintf(size_line, sizeof(size_line), "%zx\r\n", len);
    if (len && buf_reserve(&conn->staged, (size_t)digits)) {
        char *chunk = conn->staged.ptr + before;
        memmove(chunk + digits, chunk, len);
        memcpy(chunk, size_line, (size_t)digits);
        conn->staged.len += (size_t)digits;
        buf_put(&conn->staged, STR("\r\n"));
    }
    if (!len)
        conn->body_left = 0; /* the file is shorter than it was */
    else
        count_body(conn, len);
}

static bool is_cut(const struct conn *conn)
{
    return conn->reply.cut_after != REPLY_WHOLE;
}

/* At most `max` bytes of the body as chunks. */
static void stage_chunks(struct conn *conn, uint64_t max)
{
    uint64_t size = conn->reply.chunk_size ? conn->reply.chunk_size : 4096;
    uint64_t room = max < STAGE_AT_ONCE ? max : STAGE_AT_ONCE;

    while (room && conn->body_left) {
        uint64_t n = size < room ? size : room;

        stage_chunk(conn, (size_t)n);
        room -= n;
    }
}

/* The body is all with the kernel or staged: what comes after it. */
static void end_body(struct conn *conn)
{
    conn->ended = true;
    if (conn->reply.framing == FRAMING_CHUNKED && !is_cut(conn))
        buf_put(&conn->staged, STR("0\r\n\r\n"));
}

/* With a drip: false while the pause lasts, else how much may go now. */
static bool may_send(struct conn *conn, uint64_t *max)
{
    *max = conn->body_left;
    if (!conn->reply.drip_us)
        return true;

    uint64_t now_us = clock_mono_us();
    if (now_us < conn->next_drip_us) {
        conn->wake_us = conn->next_drip_us;
        return false;
    }
    conn->next_drip_us = now_us + conn->reply.drip_us;
    conn->wake_us = 0;
    if (*max > conn->reply.drip_bytes)
        *max = conn->reply.drip_bytes;
    return true;
}

/* Make the next bytes of the body ready to go; false if they must wait. */
static bool load(struct conn *conn)
{
    uint64_t max;

    if (!conn->body_left) {
        end_body(conn);
        return true;
    }
    if (!may_send(conn, &max))
        return false;
    if (conn->reply.framing == FRAMING_CHUNKED) {
        stage_chunks(conn, max);
        return true;
    }
    conn->direct = next_piece(conn, max);
    count_body(conn, conn->direct.len);
    if (!conn->direct.len && conn->reply.file_fd >= 0)
        conn->file_now = max;
    else if (!conn->direct.len)
        conn->body_left = 0;
    return true;
}

/* --- sending ----------------------------------------------------------- */

enum sent { SENT_ALL, SENT_SOME, SENT_FAILED };

static enum sent failed_or_full(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK ? SENT_SOME : SENT_FAILED;
}

static enum sent send_bytes(struct conn *conn)
{
    while (conn->staged_at < conn->staged.len || conn->direct.len) {
        size_t staged_len = conn->staged.len - conn->staged_at;
        struct iovec iov[2] = {
            {conn->staged.ptr + conn->staged_at, staged_len},
            {(void *)conn->direct.ptr, conn->direct.len},
        };
        struct msghdr message = {
            .msg_iov = staged_len ? iov : iov + 1,
            .msg_iovlen = staged_len && conn->direct.len ? 2 : 1,
        };
        conn->sent_us = clock_mono_us();
        ssize_t n = sendmsg(conn->fd, &message, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed_or_full();
        size_t of_staged = (size_t)n < staged_len ? (size_t)n : staged_len;
        conn->staged_at += of_staged;
        conn->direct = str_skip(conn->direct, (size_t)n - of_staged);
    }
    buf_clear(&conn->staged);
    conn->staged_at = 0;
    return SENT_ALL;
}

static enum sent send_file(struct conn *conn)
{
    while (conn->file_now) {
        conn->sent_us = clock_mono_us();
        ssize_t n = sendfile(conn->fd, conn->reply.file_fd, NULL,
                             (size_t)conn->file_now);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return failed_or_full();
        if (n == 0)
            return SENT_FAILED; /* the file is shorter than announced */
        count_body(conn, (uint64_t)n);
        conn->file_now -= (uint64_t)n;
    }
    return SENT_ALL;
}

/* Hand all that is ready to the kernel. */
static enum sent flush(struct conn *conn)
{
    enum sent sent = send_bytes(conn);

    return sent == SENT_ALL ? send_file(conn) : sent;
}

static void end_connection(struct conn *conn)
{
    struct linger at_once = {.l_onoff = 1};

    if (is_cut(conn) && conn->reply.reset) {
        setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
        conn->state = CONN_OVER;
        return;
    }
    /* Closing with unread bytes in would reset the connection and take the
     * answer from the client; so it closes first, or the time is over. */
    shutdown(conn->fd, SHUT_WR);
    conn->state = CONN_DRAINING;
    conn->wake_us = clock_mono_us() + DRAIN_US;
}

static void end_reply(struct conn *conn, const struct service *service)
{
    record(conn, service);
    close_file(conn);
    conn->in_at += conn->request.all.len;
    conn->wake_us = 0;
    if (is_cut(conn) || conn->reply.close)
        end_connection(conn);
    else
        conn->state = CONN_READING;
}

static void send_reply(struct conn *conn, const struct service *service)
{
    for (;;) {
        /* Load before the first flush: the head and the beginning of the
         * body leave in one piece. */
        if (!conn->loaded && !conn->ended)
            conn->loaded = load(conn);

        switch (flush(conn)) {
        case SENT_SOME:
            return;
        case SENT_FAILED:
            record(conn, service);
            conn->state = CONN_OVER;
            return;
        case SENT_ALL:
            break;
        }
        if (conn->ended) {
            end_reply(conn, service);
            return;
        }
        if (!conn->loaded)
            return;
        conn->loaded = false;
    }
}

void conn_run(struct conn *conn, const struct service *service)
{
    for (;;) {
        enum conn_state before = conn->state;

        switch (conn->state) {
        case CONN_READING:
            read_request(conn, service);
            break;
        case CONN_DELAYED:
            if (clock_mono_us() >= conn->wake_us)
                start_sending(conn);
            break;
        case CONN_SENDING:
            send_reply(conn, service);
            break;
        case CONN_DRAINING:
            drain(conn);
            break;
        case CONN_OVER:
            return;
        }
        if (conn->state == before)
            return;
    }
}
