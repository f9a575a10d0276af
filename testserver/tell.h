/* The commands that print something of the synthetic web and end. */
#ifndef TESTSERVER_TELL_H
#define TESTSERVER_TELL_H

#include "testserver/options.h"

/* Run the command that the options name; returns the exit status. */
int tell_main(const struct options *options);

#endif
