// What the runtime needs of the C library, under names of its own: no header is included, so that a list of dependencies
// names what it named, and nothing that the program declares is in the way. Pasted first.
extern "C" {
int gpuopt_io_open(const char *, int, ...) __asm__("open");
long gpuopt_io_read(int, void *, size_t) __asm__("read");
long gpuopt_io_read_at(int, void *, size_t, long) __asm__("pread");
long gpuopt_io_write(int, const void *, size_t) __asm__("write");
int gpuopt_io_close(int) __asm__("close");
int gpuopt_io_mkdir(const char *, unsigned) __asm__("mkdir");
int gpuopt_io_rename(const char *, const char *) __asm__("rename");
int gpuopt_io_unlink(const char *) __asm__("unlink");
int gpuopt_io_getpid() __asm__("getpid");
unsigned gpuopt_io_geteuid() __asm__("geteuid");
long gpuopt_io_time(long *) __asm__("time");
int gpuopt_io_print(char *, size_t, const char *, ...) __asm__("snprintf");
int gpuopt_io_statx(int, const char *, int, unsigned, void *) __asm__("statx") __attribute__((weak));
int gpuopt_io_clock(int, void *) __asm__("clock_gettime");
char *gpuopt_io_find(const char *, int) __asm__("strchr");
unsigned long gpuopt_io_whole(const char *, char **, int) __asm__("strtoul");
double gpuopt_io_real(const char *, char **) __asm__("strtod");
int gpuopt_io_compare(const char *, const char *) __asm__("strcmp");
size_t gpuopt_io_length(const char *) __asm__("strlen");
void *gpuopt_io_take(size_t) __asm__("malloc");
void gpuopt_io_free(void *) __asm__("free");
long gpuopt_io_system(long, ...) __asm__("syscall");
int *gpuopt_io_errno() __asm__("__errno_location");
int gpuopt_io_at_exit(void (*)()) __asm__("atexit");
}
