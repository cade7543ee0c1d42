/* What a process has open and mapped, for programs of C and C++ that have to leave nothing behind. */
#ifndef WIRECONTRACT_TESTS_OPENED_H
#define WIRECONTRACT_TESTS_OPENED_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int fds;
    int mapped;
    int shared;
} opened;

/* The names in a folder that begin with that. */
static inline int opened_names(const char *path, const char *prefix)
{
    DIR *folder = opendir(path);
    const struct dirent *entry;
    int count = 0;
    if (folder == NULL) {
        return 0;
    }
    while ((entry = readdir(folder)) != NULL) {
        count += strncmp(entry->d_name, prefix, strlen(prefix)) == 0;
    }
    closedir(folder);
    return count;
}

/* The file descriptors, the memfds that are mapped, and what is in /dev/shm of this library. */
static inline opened opened_now(void)
{
    opened now;
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "re");
    now.mapped = 0;
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
        now.mapped += strstr(line, "memfd:") != NULL;
    }
    if (maps == NULL || fclose(maps) != 0) {
        fputs("cannot read /proc/self/maps\n", stderr);
        exit(1);
    }
    now.fds = opened_names("/proc/self/fd", "");
    now.shared = opened_names("/dev/shm", "wirecontract");
    return now;
}

/* Says what differs, if anything does. */
static inline int opened_differs(opened before, opened after)
{
    if (before.fds == after.fds && before.mapped == after.mapped && before.shared == after.shared) {
        return 0;
    }
    fprintf(stderr, "expected %d file descriptors, %d mappings and %d names in /dev/shm at the end, found %d, %d and %d\n",
            before.fds, before.mapped, before.shared, after.fds, after.mapped, after.shared);
    return 1;
}

#endif
