/*
 * Says of each hello on standard input what libwirecontract makes of it: `accepted`, or the code, the contract and the
 * field. A document is its length in four bytes, the least significant first, and its text. While it is read the
 * program may take one mebibyte more than it has, whatever the document says that it holds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <wirecontract/hello.h>
#include <wirecontract/library.h>
#include <wirecontract/negotiate.h>

#define MOST_MORE ((rlim_t)1 << 20)

/* Sets a bound to what the program takes of memory, where `more` says one, or takes it away. */
static int bound(rlim_t more)
{
    struct rlimit limit;
    unsigned long pages = 0;
    if (getrlimit(RLIMIT_AS, &limit) != 0) {
        return 0;
    }
    limit.rlim_cur = limit.rlim_max;
    if (more != 0) {
        FILE *file = fopen("/proc/self/statm", "r");
        if (file == NULL || fscanf(file, "%lu", &pages) != 1) {
            return 0;
        }
        fclose(file);
        limit.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    }
    return setrlimit(RLIMIT_AS, &limit) == 0;
}

static int say(wc_str document)
{
    wc_hello hello;
    wc_arena arena;
    wc_error error;
    if (!bound(MOST_MORE)) {
        return 0;
    }
    wc_status status = wc_hello_from_json(document, &hello, &arena, &error);
    if (status == WC_STATUS_OK) {
        status = wc_hello_validate(&hello, &error);
        wc_arena_free(&arena);
    }
    if (!bound(0)) {
        return 0;
    }
    if (status == WC_STATUS_OK) {
        puts("accepted");
    } else {
        printf("%s %s %s\n", wc_status_name(status), error.contract, error.field);
    }
    return 1;
}

int main(void)
{
    uint8_t head[4];
    while (fread(head, 1, 4, stdin) == 4) {
        const size_t length = head[0] | (size_t)head[1] << 8 | (size_t)head[2] << 16 | (size_t)head[3] << 24;
        char *text = (char *)malloc(length + 1);
        if (text == NULL || fread(text, 1, length, stdin) != length) {
            return 1;
        }
        wc_str document;
        document.data = text;
        document.length = length;
        if (!say(document)) {
            return 1;
        }
        free(text);
    }
    return 0;
}
