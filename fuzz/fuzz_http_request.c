/* Requests to our own server (http/request.h). The first two bytes are the
 * limits (an odd one is a proxy's), the rest is what a client sends. */
#include "fuzz.h"

#include "http/request.h"

static void check_inside(const struct http_request *request, struct str in)
{
    assert(fuzz_is_inside(request->method, in));
    assert(fuzz_is_inside(request->path, in) ||
           str_eq(request->path, STR("/")));
    assert(fuzz_is_inside(request->query, in));
    assert(fuzz_is_inside(request->host, in));
    assert(fuzz_is_inside(request->authority, in));
    assert(fuzz_is_inside(request->body, in));
    assert(fuzz_is_inside(request->all, in));
    assert(request->header_count <= HTTP_MAX_HEADERS);
    for (size_t i = 0; i < request->header_count; i++) {
        assert(request->header[i].name.len > 0);
        assert(fuzz_is_inside(request->header[i].name, in));
        assert(fuzz_is_inside(request->header[i].value, in));
        assert(str_find(request->header[i].value, '\n') ==
               request->header[i].value.len);
    }
}

/* However the bytes are cut, the first result that is not "more" is that of
 * the whole, and it comes no earlier than `need` promised. */
static void check_pieces(struct str in,
                         const struct http_request_limits *limits,
                         enum http_state state,
                         const struct http_request *whole)
{
    size_t step = in.len / 64 + 1, need = 0;

    for (size_t len = 0; len < in.len; len += step) {
        struct http_request part;
        enum http_state got =
            http_request_parse(str_first(in, len), limits, &part);

        if (got == HTTP_MORE) {
            assert(part.need > len);
            need = part.need;
            continue;
        }
        assert(len >= need);
        assert(got == state && part.error == whole->error);
        assert(part.all.len == whole->all.len);
        return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_request_limits limits = {0};
    struct http_request request;

    if (size < 2)
        return 0;
    limits.max_head = (size_t)data[0] * 64 + 16;
    limits.max_body = (size_t)data[1] * 16;
    limits.takes_connect = limits.takes_options = data[0] & 1;

    struct str in = fuzz_input(data + 2, size - 2);
    enum http_state state = http_request_parse(in, &limits, &request);
    assert((state == HTTP_BROKEN) == (request.error != HTTP_NO_ERROR));
    check_inside(&request, in);
    if (state == HTTP_DONE) {
        bool is_connect = str_eq(request.method, STR("CONNECT"));
        assert(is_connect ? !request.path.len : request.path.ptr[0] == '/');
        assert(!is_connect || limits.takes_connect);
        assert(request.authority.len >= request.host.len || !is_connect);
        assert(request.body.len <= limits.max_body);
        assert(request.all.len <= limits.max_head + limits.max_body);
    }
    if (state == HTTP_MORE)
        assert(in.len < limits.max_head + limits.max_body);
    check_pieces(in, &limits, state, &request);
    return 0;
}
