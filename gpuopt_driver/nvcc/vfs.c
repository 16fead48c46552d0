/* Shows preprocessors the patched copies of files, under the names of the originals.
 *
 * Loaded by LD_PRELOAD into everything that nvcc starts; acts only in compilers, only on read-only opens and on
 * stats of the files in the map that $GPUOPT_VFS_MAP names. A line of the map:
 *     <device> <inode> <size> <seconds> <nanoseconds> <patched copy> TAB <real path of the original>
 * An original that no longer has that size and time was changed after it was analysed: the process ends with an error.
 * What ptxas, cudafe++ and cicc read may be changed as well: ptx.c and unused.c stand before this text.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct entry {
    unsigned long long device, inode, size;
    long long seconds;
    unsigned nanoseconds;
    const char *patched, *original, *name; /* name: last component of original */
};

static struct entry *entries;
static size_t count;

/* The fortified headers turn some of the functions below into inline calls of each other: go to the kernel. */
static int look(int directory, const char *path, int flags, struct statx *status)
{
    return (int)syscall(SYS_statx, directory, path, flags, STATX_BASIC_STATS, status);
}

/* Preprocessors read the files; the device compiler's parts write their sizes and times into line information. */
static int is_reader(const char *name)
{
    static const char *const prefixes[] = {"cc1", "clang", "cpp",    "icx",  "icpx",  "nvc++",
                                           "nvc", "pgc",   "cudafe", "cicc", "ptxas", "nvlink"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return strncmp(name, "nvcc", 4) != 0;
    return 0;
}

static void fail(const char *what, const char *path)
{
    dprintf(2, "gpuopt: error: %s: %s\n", path, what);
    _exit(1);
}

static char *slurp(const char *path)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    struct statx status;
    if (file < 0 || look(file, "", AT_EMPTY_PATH, &status))
        fail("cannot read the map of patched files", path);
    char *text = malloc(status.stx_size + 1);
    size_t have = 0;
    while (text && have < status.stx_size) {
        ssize_t got = read(file, text + have, status.stx_size - have);
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    close(file);
    if (!text || have != status.stx_size)
        fail("cannot read the map of patched files", path);
    text[have] = 0;
    return text;
}

__attribute__((constructor)) static void load_map(void)
{
    const char *map = getenv("GPUOPT_VFS_MAP");
    if (!map || !*map || !is_reader(program_invocation_short_name))
        return;
    char *text = slurp(map);
    size_t lines = 0;
    for (char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    entries = calloc(lines + 1, sizeof *entries);
    if (!entries)
        fail("out of memory", map);
    size_t read = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
        struct entry *entry = &entries[read];
        int start = 0;
        *end = 0;
        char *tab = strchr(line, '\t');
        if (!tab || sscanf(line, "%llu %llu %llu %lld %u %n", &entry->device, &entry->inode, &entry->size,
                           &entry->seconds, &entry->nanoseconds, &start) != 5)
            fail("damaged map of patched files", map);
        *tab = 0;
        entry->patched = line + start;
        entry->original = tab + 1;
        const char *slash = strrchr(entry->original, '/');
        entry->name = slash ? slash + 1 : entry->original;
        read++;
    }
    count = read;
}

static const char *checked(const struct entry *entry, const struct statx *status)
{
    if (status->stx_size != entry->size || status->stx_mtime.tv_sec != entry->seconds ||
        status->stx_mtime.tv_nsec != entry->nanoseconds)
        fail("changed while it was being compiled; start the build again", entry->original);
    return entry->patched;
}

/* The patched copy of a path, or the path itself. Found by device and inode (any spelling, any link), and by real path
 * for a file that was replaced by another one since. */
static const char *patched(int directory, const char *path, int flags)
{
    const char *ptx = unused_instead(ptx_changed(path));
    if (ptx != path || !count || !path || !*path)
        return ptx;
    int error = errno;
    struct statx status;
    const char *found = path;
    if (look(directory, path, flags & AT_SYMLINK_NOFOLLOW, &status) == 0 && S_ISREG(status.stx_mode)) {
        unsigned long long device = makedev(status.stx_dev_major, status.stx_dev_minor);
        const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
        for (size_t i = 0; i < count && found == path; i++) {
            char real[PATH_MAX];
            if (entries[i].inode == status.stx_ino && entries[i].device == device)
                found = checked(&entries[i], &status);
            else if (!strcmp(entries[i].name, name) && (directory == AT_FDCWD || *path == '/') &&
                     realpath(path, real) && !strcmp(real, entries[i].original))
                found = checked(&entries[i], &status);
        }
    }
    errno = error;
    return found;
}

static int reads_only(int flags)
{
    return (flags & O_ACCMODE) == O_RDONLY && !(flags & (O_CREAT | O_TRUNC | O_PATH));
}

#define NEXT(type, name)                                                                                               \
    static type next;                                                                                                  \
    if (!next)                                                                                                         \
        next = (type)dlsym(RTLD_NEXT, name);                                                                           \
    if (!next) {                                                                                                       \
        errno = ENOSYS;                                                                                                \
        return -1;                                                                                                     \
    }

typedef int (*open_function)(const char *, int, ...);
typedef int (*openat_function)(int, const char *, int, ...);
typedef int (*stat_function)(const char *, void *);
typedef int (*fstatat_function)(int, const char *, void *, int);
typedef int (*statx_function)(int, const char *, int, unsigned, void *);
typedef int (*xstat_function)(int, const char *, void *);
typedef int (*fxstatat_function)(int, int, const char *, void *, int);
typedef FILE *(*fopen_function)(const char *, const char *);

#define MODE(flags, last)                                                                                              \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                             \
        va_list arguments;                                                                                             \
        va_start(arguments, last);                                                                                     \
        mode = va_arg(arguments, mode_t);                                                                              \
        va_end(arguments);                                                                                             \
    }

/* The definitions carry other names in C and get the library's names from the assembler, so that no declaration or
 * inline of the system's headers stands in the way. */
#define NAMED(name) __asm__(name) EXPORT

#define OPEN(id, name)                                                                                                 \
    int id(const char *path, int flags, ...) NAMED(name);                                                              \
    int id(const char *path, int flags, ...)                                                                           \
    {                                                                                                                  \
        MODE(flags, flags)                                                                                             \
        NEXT(open_function, name)                                                                                      \
        return next(reads_only(flags) ? patched(AT_FDCWD, path, 0) : path, flags, mode);                               \
    }
#define OPEN_2(id, name)                                                                                               \
    int id(const char *path, int flags) NAMED(name);                                                                   \
    int id(const char *path, int flags)                                                                                \
    {                                                                                                                  \
        NEXT(open_function, name)                                                                                      \
        return next(reads_only(flags) ? patched(AT_FDCWD, path, 0) : path, flags);                                     \
    }
#define OPENAT(id, name)                                                                                               \
    int id(int directory, const char *path, int flags, ...) NAMED(name);                                               \
    int id(int directory, const char *path, int flags, ...)                                                            \
    {                                                                                                                  \
        MODE(flags, flags)                                                                                             \
        NEXT(openat_function, name)                                                                                    \
        return next(directory, reads_only(flags) ? patched(directory, path, 0) : path, flags, mode);                   \
    }
#define OPENAT_2(id, name)                                                                                             \
    int id(int directory, const char *path, int flags) NAMED(name);                                                    \
    int id(int directory, const char *path, int flags)                                                                 \
    {                                                                                                                  \
        NEXT(openat_function, name)                                                                                    \
        return next(directory, reads_only(flags) ? patched(directory, path, 0) : path, flags);                         \
    }
#define FOPEN(id, name)                                                                                                \
    FILE *id(const char *path, const char *mode) NAMED(name);                                                          \
    FILE *id(const char *path, const char *mode)                                                                       \
    {                                                                                                                  \
        static fopen_function next;                                                                                    \
        if (!next)                                                                                                     \
            next = (fopen_function)dlsym(RTLD_NEXT, name);                                                             \
        return next(*mode == 'r' && !strchr(mode, '+') ? patched(AT_FDCWD, path, 0) : path, mode);                     \
    }
#define STAT(id, name, follow)                                                                                         \
    int id(const char *path, void *status) NAMED(name);                                                                \
    int id(const char *path, void *status)                                                                             \
    {                                                                                                                  \
        NEXT(stat_function, name)                                                                                      \
        return next(patched(AT_FDCWD, path, follow), status);                                                          \
    }
#define FSTATAT(id, name)                                                                                              \
    int id(int directory, const char *path, void *status, int flags) NAMED(name);                                      \
    int id(int directory, const char *path, void *status, int flags)                                                   \
    {                                                                                                                  \
        NEXT(fstatat_function, name)                                                                                   \
        return next(directory, patched(directory, path, flags), status, flags);                                        \
    }
#define XSTAT(id, name, follow)                                                                                        \
    int id(int version, const char *path, void *status) NAMED(name);                                                   \
    int id(int version, const char *path, void *status)                                                                \
    {                                                                                                                  \
        NEXT(xstat_function, name)                                                                                     \
        return next(version, patched(AT_FDCWD, path, follow), status);                                                 \
    }
#define FXSTATAT(id, name)                                                                                             \
    int id(int version, int directory, const char *path, void *status, int flags) NAMED(name);                         \
    int id(int version, int directory, const char *path, void *status, int flags)                                      \
    {                                                                                                                  \
        NEXT(fxstatat_function, name)                                                                                  \
        return next(version, directory, patched(directory, path, flags), status, flags);                               \
    }

OPEN(vfs_open, "open")
OPEN(vfs_open64, "open64")
OPEN_2(vfs_open_2, "__open_2")
OPEN_2(vfs_open64_2, "__open64_2")
OPENAT(vfs_openat, "openat")
OPENAT(vfs_openat64, "openat64")
OPENAT_2(vfs_openat_2, "__openat_2")
OPENAT_2(vfs_openat64_2, "__openat64_2")
FOPEN(vfs_fopen, "fopen")
FOPEN(vfs_fopen64, "fopen64")
STAT(vfs_stat, "stat", 0)
STAT(vfs_stat64, "stat64", 0)
STAT(vfs_lstat, "lstat", AT_SYMLINK_NOFOLLOW)
STAT(vfs_lstat64, "lstat64", AT_SYMLINK_NOFOLLOW)
FSTATAT(vfs_fstatat, "fstatat")
FSTATAT(vfs_fstatat64, "fstatat64")
XSTAT(vfs_xstat, "__xstat", 0)
XSTAT(vfs_xstat64, "__xstat64", 0)
XSTAT(vfs_lxstat, "__lxstat", AT_SYMLINK_NOFOLLOW)
XSTAT(vfs_lxstat64, "__lxstat64", AT_SYMLINK_NOFOLLOW)
FXSTATAT(vfs_fxstatat, "__fxstatat")
FXSTATAT(vfs_fxstatat64, "__fxstatat64")

int vfs_statx(int directory, const char *path, int flags, unsigned mask, void *status) NAMED("statx");
int vfs_statx(int directory, const char *path, int flags, unsigned mask, void *status)
{
    NEXT(statx_function, "statx")
    return next(directory, patched(directory, path, flags), flags, mask, status);
}
