/* robots.txt files that have moved to a host of another machine. That machine
 * fetches them, so the pauses of its host hold over all machines.
 *
 *     the asker's machine            the machine of the host where it is now
 *     fleet_robots_follow  --mail-->  take_question, frontier_robots_asked
 *                                     ... the host's turn, a fetch ...
 *     take_answer, judge_robots  <--mail--  fleet_robots_answer
 *
 * A question is remembered by both until it is answered. It is asked again when
 * the partition of its URL gets another epoch: the owner that has taken it may
 * be gone. What is known of questions is lost with a machine: whoever gets the
 * asker's partition begins with the asker's own robots.txt. An answer for which
 * nobody waits is dropped.
 */
#ifndef CRAWLER_FLEET_ROBOTS_H
#define CRAWLER_FLEET_ROBOTS_H

#include "fleet/mail.h"

struct crawler;
struct fleet_robots;
struct job;

struct fleet_robots *fleet_robots_new(struct outbox *outbox);
void fleet_robots_free(struct fleet_robots *robots);

/* The robots.txt of `from` moved to this URL of another machine: ask for it,
 * and end that step of the frontier. False as frontier_robots_moved. */
bool fleet_robots_follow(struct fleet_robots *robots, struct crawler *crawler,
                         struct target *from, const struct url *url,
                         uint64_t ended_ms);

/* A robots.txt was fetched for a guest: tell its machine what came. */
void fleet_robots_answer(struct fleet_robots *robots, const struct job *job);

/* An entry of the mail for this partition, a question or an answer. */
void fleet_robots_take(struct fleet_robots *robots, struct crawler *crawler,
                       uint32_t part, const struct mail_entry *entry);

/* After each answer of the engine: ask again where that is needed, and begin
 * what could not begin before. */
void fleet_robots_look(struct fleet_robots *robots, struct crawler *crawler,
                       const struct fleet_part *part);

/* The partition was given up. */
void fleet_robots_drop(struct fleet_robots *robots, uint32_t part);

#endif
