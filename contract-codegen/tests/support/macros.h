/* Headers of the platforms that define words as macros; a generated header comes after all of them. */
#ifdef _WIN32
#include <windows.h>
#else
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#endif
#ifndef __cplusplus
#include <tgmath.h>
#endif
#include <assert.h>
#include <errno.h>
#include <iso646.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
