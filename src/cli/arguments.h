/* The words that the program was started with. Every user of the machine can
 * read them in the list of processes, so the program works on a copy, and
 * overwrites what is secret in the words that others see. */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

/* A copy of all words, NULL at the end. In `argv` the values
 * of secret options and the logins of URLs are "*" from now on, and if there was
 * one, no other program of the user may look into this process, and it leaves no
 * core file. */
char **arguments_take(int argc, char *argv[]);
void arguments_free(char **words);

#endif
