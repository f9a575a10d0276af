#include "page/trust.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *trust_system_file(void)
{
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

const char *trust_problem(const char *name)
{
    FILE *file = fopen(name, "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    while (file && !found && getline(&line, &room, file) >= 0)
        found = !strncmp(line, "-----BEGIN ", 11) &&
                strstr(line, "CERTIFICATE-----");
    int why = !file || ferror(file) ? errno : 0;
    if (file)
        fclose(file);
    free(line);
    if (found)
        return NULL;
    return why ? strerror(why) : "no certificate in PEM form";
}
