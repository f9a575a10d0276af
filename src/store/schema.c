#include "store/schema.h"

/* The tables are a journal: one row an event, keyed by nothing but its place,
 * so that writing appends. What people ask for are the views. */
const char schema_tables[] =
    "CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
    "CREATE TABLE verdict(code INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE outcome(code INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE seed(place INTEGER PRIMARY KEY, url TEXT, named INTEGER);"

    "CREATE TABLE url(number INTEGER PRIMARY KEY, url TEXT,"
    " host_at INTEGER, host_len INTEGER, domain_at INTEGER,"
    " domain_len INTEGER, depth INTEGER, referrer INTEGER, found INTEGER,"
    " kind INTEGER, verdict INTEGER, redirects INTEGER, line INTEGER,"
    " via INTEGER);"

    "CREATE TABLE change(place INTEGER PRIMARY KEY, number INTEGER,"
    " depth INTEGER, referrer INTEGER, found INTEGER);"

    "CREATE TABLE fetch(place INTEGER PRIMARY KEY, number INTEGER,"
    " page INTEGER, status INTEGER, outcome INTEGER, mime TEXT,"
    " size INTEGER, digest INTEGER, start_ms INTEGER, end_ms INTEGER,"
    " pause_ms INTEGER, due_ms INTEGER, target TEXT);"

    "CREATE TABLE refusal(place INTEGER PRIMARY KEY, number INTEGER,"
    " verdict INTEGER, outcome INTEGER, line INTEGER, at_ms INTEGER);"

    "CREATE TABLE robots(place INTEGER PRIMARY KEY, host TEXT, url TEXT,"
    " https INTEGER, known INTEGER, outcome INTEGER, status INTEGER,"
    " start_ms INTEGER, end_ms INTEGER, pause_ms INTEGER, until_ms INTEGER,"
    " text TEXT);"

    "CREATE TABLE host(place INTEGER PRIMARY KEY, name TEXT,"
    " failures INTEGER, mute INTEGER, given_up INTEGER, outcome INTEGER,"
    " until_ms INTEGER);"

    "CREATE TABLE domain(place INTEGER PRIMARY KEY, name TEXT,"
    " found INTEGER);"

    "CREATE TABLE link(place INTEGER PRIMARY KEY, page INTEGER,"
    " verdict INTEGER, url TEXT, text TEXT, rel TEXT);";

/* --- for people --------------------------------------------------------- */

const char schema_views[] =
    "CREATE VIEW urls AS"
    " SELECT u.number, u.url,"
    "  substr(u.url, u.host_at + 1, u.host_len) AS host,"
    "  substr(u.url, u.domain_at + 1, u.domain_len) AS domain,"
    "  coalesce(c.depth, u.depth) AS depth,"
    "  coalesce(c.referrer, u.referrer) AS referrer,"
    "  coalesce(c.found, u.found) AS found,"
    "  CASE WHEN r.number THEN 'refused' WHEN u.verdict THEN 'refused'"
    "   WHEN f.done THEN 'done' WHEN f.number THEN 'retrying'"
    "   ELSE 'queued' END AS state,"
    "  CASE WHEN r.number THEN rv.name WHEN u.verdict THEN uv.name"
    "   ELSE o.name END AS outcome,"
    "  coalesce(f.tries, 0) AS fetches, f.due_ms"
    " FROM url u"
    " LEFT JOIN (SELECT number, depth, referrer, found, max(place)"
    "   FROM change GROUP BY number) c ON c.number = u.number"
    " LEFT JOIN (SELECT number, outcome, count(*) AS tries, due_ms,"
    "   due_ms = 0 AS done, max(place) FROM fetch GROUP BY number) f"
    "   ON f.number = u.number"
    " LEFT JOIN refusal r ON r.number = u.number"
    " LEFT JOIN verdict uv ON uv.code = u.verdict"
    " LEFT JOIN verdict rv ON rv.code = r.verdict"
    " LEFT JOIN outcome o ON o.code = f.outcome"
    /* A shorter way to a URL is no other URL. */
    " WHERE u.kind = 0 AND coalesce(uv.name, '') <> 'duplicate';"

    "CREATE VIEW pages AS"
    " SELECT f.page AS id, u.url, coalesce(c.depth, u.depth) AS depth,"
    "  nullif(coalesce(c.referrer, u.referrer), 0) AS referrer,"
    "  f.status, f.mime, f.size, printf('%016x', f.digest) AS digest,"
    "  datetime(f.start_ms / 1000, 'unixepoch') AS fetched,"
    "  f.end_ms - f.start_ms AS ms,"
    "  substr(u.url, u.host_at + 1, u.host_len) AS host,"
    "  substr(u.url, u.domain_at + 1, u.domain_len) AS domain"
    " FROM fetch f JOIN url u ON u.number = f.number"
    " LEFT JOIN (SELECT number, depth, referrer, max(place)"
    "   FROM change GROUP BY number) c ON c.number = u.number"
    " WHERE f.page > 0;"

    "CREATE VIEW queue AS"
    " SELECT url, depth, found, fetches, nullif(referrer, 0) AS referrer,"
    "  CASE WHEN due_ms THEN datetime(due_ms / 1000, 'unixepoch') END AS due,"
    "  host, domain"
    " FROM urls WHERE state IN ('queued', 'retrying') ORDER BY number;"

    "CREATE VIEW domains AS"
    " SELECT domain, count(*) AS urls, sum(state = 'done') AS done,"
    "  sum(state IN ('queued', 'retrying')) AS queued,"
    "  sum(state = 'refused') AS refused, sum(fetches) AS fetches,"
    "  sum(outcome = 'fetched' AND state = 'done') AS pages"
    " FROM urls GROUP BY domain ORDER BY pages DESC, urls DESC;"

    /* The referrer of a sitemap is no page. */
    "CREATE VIEW errors AS"
    " SELECT u.url, o.name AS outcome, e.status,"
    "  datetime(e.at_ms / 1000, 'unixepoch') AS at,"
    "  CASE u.kind WHEN 0 THEN nullif(coalesce(c.referrer, u.referrer), 0)"
    "   END AS referrer"
    " FROM (SELECT number, outcome, status, end_ms AS at_ms FROM fetch"
    "   WHERE due_ms = 0"
    "  UNION ALL"
    "  SELECT r.number, r.outcome, 0, r.at_ms FROM refusal r"
    "   JOIN verdict v ON v.code = r.verdict"
    "   WHERE v.name IN ('host-dead', 'robots-unknown')) e"
    " JOIN url u ON u.number = e.number"
    " JOIN outcome o ON o.code = e.outcome"
    " LEFT JOIN (SELECT number, referrer, max(place)"
    "   FROM change GROUP BY number) c ON c.number = u.number"
    " WHERE o.name NOT IN ('fetched', 'redirected');"

    "CREATE VIEW links AS"
    " SELECT l.page, u.url AS source, l.url AS target, l.text, l.rel,"
    "  v.name AS verdict"
    " FROM link l JOIN fetch f ON f.page = l.page"
    " JOIN url u ON u.number = f.number"
    " LEFT JOIN verdict v ON v.code = l.verdict;";
