/* PostgreSQL as the engine of a fleet (fleet/engine.h).
 *
 *     struct fleet_engine *engine =
 *         engine_postgres_new("postgres://crawl@db1,db2/web", "crawl");
 *     engine->type->begin(engine, ...);
 *     engine->type->close(engine);
 *
 * The tables of a crawl are in a schema of their own. libpq's own means find
 * the server and the password: the URL with several hosts, ~/.pgpass, a service
 * file, certificates, environment variables. Making an engine connects to
 * nobody; each call does if there is no connection.
 */
#ifndef FLEET_ENGINE_POSTGRES_H
#define FLEET_ENGINE_POSTGRES_H

#include "fleet/engine.h"

/* Is this text meant to be the URL of such an engine? */
bool engine_postgres_is_url(const char *text);

/* The URL without password and options, in `arena`; NULL: it is not valid. */
const char *engine_postgres_label(const char *url, struct arena *arena);

/* Can a crawl have this name: small letters, digits and '_', not too many, and
 * not beginning with pg_? */
enum { ENGINE_POSTGRES_NAME_MAX = 40 };
bool engine_postgres_is_name(const char *name);

/* NULL if the URL is not valid. */
struct fleet_engine *engine_postgres_new(const char *url, const char *name);

/* For a thread that has something else to do: a call ends with FLEET_AWAY as
 * soon as `may_wait` says no. It is asked a few times a second, but not while a
 * connection is made, which takes two seconds at most for each server that the
 * URL names. */
void engine_postgres_hurry(struct fleet_engine *engine,
                           bool (*may_wait)(void *user), void *user);

#endif
