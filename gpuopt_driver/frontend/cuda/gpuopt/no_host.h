// What kernels use of the C and C++ libraries, for parsing without any host header.
#pragma once

// Qualifiers such as __shared__ are attributes here, behind which clang takes no `alignas`.
#define alignas(...) __attribute__((aligned(__VA_ARGS__)))

#define GPUOPT_MATH1(NAME) \
    extern "C" double NAME(double) noexcept; \
    extern "C" float NAME##f(float) noexcept; \
    __device__ float NAME(float);
#define GPUOPT_MATH2(NAME) \
    extern "C" double NAME(double, double) noexcept; \
    extern "C" float NAME##f(float, float) noexcept; \
    __device__ float NAME(float, float);
GPUOPT_MATH1(sqrt)
GPUOPT_MATH1(cbrt)
GPUOPT_MATH1(exp)
GPUOPT_MATH1(exp2)
GPUOPT_MATH1(exp10)
GPUOPT_MATH1(expm1)
GPUOPT_MATH1(log)
GPUOPT_MATH1(log2)
GPUOPT_MATH1(log10)
GPUOPT_MATH1(log1p)
GPUOPT_MATH1(logb)
GPUOPT_MATH1(sin)
GPUOPT_MATH1(cos)
GPUOPT_MATH1(tan)
GPUOPT_MATH1(asin)
GPUOPT_MATH1(acos)
GPUOPT_MATH1(atan)
GPUOPT_MATH1(sinh)
GPUOPT_MATH1(cosh)
GPUOPT_MATH1(tanh)
GPUOPT_MATH1(asinh)
GPUOPT_MATH1(acosh)
GPUOPT_MATH1(atanh)
GPUOPT_MATH1(erf)
GPUOPT_MATH1(erfc)
GPUOPT_MATH1(tgamma)
GPUOPT_MATH1(lgamma)
GPUOPT_MATH1(floor)
GPUOPT_MATH1(ceil)
GPUOPT_MATH1(trunc)
GPUOPT_MATH1(round)
GPUOPT_MATH1(rint)
GPUOPT_MATH1(nearbyint)
GPUOPT_MATH1(fabs)
GPUOPT_MATH1(j0)
GPUOPT_MATH1(j1)
GPUOPT_MATH1(y0)
GPUOPT_MATH1(y1)
GPUOPT_MATH2(pow)
GPUOPT_MATH2(atan2)
GPUOPT_MATH2(fmod)
GPUOPT_MATH2(fmin)
GPUOPT_MATH2(fmax)
GPUOPT_MATH2(fdim)
GPUOPT_MATH2(hypot)
GPUOPT_MATH2(copysign)
GPUOPT_MATH2(remainder)
GPUOPT_MATH2(nextafter)
double pow(double, int);
float pow(float, int);
double pow(float, double);
double pow(double, float);
double pow(int, int);
double pow(int, double);
double sqrt(int);
double sqrt(unsigned);
double sqrt(long);
double log(int);
double exp(int);
double floor(int);
double ceil(int);
double fma(double, double, double);
float fmaf(float, float, float);
float fma(float, float, float);
void sincos(double, double*, double*);
void sincosf(float, float*, float*);
double ldexp(double, int);
float ldexpf(float, int);
double frexp(double, int*);
float frexpf(float, int*);
double modf(double, double*);
float modff(float, float*);
double scalbln(double, long);
float scalblnf(float, long);
double remquo(double, double, int*);
float remquof(float, float, int*);
double jn(int, double), yn(int, double);
float jnf(int, float), ynf(int, float);
long long llroundf(float), llrintf(float);
double scalbn(double, int);
float scalbnf(float, int);
int ilogb(double);
int ilogbf(float);
double nan(const char*);
float nanf(const char*);
int abs(int);
long abs(long);
long long abs(long long);
float abs(float);
double abs(double);
long labs(long);
long long llabs(long long);
long lround(double);
long lroundf(float);
long lrint(double);
long lrintf(float);
long long llround(double);
long long llrint(double);
template <class T> bool isnan(T);
template <class T> bool isinf(T);
template <class T> bool isfinite(T);
template <class T> bool signbit(T);

typedef struct _IO_FILE FILE;
extern FILE *stdout, *stderr, *stdin;

extern "C" {
int printf(const char*, ...);
int fprintf(FILE*, const char*, ...);
int sprintf(char*, const char*, ...);
int snprintf(char*, size_t, const char*, ...);
int scanf(const char*, ...);
int fscanf(FILE*, const char*, ...);
int sscanf(const char*, const char*, ...);
int puts(const char*);
int putchar(int);
int fputs(const char*, FILE*);
int fputc(int, FILE*);
int fflush(FILE*);
FILE* fopen(const char*, const char*);
int fclose(FILE*);
size_t fread(void*, size_t, size_t, FILE*);
size_t fwrite(const void*, size_t, size_t, FILE*);
char* fgets(char*, int, FILE*);
int feof(FILE*);
void* memcpy(void*, const void*, size_t);
void* memmove(void*, const void*, size_t);
void* memset(void*, int, size_t);
int memcmp(const void*, const void*, size_t);
size_t strlen(const char*);
int strcmp(const char*, const char*);
int strncmp(const char*, const char*, size_t);
int strcasecmp(const char*, const char*);
char* strcpy(char*, const char*);
char* strncpy(char*, const char*, size_t);
char* strcat(char*, const char*);
char* strdup(const char*);
char* strtok(char*, const char*);
long strtol(const char*, char**, int);
unsigned long strtoul(const char*, char**, int);
long long strtoll(const char*, char**, int);
unsigned long long strtoull(const char*, char**, int);
double strtod(const char*, char**);
void* malloc(size_t);
void* calloc(size_t, size_t);
void free(void*);
void exit(int);
void abort();
int atoi(const char*);
long atol(const char*);
void* realloc(void*, size_t);
char* getenv(const char*);
int setenv(const char*, const char*, int);
void qsort(void*, size_t, size_t, int (*)(const void*, const void*));
int system(const char*);
int isdigit(int);
int isspace(int);
int tolower(int);
int toupper(int);
double atof(const char*);
int rand();
void srand(unsigned);
}
long clock();
template <class... A> void assert(A&&...);

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ptrdiff_t;
typedef long ssize_t;
typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;
typedef long clock_t;
typedef long time_t;
struct timeval { long tv_sec, tv_usec; };
struct timespec { long tv_sec, tv_nsec; };
extern "C" {
time_t time(time_t*);
int gettimeofday(timeval*, void*);
int clock_gettime(int, timespec*);
}
#define CLOCKS_PER_SEC 1000000L
#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1

#define CHAR_BIT 8
#define CHAR_MAX 127
#define CHAR_MIN (-128)
#define SCHAR_MAX 127
#define UCHAR_MAX 255
#define SHRT_MAX 32767
#define SHRT_MIN (-32768)
#define USHRT_MAX 65535
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LONG_MAX 9223372036854775807L
#define LONG_MIN (-9223372036854775807L - 1)
#define ULONG_MAX 18446744073709551615ul
#define LLONG_MAX 9223372036854775807LL
#define ULLONG_MAX 18446744073709551615ull
#define INT8_MAX 127
#define INT16_MAX 32767
#define INT32_MAX 2147483647
#define INT32_MIN (-2147483647 - 1)
#define INT64_MAX 9223372036854775807L
#define UINT8_MAX 255
#define UINT16_MAX 65535
#define UINT32_MAX 4294967295u
#define UINT64_MAX 18446744073709551615ul
#define SIZE_MAX 18446744073709551615ul
#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.19209290e-7F
#define DBL_MAX 1.7976931348623157e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define HUGE_VAL (__builtin_huge_val())
#define HUGE_VALF (__builtin_huge_valf())
#define INFINITY (__builtin_inff())
#define NAN (__builtin_nanf(""))
#define M_E 2.7182818284590452354
#define M_LN2 0.69314718055994530942
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define NULL __null
#define RAND_MAX 2147483647
#define EXIT_FAILURE 1
#define EXIT_SUCCESS 0

#include "no_host_std.h"
