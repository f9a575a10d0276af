/* The engine counts a commit of whatever incarnation and number, also of a
 * machine that was declared dead. */
#include "mutants/sql.h"

void __wrap_pg_send(struct postgres *pg, struct pg_args *args, const char *sql)
{
    char mutated[PG_SQL_MAX];

    __real_pg_send(pg, args,
                   sql_replace(sql,
                               "incarnation = $2::bigint AND "
                               "batch = $3::bigint - 1 AND state = 'alive'",
                               "$2::bigint <> 0", mutated));
}
