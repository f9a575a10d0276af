/* After a lost answer nobody looks whether the commit had counted: it is made
 * again. */
#include "mutants/sql.h"

void __wrap_pg_send(struct postgres *pg, struct pg_args *args, const char *sql)
{
    char mutated[PG_SQL_MAX];

    __real_pg_send(pg, args,
                   sql_replace(sql, "batch = $3::bigint - 1",
                               "batch >= $3::bigint - 1", mutated));
}
