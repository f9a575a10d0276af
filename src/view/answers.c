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
 * for the next one, for the answer to an order, for another process.
 *
 * Figures and answers to orders are whole before a byte is sent, so that the
 * status is right where none came; events and `why` are streams. */

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

/* Somebody who waits for an answer, or reads a stream. */
struct reader {
    struct view *view;
    enum access_path path;
    uint64_t until_us; /* no longer than this */
    size_t slot;       /* of an order; VIEW_ORDERS_MAX: none */

    /* Of a stream. */
    bool is_done; /* all was said */
    struct why_process why;
    uint64_t turn;     /* of the snapshot that was sent last */
    uint32_t page;     /* the last that was sent */
    uint64_t failures; /* as they were sent */
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

/* What is asked of a path, beside its name. */
struct question {
    uint64_t after;         /* of /pages.jsonl */
    uint64_t columns, rows; /* of /screen.txt */
    enum metrics_form form; /* of /metrics */
};

/* Only what the path has is read. NULL, or what makes no sense. */
static const char *read_question(const struct http_request *request,
                                 enum access_path path,
                                 struct question *question)
{
    struct str query = request->query;

    *question = (struct question){.columns = 80, .rows = 24};
    if (path == PATH_PAGES &&
        !question_number(query, STR("after"), &question->after))
        return "after is a number";
    if (path == PATH_SCREEN &&
        (!question_number(query, STR("columns"), &question->columns) ||
         !question_number(query, STR("rows"), &question->rows)))
        return "columns and rows are numbers";
    if (question->columns > COLUMNS_MAX)
        question->columns = COLUMNS_MAX;
    if (question->rows > ROWS_MAX)
        question->rows = ROWS_MAX;
    question->form =
        metrics_preferred(http_request_header(request, STR("Accept")));
    return NULL;
}

static struct str type_of(enum access_path path, enum metrics_form form)
{
    switch (path) {
    case PATH_METRICS:
        return metrics_type(form);
    case PATH_PAGES:
        return STR("application/jsonl");
    case PATH_SCREEN:
        return STR("text/plain; charset=utf-8");
    default:
        return STR("application/json");
    }
}

static void put_figures(struct buf *out, const struct view *view,
                        enum access_path path, const struct question *question)
{
    const struct figures figures = view_figures(view);

    switch (path) {
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
        figures_put_page_lines(out, &figures, question->after);
        return;
    case PATH_METRICS:
        metrics_put(out, &figures, question->form);
        return;
    case PATH_SCREEN:
        figures_put_screen(out, &figures, question->columns, question->rows);
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

/* Who asks; new where this is its first time. */
static struct reader *reader_of(struct view *view,
                                struct http_exchange *exchange,
                                enum access_path path, uint64_t now_us)
{
    if (exchange->user)
        return exchange->user;
    struct reader *reader = NEW(struct reader);
    reader->view = view;
    reader->path = path;
    reader->until_us = now_us + PATIENCE_US;
    reader->slot = VIEW_ORDERS_MAX;
    buf_init(&reader->out, path == PATH_WHY ? WHY_TEXT_MAX : ANSWER_MAX);
    view->readers++;
    exchange->user = reader;
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

/* Is it worth a wait? Then the connection asks again. */
static bool waits(const struct reader *reader, struct http_exchange *exchange,
                  uint64_t now_us)
{
    if (reader->view->is_over || now_us >= reader->until_us)
        return false;
    exchange->reply.again_us = now_us + LOOK_US;
    return true;
}

/* The crawler thread has not answered: it is over, or `why`. */
static void send_unavailable(const struct view *view,
                             struct http_exchange *exchange, const char *why)
{
    send_error(exchange, 503, view->is_over ? "the crawl has ended" : why);
}

static void send_scratch(struct http_exchange *exchange, struct str type)
{
    exchange->reply.type = type;
    exchange->reply.headers = STR(HEADERS);
    exchange->reply.body = buf_str(&exchange->scratch);
}

/* --- streams -----------------------------------------------------------------
 */

static enum http_pull wait_until(struct http_piece *piece, uint64_t wake_us)
{
    piece->wake_us = wake_us;
    return HTTP_PULL_WAIT;
}

static enum http_pull give(const struct reader *reader,
                           struct http_piece *piece)
{
    piece->bytes = buf_str(&reader->out);
    return reader->out.len ? HTTP_PULL_BYTES : HTTP_PULL_END;
}

static enum http_pull pull_events(void *self, uint64_t now_us,
                                  struct http_piece *piece)
{
    struct reader *reader = self;
    struct view *view = reader->view;

    if (reader->is_done)
        return HTTP_PULL_END;
    view_want(view, now_us);
    if (!view->now || view->turn == reader->turn) {
        if (view->is_over)
            return HTTP_PULL_END;
        return wait_until(piece, now_us + EVENTS_LOOK_US);
    }
    buf_clear(&reader->out);
    put_events(reader);
    return give(reader, piece);
}

static enum http_pull pull_why(void *self, uint64_t now_us,
                               struct http_piece *piece)
{
    struct reader *reader = self;

    if (reader->is_done)
        return HTTP_PULL_END;
    if (!why_read(&reader->why, &reader->out, now_us))
        return wait_until(piece, now_us + LOOK_US);
    reader->is_done = true;
    return give(reader, piece);
}

static void send_stream(struct http_exchange *exchange, struct str type,
                        enum http_pull (*pull)(void *, uint64_t,
                                               struct http_piece *))
{
    struct http_reply *reply = &exchange->reply;

    reply->type = type;
    reply->headers = STR(HEADERS);
    reply->framing =
        exchange->request.http_1_0 ? HTTP_UNTIL_CLOSE : HTTP_CHUNKED;
    reply->stream =
        (struct http_stream){pull, exchange->user, HTTP_LEN_UNKNOWN};
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

    if (view->options.facts.fleet)
        send_error(exchange, 400,
                   "a machine of a fleet has no record of its own: crawler why "
                   "takes the URL of the engine");
    else if (problem)
        send_error(exchange, 400, problem);
    else if (view->is_asking_why)
        send_error(exchange, 503, "another question is being answered");
    else if (!why_start(&why, view->options.facts.directory, url, now_us))
        send_error(exchange, 503, "no process can be started");
    else {
        view->is_asking_why = true;
        reader_of(view, exchange, PATH_WHY, now_us)->why = why;
        send_stream(exchange, STR("text/plain; charset=utf-8"), pull_why);
    }
}

/* False, with an answer, where the order was not given to the crawler thread.
 */
static bool give_order(struct view *view, struct http_exchange *exchange,
                       uint64_t now_us)
{
    struct view_order order;
    const char *problem;

    if (!view_order_parse(exchange->request.body, &order, &problem)) {
        send_error(exchange, 400, problem);
        return false;
    }
    size_t slot = order_slots_ask(&view->orders, &order);
    if (slot == VIEW_ORDERS_MAX) {
        send_error(exchange, 503, "too many orders wait");
        return false;
    }
    reader_of(view, exchange, PATH_CONTROL, now_us)->slot = slot;
    view_wake_crawler(view);
    return true;
}

static void answer_control(struct view *view, struct http_exchange *exchange,
                           uint64_t now_us)
{
    if (!exchange->user && !give_order(view, exchange, now_us))
        return;
    struct reader *reader = exchange->user;
    if (order_slots_take_answer(&view->orders, reader->slot,
                                &exchange->scratch)) {
        reader->slot = VIEW_ORDERS_MAX;
        buf_put_char(&exchange->scratch, '\n');
        send_scratch(exchange, STR("application/json"));
    } else if (!waits(reader, exchange, now_us)) {
        send_unavailable(view, exchange,
                         "the crawl is busy and has not answered yet");
    }
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
    struct question question;
    const char *problem = read_question(&exchange->request, path, &question);

    if (problem) {
        send_error(exchange, 400, problem);
        return;
    }
    const struct reader *reader = reader_of(view, exchange, path, now_us);
    view_want(view, now_us);
    if (!view_is_fresh(view, now_us) && waits(reader, exchange, now_us))
        return;
    if (!view->now) {
        send_unavailable(view, exchange,
                         "the crawl is busy and has no figures yet");
        return;
    }
    put_figures(&exchange->scratch, view, path, &question);
    send_scratch(exchange, type_of(path, question.form));
}

static void answer_events(struct view *view, struct http_exchange *exchange,
                          uint64_t now_us)
{
    reader_of(view, exchange, PATH_EVENTS, now_us);
    view_want(view, now_us);
    send_stream(exchange, STR("text/event-stream"), pull_events);
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
    case PATH_EVENTS:
        answer_events(view, exchange, now_us);
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
