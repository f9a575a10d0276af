/* What follows a CONNECT: TLS, or plain HTTP (http/conn.h).
 *
 * The first byte of the client tells which it is: browsers tunnel plain
 * requests too, for WebSockets.
 */
#ifndef REPLAY_TUNNEL_H
#define REPLAY_TUNNEL_H

#include "http/conn.h"
#include "replay/certificate_authority.h"

struct tunnel;

/* `to` is what the CONNECT asked for, "example.org:443"; `host` is `to` without
 * its port. The tunnel belongs to the transport. */
void tunnel_open(struct certificate_authority *authority, struct str to,
                 struct str host, int fd, struct http_transport *transport);

bool tunnel_is_tls(const struct tunnel *tunnel);

/* As it was given to tunnel_open. */
struct str tunnel_to(const struct tunnel *tunnel);

#endif
