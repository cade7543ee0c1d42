/*
 * Further mappings beside a program's own, of a page each, as many as BESIDE says: loaded ahead of a program that maps and
 * unmaps memory (LD_PRELOAD).
 *
 * What that costs depends on how many mappings the process has, whoever made them: the kernel keeps them in a tree, and at
 * some counts a mapping that comes and goes splits a node of it and joins it again. Two programs are compared at the count
 * that is best for each, and not at the one that each happens to have.
 */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((constructor)) static void map_beside(void)
{
    const char *said = getenv("BESIDE");
    const long count = said == NULL ? 0 : strtol(said, NULL, 10);
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (long i = 0; i < count; i++) {
        /* Neighbours of the same access would be one mapping. */
        const int access = i % 2 == 0 ? PROT_READ : PROT_READ | PROT_WRITE;
        if (mmap(NULL, page, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) {
            perror("error: cannot map beside the program");
            exit(1);
        }
    }
}
