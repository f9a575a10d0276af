/* The commands. Each gets the words after its name and returns the exit
 * status. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int command_crawl(int argc, char *const argv[]);
int command_url(int argc, char *const argv[]);
int command_links(int argc, char *const argv[]);
int command_robots(int argc, char *const argv[]);
int command_status(int argc, char *const argv[]);
int command_why(int argc, char *const argv[]);
int command_verify(int argc, char *const argv[]);
int command_export(int argc, char *const argv[]);

#endif
