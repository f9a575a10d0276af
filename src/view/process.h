/* Resources that this process uses: memory, CPU time, descriptors, disk.
 * Private to view/. */
#ifndef VIEW_PROCESS_H
#define VIEW_PROCESS_H

#include "view/figures.h"

struct view_process process_read(int dir_fd);

#endif
