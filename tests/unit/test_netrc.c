#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/netrc.h"

static void entries(void **state)
{
    static const struct {
        const char *file, *host, *name, *password;
    } rows[] = {
        {"machine a.org login me password pw", "a.org", "me", "pw"},
        {"machine a.org login me password pw", "A.org", "me", "pw"},
        {"machine a.org login me password pw", "w.a.org", NULL, NULL},
        {"machine a.org\n\tlogin me\n\tpassword pw\n", "a.org", "me", "pw"},
        {"machine a.org password pw login me", "a.org", "me", "pw"},
        {"machine a.org login me", "a.org", "me", ""},
        {"machine a.org password pw", "a.org", NULL, NULL},
        {"machine a.org login me password pw account x", "a.org", "me", "pw"},
        {"machine b.org login you password x\nmachine a.org login me password "
         "pw",
         "a.org", "me", "pw"},
        {"machine a.org login one password 1 machine a.org login two password "
         "2",
         "a.org", "one", "1"},
        {"default login any password pw", "a.org", "any", "pw"},
        {"machine a.org login me password 1 default login any password 2",
         "b.org", "any", "2"},
        {"# comment machine\nmachine a.org login me # more\npassword pw",
         "a.org", "me", "pw"},
        {"macdef init\nmachine a.org login evil password x\n\nmachine a.org "
         "login me password pw",
         "a.org", "me", "pw"},
        {"machine a.org login \"my name\" password \"a \\\" b\"", "a.org",
         "my name", "a \" b"},
        {"", "a.org", NULL, NULL},
    };
    static const char *const bad[] = {
        "machine",
        "login me password pw",
        "machine a.org login me pw",
        "<html>",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct netrc netrc;
        netrc_init(&netrc);
        assert_true(netrc_parse(&netrc, str_of(rows[i].file)));
        const struct login *login = netrc_login(&netrc, str_of(rows[i].host));
        if (!login != !rows[i].name ||
            (login && (!str_eq(login->name, str_of(rows[i].name)) ||
                       !str_eq(login->password, str_of(rows[i].password)))))
            fail_msg("%s: %s", rows[i].file,
                     login ? login->name.ptr : "no login");
        netrc_release(&netrc);
    }
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct netrc netrc;
        netrc_init(&netrc);
        if (netrc_parse(&netrc, str_of(bad[i])))
            fail_msg("taken: %s", bad[i]);
        netrc_release(&netrc);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
