/* The command: options in, a server that runs until it is told to stop. */
#ifndef TESTSERVER_PLAY_H
#define TESTSERVER_PLAY_H

/* Everything but the process itself; returns the exit status. */
int play_main(int argc, char **argv);

#endif
