/* Who may ask: the rules of docs/live-api.md, as a pure function of a request.
 *
 * Whatever is not allowed has a status and a sentence. The Host is looked at
 * first: a page of the web whose name leads to 127.0.0.1 learns nothing, not
 * even which paths there are.
 */
#ifndef VIEW_ACCESS_H
#define VIEW_ACCESS_H

#include "http/request.h"

enum { ACCESS_TOKEN_LEN = 32 };

/* A place where the server listens. */
struct access_door {
    struct str address; /* "127.0.0.1:8080"; empty: a Unix socket */
    const char *token;  /* ACCESS_TOKEN_LEN characters; NULL: none needed */
    bool metrics_open;  /* /metrics needs no token */
};

enum access_path {
    PATH_PAGE,
    PATH_STATUS,
    PATH_HOSTS,
    PATH_ERRORS,
    PATH_PAGES,
    PATH_HISTORY,
    PATH_WHY,
    PATH_EVENTS,
    PATH_HEALTH,
    PATH_METRICS,
    PATH_SCREEN,
    PATH_CONTROL,
    PATHS,
};

struct access_answer {
    unsigned status; /* 200: it is allowed */
    const char *error;
    enum access_path path;
};

struct access_answer access_judge(const struct access_door *door,
                                  const struct http_request *request);

/* 128 random bits as hexadecimal digits; false with errno. */
bool access_make_token(char token[ACCESS_TOKEN_LEN + 1]);

#endif
