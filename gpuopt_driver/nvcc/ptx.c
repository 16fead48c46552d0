/* Looks at the PTX that ptxas and fatbinary read. A part of the library whose other part is vfs.c.
 *
 * Files with versions of kernels are copied to files whose names begin with $GPUOPT_PTX_KEEP. And ptxas may get another text:
 * $GPUOPT_PTX_MAP names a list; a line of it is about one kernel:
 *     <digest of its instructions> <name> <number of a global load>:<how it begins>><how it is to begin> ...
 * A kernel whose instructions are others stays as it is. What was changed is added to the file that $GPUOPT_PTX_LOG
 * names. $GPUOPT_PTX_MENDED names a list of whole files: both programs get another one in the place of a text with a digest:
 *     <digest> <digest of the other text> <path of the other text>
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char *ptx_map, *ptx_mended;
static const char *ptx_kept;

static char *ptx_read(const char *path, size_t *length)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    size_t have = 0, room = 1 << 16;
    char *text = file < 0 ? NULL : malloc(room + 1);
    for (ssize_t got = 1; text && got > 0; have += got > 0 ? (size_t)got : 0) {
        if (have == room) {
            char *larger = realloc(text, (room *= 2) + 1);
            if (!larger)
                free(text);
            text = larger;
        }
        got = text ? read(file, text + have, room - have) : 0;
        if (got < 0) {
            free(text);
            text = NULL;
        }
    }
    if (file >= 0)
        close(file);
    if (text)
        text[*length = have] = 0;
    return text;
}

__attribute__((constructor)) static void ptx_load_map(void)
{
    const char *map = getenv("GPUOPT_PTX_MAP"), *kept = getenv("GPUOPT_PTX_KEEP"), *mended = getenv("GPUOPT_PTX_MENDED");
    const int assembles = !strcmp(program_invocation_short_name, "ptxas");
    const int reads = assembles || !strcmp(program_invocation_short_name, "fatbinary");
    size_t length;
    if (map && *map && assembles)
        ptx_map = ptx_read(map, &length);
    if (mended && *mended && reads)
        ptx_mended = ptx_read(mended, &length);
    if (kept && *kept && reads)
        ptx_kept = kept;
}

/* Copy a text in which there are versions of kernels; one that is not whole has another name. */
static void ptx_keep(const char *text, size_t size)
{
    static unsigned number;
    char path[4096], whole[4096];
    if (!text || !memmem(text, size, "__gpuopt_", 9))
        return;
    snprintf(whole, sizeof whole, "%s-%d-%u.ptx", ptx_kept, (int)getpid(), number++);
    if ((size_t)snprintf(path, sizeof path, "%s.part", whole) >= sizeof path)
        return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    for (ssize_t put; file >= 0 && size; text += put, size -= (size_t)put)
        if ((put = write(file, text, size)) <= 0)
            break;
    if (file >= 0 && close(file) == 0 && !size)
        rename(path, whole);
}

static const char *ptx_line_end(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end : line + strlen(line);
}

static int ptx_is_location(const char *line, const char *end)
{
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return end - line >= 4 && !strncmp(line, ".loc", 4);
}

/* FNV-1a of a body's lines, without the line table. */
static unsigned long long ptx_digest(const char *body, const char *end)
{
    unsigned long long value = 0xcbf29ce484222325ull;
    for (const char *line = body; line < end;) {
        const char *stop = ptx_line_end(line);
        if (!ptx_is_location(line, stop))
            for (const char *at = line; at <= stop; at++)
                value = (value ^ (unsigned char)(at < stop ? *at : '\n')) * 0x100000001b3ull;
        line = *stop ? stop + 1 : stop;
    }
    return value;
}

/* FNV-1a of a whole text. */
static unsigned long long ptx_whole(const char *text, size_t size)
{
    unsigned long long value = 0xcbf29ce484222325ull;
    for (size_t at = 0; at < size; at++)
        value = (value ^ (unsigned char)text[at]) * 0x100000001b3ull;
    return value;
}

/* The text that stands for another one, or NULL; one that is damaged is none. */
static char *ptx_other(const char *text, size_t size)
{
    if (!text || !ptx_mended || !memmem(text, size, "__gpuopt_", 9))
        return NULL;
    const unsigned long long own = ptx_whole(text, size);
    for (const char *row = ptx_mended; *row; row += *row == '\n') {
        char *behind, *last, path[4096];
        const char *end = ptx_line_end(row);
        unsigned long long known = strtoull(row, &behind, 16), whole = strtoull(behind, &last, 16);
        size_t length, named = end > last ? (size_t)(end - last) - 1 : 0;
        row = end;
        if (known != own || *behind != ' ' || *last != ' ' || !named || named >= sizeof path)
            continue;
        memcpy(path, last + 1, named);
        path[named] = 0;
        char *other = ptx_read(path, &length);
        if (other && ptx_whole(other, length) == whole)
            return other;
        free(other);
    }
    return NULL;
}

/* What the map says of a kernel with this name and digest: its list of loads, or NULL. */
static const char *ptx_wanted(const char *name, size_t length, unsigned long long digest)
{
    for (const char *row = ptx_map; *row;) {
        char *behind;
        unsigned long long known = strtoull(row, &behind, 16);
        if (known == digest && *behind == ' ' && !strncmp(behind + 1, name, length) && behind[1 + length] == ' ')
            return behind + 1 + length;
        row = ptx_line_end(row);
        row += *row == '\n';
    }
    return NULL;
}

static int ptx_loads(const char *line, const char *end)
{
    const char *found = memmem(line, (size_t)(end - line), "ld.global", 9);
    return found && !memmem(line, (size_t)(end - line), "st.global", 9);
}

/* Write a body with the changes of one list. */
static void ptx_change(FILE *out, const char *body, const char *end, const char *list)
{
    unsigned long number = 0;
    for (const char *line = body; line < end;) {
        const char *stop = ptx_line_end(line), *rest = line;
        if (!ptx_is_location(line, stop) && ptx_loads(line, stop)) {
            char *behind;
            if (*list == ' ' && strtoul(list + 1, &behind, 10) == number && *behind == ':') {
                const char *old = behind + 1, *middle = old + strcspn(old, "> \n");
                const char *new = middle + 1, *last = new + strcspn(new, " \n");
                const char *place = memmem(line, (size_t)(stop - line), old, (size_t)(middle - old));
                if (*middle == '>' && place) {
                    fwrite(line, 1, (size_t)(place - line), out);
                    fwrite(new, 1, (size_t)(last - new), out);
                    rest = place + (middle - old);
                }
                list = last;
            }
            number++;
        }
        fwrite(rest, 1, (size_t)(stop - rest), out);
        if (*stop)
            fputc('\n', out);
        line = *stop ? stop + 1 : stop;
    }
}

static void ptx_note(const char *name, size_t length)
{
    const char *log = getenv("GPUOPT_PTX_LOG");
    int file = log && *log ? (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0) {
        dprintf(file, "%.*s\n", (int)length, name);
        close(file);
    }
}

/* Copy a PTX file with all changes; whether there were any. */
static int ptx_rewrite(FILE *out, const char *text)
{
    int changed = 0;
    const char *name = NULL, *from = text;
    size_t length = 0;
    for (const char *line = text; *line;) {
        const char *stop = ptx_line_end(line);
        const char *entry = memmem(line, (size_t)(stop - line), ".entry ", 7);
        if (entry) {
            name = entry + 7;
            length = strcspn(name, " \t(\n");
        } else if (name && stop - line == 1 && *line == '{' && *stop) {
            const char *body = stop + 1, *end = strstr(stop, "\n}\n");
            if (!end)
                break;
            end++;
            const char *list = ptx_wanted(name, length, ptx_digest(body, end));
            if (list) {
                fwrite(from, 1, (size_t)(body - from), out);
                ptx_change(out, body, end, list);
                ptx_note(name, length);
                from = end;
                changed = 1;
            }
            name = NULL;
            stop = end - 1;
        }
        line = *stop ? stop + 1 : stop;
    }
    fputs(from, out);
    return changed;
}

/* The PTX file to read in the place of another one: one of ours in memory, or itself. */
static const char *ptx_changed(const char *path)
{
    static char seen[4096], given[64];
    size_t length = path ? strlen(path) : 0;
    if ((!ptx_map && !ptx_kept && !ptx_mended) || length < 4 || length >= sizeof seen || strcmp(path + length - 4, ".ptx"))
        return path;
    if (!strcmp(seen, path))
        return *given ? given : path;
    int error = errno;
    size_t size;
    char *text = ptx_read(path, &size), *other = ptx_other(text, size);
    const char *source = other ? other : text;
    int changes = other || (ptx_map && text && strlen(text) == size);
    int file = changes ? (int)syscall(SYS_memfd_create, "gpuopt.ptx", 0) : -1;
    int copy = file < 0 ? -1 : dup(file);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    *given = 0;
    if (out) {
        int changed = ptx_map ? ptx_rewrite(out, source) : fputs(source, out) >= 0;
        if (fclose(out) == 0 && (changed || other))
            snprintf(given, sizeof given, "/proc/self/fd/%d", file);
    }
    if (other && !*given)
        source = text;
    if (ptx_kept && source)
        ptx_keep(source, strlen(source));
    free(other);
    free(text);
    strcpy(seen, path);
    errno = error;
    return *given ? given : path;
}
