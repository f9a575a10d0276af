/* Requests to a running crawl: who may ask (view/access.h), orders
 * (view/order.h), queries (view/question.h), what Accept prefers. The first
 * byte chooses the place; the rest is what a client sends. */
#include "fuzz.h"

#include "base/buf.h"
#include "view/access.h"
#include "view/metrics.h"
#include "view/order.h"
#include "view/question.h"

#define TOKEN "0123456789abcdef0123456789abcdef"

static const struct access_door doors[] = {
    {.address = STR_INIT("127.0.0.1:8080"), .token = TOKEN},
    {.address = STR_INIT("[::1]:80"), .token = TOKEN, .metrics_open = true},
    {.token = TOKEN},
    {.token = NULL},
};

/* An order that was read is read again from what was written. */
static void check_order(struct str json)
{
    struct view_order order, again;
    const char *problem = NULL;
    struct buf out;

    if (!view_order_parse(json, &order, &problem)) {
        assert(problem);
        return;
    }
    assert(order.kind > ORDER_NONE && order.kind < ORDER_KINDS);
    assert(order.text_len <= ORDER_TEXT_MAX);
    assert(strlen(order.text) == order.text_len);
    buf_init(&out, 64 << 10);
    view_order_put(&out, &order);
    if (view_order_parse(buf_str(&out), &again, &problem)) {
        assert(again.kind == order.kind);
        assert(again.delay_ms == order.delay_ms);
    }
    buf_release(&out);
}

/* What comes out of a query fits, and is text. */
static void check_question(struct str query)
{
    char url[256];
    uint64_t after = 7;

    if (!question_url(query, url, sizeof(url)))
        assert(strlen(url) < sizeof(url) && strstr(url, "://"));
    if (!question_number(query, STR("after"), &after))
        assert(after == 7);
}

static void check_request(const struct access_door *door,
                          const struct http_request *request)
{
    struct access_answer answer = access_judge(door, request);
    struct str given = http_request_header(request, STR("Authorization"));

    assert(answer.status == 200 || answer.error);
    /* Nothing but the open paths is answered without the token. */
    if (answer.status == 200 && door->token && answer.path != PATH_PAGE &&
        answer.path != PATH_HEALTH &&
        !(answer.path == PATH_METRICS && door->metrics_open))
        assert(given.ptr && str_ends(given, STR(TOKEN)));
    if (answer.status == 200 && answer.path == PATH_CONTROL)
        assert(str_eq(request->method, STR("POST")));
    check_question(request->query);
    metrics_preferred(http_request_header(request, STR("Accept")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct http_request_limits limits = {.max_head = 8192,
                                               .max_body = 4096};
    struct http_request request;

    if (!size)
        return 0;
    struct str in = {(const char *)data + 1, size - 1};
    check_order(in);
    if (http_request_parse(in, &limits, &request) == HTTP_DONE)
        check_request(&doors[data[0] % ARRAY_LEN(doors)], &request);
    return 0;
}
