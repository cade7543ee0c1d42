/* What the programs that test libwirecontract on Linux share: expectations, and a count of what is open. */
#ifndef WIRECONTRACT_TESTS_EXPECT_H
#define WIRECONTRACT_TESTS_EXPECT_H

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include <wirecontract/library.h>

/* Longer than any machine takes. */
enum { LONG_MS = 60000 };

static inline void expect(int holds, int line, const char *what)
{
    if (!holds) {
        wc_failure failure;
        wc_last_error(&failure);
        fprintf(stderr, "line %d: expected %s; the last failure is %s: %s (%d): %s\n", line, what, failure.function,
                wc_status_name(failure.code), failure.detail, failure.message);
        exit(1);
    }
}

#define EXPECT(CONDITION) expect(CONDITION, __LINE__, #CONDITION)
#define OK(CALL) expect((CALL) == WC_STATUS_OK, __LINE__, #CALL)
/* Refused with that code, which the last failure repeats. */
#define REFUSED(CODE, CALL) \
    do { \
        wc_failure refused; \
        expect((CALL) == WC_STATUS_##CODE, __LINE__, #CALL " to be " #CODE); \
        wc_last_error(&refused); \
        expect(refused.code == WC_STATUS_##CODE, __LINE__, #CODE " as the last failure's code"); \
    } while (0)

static inline size_t open_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;
    EXPECT(folder != NULL);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static inline int is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

#endif
