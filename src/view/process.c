#include "view/process.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

static uint64_t resident_bytes(void)
{
    unsigned long long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file)
        return 0;
    if (fscanf(file, "%llu %llu", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The entries ".", ".." and the descriptor of this look do not count. */
static uint64_t open_descriptors(void)
{
    uint64_t count = 0;
    DIR *dir = opendir("/proc/self/fd");

    if (!dir)
        return 0;
    while (readdir(dir))
        count++;
    closedir(dir);
    return count > 3 ? count - 3 : 0;
}

static uint64_t ms_of(struct timeval time)
{
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_usec / 1000;
}

struct view_process process_read(int dir_fd)
{
    struct view_process process = {
        .memory_bytes = resident_bytes(),
        .descriptors = open_descriptors(),
    };
    struct rusage usage;
    struct rlimit limit;
    struct statvfs disk;

    if (!getrusage(RUSAGE_SELF, &usage))
        process.cpu_ms = ms_of(usage.ru_utime) + ms_of(usage.ru_stime);
    if (!getrlimit(RLIMIT_NOFILE, &limit))
        process.descriptors_max = limit.rlim_cur;
    if (!fstatvfs(dir_fd, &disk))
        process.disk_free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
    return process;
}
