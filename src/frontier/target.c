#include "frontier/target.h"

#include <stdlib.h>

#include "base/mem.h"

struct target *target_new(struct host *host, enum target_kind kind,
                          const struct url *url)
{
    struct target *target = mem_new(sizeof(*target) + url->href.len + 1);

    target->host = host;
    target->kind = (uint8_t)kind;
    target->host_start = url->host_start;
    target->host_end = url->host_end;
    target->path_start = url->path_start;
    target->path_end = url->path_end;
    target->port = url->port;
    target->https = url->https;
    target->default_port_written = url->default_port_written;
    target->url_len = (uint16_t)url->href.len;
    memcpy(target->url, url->href.ptr, url->href.len);
    return target;
}

void target_free(struct target *target)
{
    free(target);
}
