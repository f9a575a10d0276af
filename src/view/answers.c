#include <openssl/evp.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/mem.h"
#include "view/metrics.h"
#include "view/question.h"
#include "view/view_internal.h"
#include "view/why_process.h"

/* Answers to requests that are allowed (view/access.h). Figures that
 * are at hand are sent at once. For all else a reader waits: for a snapshot,
 * for the next one, for the answer to an order, for another process. */

enum {
    ANSWER_MAX = 2 << 20,
    LOOK_US = 20 * 1000,         /* how often a reader looks again */
    EVENTS_LOOK_US = 200 * 1000, /* the same for events */
    PATIENCE_US = 20 * 1000 * 1000,
    STALE_US = 30 * 1000 * 1000,
    COLUMNS_MAX = 500, /* of /screen.txt */
    ROWS_MAX = 200,
};

#define COMMON_HEADERS                                                         \
    "X-Content-Type-Options: nosniff\r\n"                                      \
    "Referrer-Policy: no-referrer\r\n"                                         \
    "Cache-Control: no-store\r\n"                                              \
    "Cross-Origin-Resource-Policy: same-origin\r\n"
#define NO_CONTENT                                                             \
    "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; "            \
    "form-action 'none'"
#define HEADERS "Content-Security-Policy: " NO_CONTENT "\r\n" COMMON_HEADERS

/* A reply that comes later. */
struct reader {
    struct view *view;
    enum access_path path;
    uint64_t until_us; /* no longer than this */
    bool is_done;      /* all was said */
    size_t slot;       /* of an order; VIEW_ORDERS_MAX: none */
    struct why_process why;
    uint64_t turn;        /* of the snapshot that was sent last */
    uint32_t page;        /* the last that was sent */
    uint64_t failures;    /* as they were sent */
    uint64_t after;       /* of /pages.jsonl */
    size_t columns, rows; /* of /screen.txt */
    enum metrics_form form;
    struct buf out;
};

/* --- the page ----------------------------------------------------------------
 */

static void put_hash(struct buf *out, struct str text)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned char base64[2 * EVP_MAX_MD_SIZE];
    unsigned len = 0;

    EVP_Digest(text.ptr, text.len, digest, &len, EVP_sha256(), NULL);
    int n = EVP_EncodeBlock(base64, digest, (int)len);
    buf_printf(out, "'sha256-%.*s'", n, (const char *)base64);
}

/* The text between the two; empty where they are missing. */
static struct str between(struct str text, struct str from, struct str to)
{
    const char *start = memmem(text.ptr, text.len, from.ptr, from.len);

    if (!start)
        return STR("");
    struct str rest = str_between(start + from.len, text.ptr + text.len);
    const char *end = memmem(rest.ptr, rest.len, to.ptr, to.len);
    return end ? str_between(rest.ptr, end) : STR("");
}

/* With the hashes of its script and its style. */
static void put_page_headers(struct buf *out)
{
    struct str page = view_page_html();

    buf_put(out, STR("Content-Security-Policy: " NO_CONTENT "; script-src "));
    put_hash(out, between(page, STR("<script>"), STR("</script>")));
    buf_put(out, STR("; style-src "));
    put_hash(out, between(page, STR("<style>"), STR("</style>")));
    buf_put(out, STR("; connect-src 'self'; img-src data:\r\n"));
    buf_put(out, STR(COMMON_HEADERS));
}

/* --- short answers -----------------------------------------------------------
 */

static void put_error(struct buf *out, const char *error)
{
    buf_put(out, STR("{\"ok\":false"));
    json_add_str(out, "error", str_of(error));
    json_close(out);
    buf_put_char(out, '\n');
}

static void send_error(struct http_exchange *exchange, unsigned status,
                       const char *error)
{
    struct http_reply *reply = &exchange->reply;

    put_error(&exchange->scratch, error);
    reply->status = status;
    reply->type = STR("application/json");
    reply->headers = status == 401 ? STR(HEADERS "WWW-Authenticate: Bearer\r\n")
                                   : STR(HEADERS);
    reply->body = buf_str(&exchange->scratch);
}

static void send_text(struct http_exchange *exchange, unsigned status,
                      struct str text)
{
    struct http_reply *reply = &exchange->reply;

    reply->status = status;
    reply->type = STR("text/plain; charset=utf-8");
    reply->headers = STR(HEADERS);
    reply->body = text;
}

/* --- figures -----------------------------------------------------------------
 */

static struct str type_of(enum access_path path, enum metrics_form form)
{
    switch (path) {
    case PATH_METRICS:
        return metrics_type(form);
    case PATH_PAGES:
        return STR("application/jsonl");
    case PATH_EVENTS:
        return STR("text/event-stream");
    case PATH_WHY:
    case PATH_SCREEN:
        return STR("text/plain; charset=utf-8");
    default:
        return STR("application/json");
    }
}

static void put_figures(struct buf *out, const struct reader *reader)
{
    const struct figures figures = view_figures(reader->view);

    switch (reader->path) {
    case PATH_STATUS:
        figures_put_status(out, &figures);
        break;
    case PATH_HOSTS:
        figures_put_hosts(out, &figures);
        break;
    case PATH_ERRORS:
        figures_put_errors(out, &figures);
        break;
    case PATH_HISTORY:
        figures_put_history(out, &figures);
        break;
    case PATH_PAGES:
        figures_put_page_lines(out, &figures, reader->after);
        return;
    case PATH_METRICS:
        metrics_put(out, &figures, reader->form);
        return;
    case PATH_SCREEN:
        figures_put_screen(out, &figures, reader->columns, reader->rows);
        return;
    default:
        break;
    }
    buf_put_char(out, '\n');
}

/* --- events ------------------------------------------------------------------
 */

static void begin_event(struct buf *out, const char *name)
{
    buf_printf(out, "event: %s\ndata: ", name);
}

static void end_event(struct buf *out)
{
    buf_put(out, STR("\n\n"));
}

static void put_events(struct reader *reader)
{
    const struct view *view = reader->view;
    const struct figures figures = view_figures(view);
    struct buf *out = &reader->out;
    bool is_first = !reader->turn;
    bool has_ended = view->now->state == VIEW_ENDED;

    begin_event(out, "status");
    figures_put_status(out, &figures);
    end_event(out);
    begin_event(out, "hosts");
    figures_put_hosts(out, &figures);
    end_event(out);
    if (is_first || view->now->failures != reader->failures) {
        begin_event(out, "errors");
        figures_put_errors(out, &figures);
        end_event(out);
    }
    if (is_first || view->now->last_page > reader->page) {
        begin_event(out, "pages");
        figures_put_page_array(out, &figures, reader->page,
                               is_first ? FIGURES_FIRST_PAGES : FIGURES_PAGES);
        end_event(out);
    }
    if (has_ended) {
        begin_event(out, "end");
        figures_put_status(out, &figures);
        end_event(out);
    }
    reader->turn = view->turn;
    reader->failures = view->now->failures;
    reader->page = view->now->last_page;
    reader->is_done = has_ended;
}

/* --- readers -----------------------------------------------------------------
 */

static enum http_pull wait_until(struct http_piece *piece, uint64_t wake_us)
{
    piece->wake_us = wake_us;
    return HTTP_PULL_WAIT;
}

static enum http_pull give(struct reader *reader, struct http_piece *piece,
                           bool is_done)
{
    reader->is_done = is_done;
    piece->bytes = buf_str(&reader->out);
    return reader->out.len ? HTTP_PULL_BYTES : HTTP_PULL_END;
}

static enum http_pull pull_events(struct reader *reader, uint64_t now_us,
                                  struct http_piece *piece)
{
    struct view *view = reader->view;

    view_want(view, now_us);
    if (!view->now || view->turn == reader->turn) {
        if (view->is_over)
            return HTTP_PULL_END;
        return wait_until(piece, now_us + EVENTS_LOOK_US);
    }
    put_events(reader);
    return give(reader, piece, reader->is_done);
}

static enum http_pull pull_order(struct reader *reader, uint64_t now_us,
                                 struct http_piece *piece)
{
    struct view *view = reader->view;

    if (order_slots_take_answer(&view->orders, reader->slot, &reader->out)) {
        reader->slot = VIEW_ORDERS_MAX;
        buf_put_char(&reader->out, '\n');
        return give(reader, piece, true);
    }
    if (!view->is_over && now_us < reader->until_us)
        return wait_until(piece, now_us + LOOK_US);
    put_error(&reader->out, view->is_over
                                ? "the crawl has ended"
                                : "the crawl is busy and has not answered yet");
    return give(reader, piece, true);
}

static enum http_pull pull_why(struct reader *reader, uint64_t now_us,
                               struct http_piece *piece)
{
    if (!why_read(&reader->why, &reader->out, now_us))
        return wait_until(piece, now_us + LOOK_US);
    return give(reader, piece, true);
}

static enum http_pull pull_figures(struct reader *reader, uint64_t now_us,
                                   struct http_piece *piece)
{
    struct view *view = reader->view;

    view_want(view, now_us);
    if (!view_is_fresh(view, now_us) && !view->is_over &&
        now_us < reader->until_us)
        return wait_until(piece, now_us + LOOK_US);
    if (view->now)
        put_figures(&reader->out, reader);
    else
        put_error(&reader->out, "the crawl is busy and has no figures yet");
    return give(reader, piece, true);
}

static enum http_pull pull(void *self, uint64_t now_us,
                           struct http_piece *piece)
{
    struct reader *reader = self;

    if (reader->is_done)
        return HTTP_PULL_END;
    if (reader->path != PATH_WHY)
        buf_clear(&reader->out);
    switch (reader->path) {
    case PATH_EVENTS:
        return pull_events(reader, now_us, piece);
    case PATH_CONTROL:
        return pull_order(reader, now_us, piece);
    case PATH_WHY:
        return pull_why(reader, now_us, piece);
    default:
        return pull_figures(reader, now_us, piece);
    }
}

static struct reader *add_reader(struct view *view,
                                 struct http_exchange *exchange,
                                 enum access_path path, uint64_t now_us)
{
    struct reader *reader = NEW(struct reader);
    struct http_reply *reply = &exchange->reply;

    reader->view = view;
    reader->path = path;
    reader->until_us = now_us + PATIENCE_US;
    reader->slot = VIEW_ORDERS_MAX;
    buf_init(&reader->out, path == PATH_WHY ? WHY_TEXT_MAX : ANSWER_MAX);
    view->readers++;
    exchange->user = reader;
    reply->type = type_of(path, METRICS_TEXT);
    reply->headers = STR(HEADERS);
    reply->framing =
        exchange->request.http_1_0 ? HTTP_UNTIL_CLOSE : HTTP_CHUNKED;
    reply->stream = (struct http_stream){pull, reader, HTTP_LEN_UNKNOWN};
    return reader;
}

void view_end_request(void *self, struct http_exchange *exchange)
{
    const struct view_place *place = self;
    struct view *view = place->view;
    struct reader *reader = exchange->user;

    if (!reader)
        return;
    if (reader->slot < VIEW_ORDERS_MAX)
        order_slots_leave(&view->orders, reader->slot);
    if (reader->path == PATH_WHY) {
        why_end(&reader->why);
        view->is_asking_why = false;
    }
    buf_release(&reader->out);
    free(reader);
    view->readers--;
}

/* --- questions ---------------------------------------------------------------
 */

static void answer_why(struct view *view, struct http_exchange *exchange,
                       uint64_t now_us)
{
    char url[VIEW_HEAD_MAX];
    const char *problem =
        question_url(exchange->request.query, url, sizeof(url));
    struct why_process why = {0};

    if (problem)
        send_error(exchange, 400, problem);
    else if (view->is_asking_why)
        send_error(exchange, 503, "another question is being answered");
    else if (!why_start(&why, view->options.facts.directory, url, now_us))
        send_error(exchange, 503, "no process can be started");
    else {
        view->is_asking_why = true;
        add_reader(view, exchange, PATH_WHY, now_us)->why = why;
    }
}

static void answer_control(struct view *view, struct http_exchange *exchange,
                           uint64_t now_us)
{
    struct view_order order;
    const char *problem;

    if (!view_order_parse(exchange->request.body, &order, &problem)) {
        send_error(exchange, 400, problem);
        return;
    }
    size_t slot = order_slots_ask(&view->orders, &order);
    if (slot == VIEW_ORDERS_MAX) {
        send_error(exchange, 503, "too many orders wait");
        return;
    }
    add_reader(view, exchange, PATH_CONTROL, now_us)->slot = slot;
    view_wake_crawler(view);
}

static void answer_health(const struct view *view,
                          struct http_exchange *exchange, uint64_t now_us)
{
    bool is_stale = view->options.listen && view->now &&
                    view->now->mono_ms * 1000 + STALE_US < now_us;

    if (is_stale)
        send_text(exchange, 503,
                  STR("the crawler thread has not answered for 30 s\n"));
    else
        send_text(exchange, 200, STR("ok\n"));
}

static void answer_figures(struct view *view, struct http_exchange *exchange,
                           enum access_path path, uint64_t now_us)
{
    const struct http_request *request = &exchange->request;
    uint64_t after = 0, columns = 80, rows = 24;

    if (!question_number(request->query, STR("after"), &after) ||
        !question_number(request->query, STR("columns"), &columns) ||
        !question_number(request->query, STR("rows"), &rows)) {
        send_error(exchange, 400, "after, columns and rows are numbers");
        return;
    }
    struct reader *reader = add_reader(view, exchange, path, now_us);
    reader->after = after;
    reader->columns = columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
    reader->rows = rows < ROWS_MAX ? rows : ROWS_MAX;
    reader->form =
        metrics_preferred(http_request_header(request, STR("Accept")));
    exchange->reply.type = type_of(path, reader->form);
    view_want(view, now_us);
}

/* The hashes are computed when somebody wants the page. */
static void answer_page(struct view *view, struct http_exchange *exchange)
{
    if (!view->page_headers.len)
        put_page_headers(&view->page_headers);
    exchange->reply.type = STR("text/html; charset=utf-8");
    exchange->reply.headers = buf_str(&view->page_headers);
    exchange->reply.body = view_page_html();
}

void view_answer_request(void *self, struct http_exchange *exchange,
                         uint64_t now_us)
{
    const struct view_place *place = self;
    struct view *view = place->view;
    struct access_answer allowed =
        access_judge(&place->door, &exchange->request);

    if (allowed.status != 200) {
        send_error(exchange, allowed.status, allowed.error);
        return;
    }
    switch (allowed.path) {
    case PATH_PAGE:
        answer_page(view, exchange);
        break;
    case PATH_HEALTH:
        answer_health(view, exchange, now_us);
        break;
    case PATH_WHY:
        answer_why(view, exchange, now_us);
        break;
    case PATH_CONTROL:
        answer_control(view, exchange, now_us);
        break;
    default:
        answer_figures(view, exchange, allowed.path, now_us);
    }
}

/* It was no request of HTTP, or too long, or too slow. */
void view_refuse_request(void *self, struct http_exchange *exchange,
                         uint64_t now_us)
{
    (void)self;
    (void)now_us;
    buf_clear(&exchange->scratch);
    send_error(exchange, http_error_status(exchange->error),
               http_error_text(exchange->error));
}
