/* The commands that print something of the synthetic web and end. */
#ifndef PLAYGROUND_TELL_H
#define PLAYGROUND_TELL_H

#include "playground/options.h"

/* Run the command of the options; the exit status. */
int tell_main(const struct options *options);

#endif
