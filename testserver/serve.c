#include "testserver/serve.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "testserver/address.h"
#include "testserver/faults.h"

enum {
    MAX_HEAD = 64 * 1024,
    MAX_BODY = 1024 * 1024,
    MAX_SCRATCH = 64 * 1024 * 1024,
};

#define SILENCE_US (3600ULL * 1000 * 1000)

/* What is remembered of an exchange, as its `user`. */
struct memory {
    uint64_t start_us;
    uint64_t sent_us; /* when the last write began; 0: none yet */
    struct faults faults;
};

static struct memory *memory_of(struct http_exchange *exchange)
{
    struct memory *memory = exchange->user;

    if (!memory) {
        memory = exchange->user = NEW(struct memory);
        memory->start_us = clock_mono_us();
    }
    return memory;
}

static void ask_sources(const struct serve *serve,
                        struct http_exchange *exchange, struct reply *reply)
{
    for (size_t i = 0; i < serve->source_count; i++) {
        const struct source *source = &serve->sources[i];

        if (source->only_at.len &&
            !str_eq(source->only_at, exchange->local_addr))
            continue;
        reply_init(reply);
        buf_clear(&exchange->scratch);
        if (source->answer(source->self, &exchange->request, &exchange->scratch,
                           reply))
            return;
    }
    reply_init(reply);
    http_reply_set_error(&reply->http, 404, &exchange->scratch);
}

static void answer(void *self, struct http_exchange *exchange, uint64_t now_us)
{
    struct memory *memory = memory_of(exchange);

    (void)now_us; /* of the whole step; the record needs a time for each */
    ask_sources(self, exchange, &memory->faults.reply);
    faults_begin(&memory->faults);
    exchange->reply = memory->faults.reply.http;
}

/* The first message of TLS. */
static bool is_client_hello(const struct http_exchange *exchange)
{
    return exchange->error && str_starts(exchange->request.all, STR("\x16"));
}

/* A client that speaks TLS gets no answer: a test crawls such a server. */
static void refuse(void *self, struct http_exchange *exchange, uint64_t now_us)
{
    (void)self;
    if (is_client_hello(exchange))
        exchange->reply.not_before_us = now_us + SILENCE_US;
}

static void sending(void *self, struct http_exchange *exchange)
{
    (void)self;
    memory_of(exchange)->sent_us = clock_mono_us();
}

static void ended(void *self, struct http_exchange *exchange)
{
    const struct serve *serve = self;
    const struct http_request *request = &exchange->request;
    struct memory *memory = memory_of(exchange);
    struct record_line line = {
        .start_us = memory->start_us,
        /* Before the last of it was sent: nobody can have had all of it
         * earlier, however long we are kept from reading the clock. */
        .end_us = memory->sent_us ? memory->sent_us : clock_mono_us(),
        .conn = exchange->conn_id,
        .local_addr = exchange->local_addr,
        .host = request->host,
        .method = request->method,
        .path = request->target,
        .status = exchange->began ? exchange->reply.status : 0,
        .bytes = exchange->body_sent,
        .user_agent = http_request_header(request, STR("User-Agent")),
        .request = request->all,
    };

    if (!is_client_hello(exchange))
        record_put(serve->record, &line);
    /* A test that reads the record waits for this request of its own. */
    if (str_starts(request->target, STR("/flush-record/")))
        record_flush(serve->record);
    free(memory);
}

bool serve_init(struct serve *serve)
{
    serve->service = (struct http_service){
        .limits = {.request = {.max_head = MAX_HEAD, .max_body = MAX_BODY},
                   .max_scratch = MAX_SCRATCH},
        .handler = {.self = serve,
                    .answer = answer,
                    .refuse = refuse,
                    .sending = sending,
                    .ended = ended},
    };
    serve->server = http_server_new(&serve->service);
    return serve->server != NULL;
}

void serve_release(struct serve *serve)
{
    if (serve->server)
        http_server_free(serve->server);
    serve->server = NULL;
}

/* The last listener's own address; it has the port that was free. */
static void read_back(const struct serve *serve, size_t index,
                      struct address *address)
{
    const char *problem = NULL;
    uint32_t count = address->count;

    address_parse(http_server_address(serve->server, index), address, &problem);
    address->count = count;
}

bool serve_listen(struct serve *serve, struct str where, const char **problem)
{
    struct address address;
    size_t index = 0;

    if (!address_parse(where, &address, problem))
        return false;
    while (http_server_address(serve->server, index).len)
        index++;
    for (uint32_t i = 0; i < address.count; i++) {
        char text[HTTP_ADDRESS_TEXT];

        address_format(&address, i, text);
        if (!http_server_listen(serve->server, str_of(text), problem))
            return false;
        if (i == 0)
            read_back(serve, index, &address);
    }
    return true;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return b && b < a ? b : a;
}

void serve_run(struct serve *serve, int stop_fd, uint64_t deadline_us)
{
    uint64_t now_us = clock_mono_us();
    uint64_t flush_us = 0; /* when the record is due to be written */
    bool goes_on = stop_fd < 0 || http_server_stop_on(serve->server, stop_fd);

    while (goes_on && (!deadline_us || now_us < deadline_us)) {
        uint64_t until_us = earlier(UINT64_MAX, deadline_us);

        goes_on = http_server_step(serve->server, earlier(until_us, flush_us));
        now_us = clock_mono_us();
        if (!flush_us && record_is_dirty(serve->record))
            flush_us = now_us + RECORD_FLUSH_US;
        if (flush_us && now_us >= flush_us) {
            record_flush(serve->record);
            flush_us = 0;
        }
    }
    http_server_drop_all(serve->server);
    record_flush(serve->record);
}
