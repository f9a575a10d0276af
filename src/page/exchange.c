#include "page/exchange.h"

void exchange_begin_response(struct exchange *exchange, int status)
{
    exchange->status = status;
    exchange->mime[0] = exchange->charset_label[0] = '\0';
    exchange->location = exchange->refresh = (struct str){0};
    exchange->noindex = exchange->nofollow = false;
}

void exchange_drop_bytes(struct exchange *exchange)
{
    exchange->request_head = exchange->response_head = (struct str){0};
    exchange->body_as_sent = exchange->body = (struct str){0};
    exchange->peer = (struct str){0};
}
