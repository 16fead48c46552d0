/* Looks at the PTX that ptxas and fatbinary read. Behind blake2b.c in the library whose other part is vfs.c.
 *
 * Files with versions of kernels are copied to files whose names begin with $GPUOPT_PTX_KEEP. And they may get another
 * text: $GPUOPT_PTX_MAP names a list; a line of it is about one kernel:
 *     <digest of its instructions> <name> <number of a global load>:<how it begins>><how it is to begin> ...
 *     <digest of its instructions> <name> -
 *     <digest of its instructions> <name> = <digest of other instructions> <path of these>
 * The first kind is for ptxas alone. A kernel whose instructions are others stays as it is. What was changed is added
 * to the file that $GPUOPT_PTX_LOG names. The second kind is a version that must not run: it gets an empty body, and one
 * thread per block, by which launches know it. The third kind is a version that nvcc must round otherwise. With both, other
 * instructions end the build. Where $GPUOPT_PTX_ASK names a socket, the list for a copied file comes from there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static char *ptx_map;
static const char *ptx_kept, *ptx_asks;
static int ptx_assembles;

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
    const char *map = getenv("GPUOPT_PTX_MAP"), *kept = getenv("GPUOPT_PTX_KEEP");
    size_t length;
    ptx_assembles = !strcmp(program_invocation_short_name, "ptxas");
    if (!ptx_assembles && strcmp(program_invocation_short_name, "fatbinary"))
        return;
    if (map && *map)
        ptx_map = ptx_read(map, &length);
    if (kept && *kept) {
        ptx_kept = kept;
        ptx_asks = getenv("GPUOPT_PTX_ASK");
    }
}

static void ptx_fail(const char *what, const char *name, size_t length)
{
    dprintf(2, "gpuopt: error: %.*s: %s\n", (int)length, name, what);
    _exit(1);
}

/* The list for a copy, from who waits for it: all that comes, up to a line with a dot. */
static void ptx_ask(const char *copy)
{
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    const size_t length = strlen(ptx_asks), words = strlen(copy);
    int asked = length < sizeof place.sun_path ? socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    size_t have = 0, room = 1 << 16;
    char *list = malloc(room + 1);
    memcpy(place.sun_path + 1, ptx_asks, length < sizeof place.sun_path ? length : 0); /* in the abstract namespace */
    if (asked < 0 || !list || connect(asked, (struct sockaddr *)&place, offsetof(struct sockaddr_un, sun_path) + 1 + length) ||
        send(asked, copy, words, MSG_NOSIGNAL) != (ssize_t)words || send(asked, "\n", 1, MSG_NOSIGNAL) != 1)
        ptx_fail("nobody says what may be used", copy, words);
    for (ssize_t got = 1; got > 0 && list; have += got > 0 ? (size_t)got : 0) {
        if (have == room)
            list = realloc(list, (room *= 2) + 1);
        got = list ? recv(asked, list + have, room - have, 0) : 0;
    }
    if (!list || have < 2 || memcmp(list + have - 2, ".\n", 2))
        ptx_fail("it must not be used", copy, words);
    close(asked);
    list[have - 2] = 0;
    ptx_map = list;
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
    const int is_whole = file >= 0 && close(file) == 0 && !size && rename(path, whole) == 0;
    if (!ptx_asks || !*ptx_asks)
        return;
    if (!is_whole)
        ptx_fail("cannot be written", whole, strlen(whole));
    ptx_ask(whole);
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

/* The first 64 bits of a digest. */
static unsigned long long ptx_first(struct blake2b *hash)
{
    char text[65];
    blake2b_end(hash, text);
    text[16] = 0;
    return strtoull(text, NULL, 16);
}

/* The digest of a body's lines, without the line table. */
static unsigned long long ptx_digest(const char *body, const char *end)
{
    struct blake2b hash;
    blake2b_begin(&hash);
    for (const char *line = body; line < end;) {
        const char *stop = ptx_line_end(line);
        if (!ptx_is_location(line, stop)) {
            blake2b_bytes(&hash, line, (size_t)(stop - line));
            blake2b_bytes(&hash, "\n", 1);
        }
        line = *stop ? stop + 1 : stop;
    }
    return ptx_first(&hash);
}

/* What the map says of a kernel with this name and digest: its list of loads, a dash, a sign and a path, or NULL. */
static const char *ptx_wanted(const char *name, size_t length, unsigned long long digest)
{
    int is_refused = 0;
    for (const char *row = ptx_map; *row;) {
        char *behind;
        unsigned long long known = strtoull(row, &behind, 16);
        if (*behind == ' ' && !strncmp(behind + 1, name, length) && behind[1 + length] == ' ') {
            const int is_whole = behind[2 + length] == '-' || behind[2 + length] == '=';
            if (known == digest && (is_whole || ptx_assembles))
                return behind + 1 + length;
            is_refused |= is_whole;
        }
        row = ptx_line_end(row);
        row += *row == '\n';
    }
    if (is_refused)
        ptx_fail("other instructions than those that were refused", name, length);
    return NULL;
}

/* The line with the brace that ends a body; inline assembly has braces of its own, also at a line's start. */
static const char *ptx_body_end(const char *body)
{
    int depth = 1;
    for (const char *line = body; *line;) {
        const char *stop = ptx_line_end(line);
        for (const char *at = line; at < stop && (at[0] != '/' || at[1] != '/'); at++)
            depth += (*at == '{') - (*at == '}');
        if (!depth)
            return line;
        line = *stop ? stop + 1 : stop;
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

/* The digest of other instructions. */
static unsigned long long ptx_digest_of(const char *data, size_t size)
{
    struct blake2b hash;
    blake2b_begin(&hash);
    blake2b_bytes(&hash, data, size);
    return ptx_first(&hash);
}

/* Write other instructions, from the file that a row names with its digest. */
static void ptx_replace(FILE *out, const char *row, const char *name, size_t length)
{
    char file[4096], *path;
    const unsigned long long known = strtoull(row, &path, 16);
    size_t letters = strcspn(path, "\n"), size;
    snprintf(file, sizeof file, "%.*s", (int)letters, path + (*path == ' '));
    file[letters ? letters - 1 : 0] = 0;
    char *text = letters < sizeof file ? ptx_read(file, &size) : NULL;
    if (!text || ptx_digest_of(text, size) != known)
        ptx_fail("its other instructions are not there any more", name, length);
    fwrite(text, 1, size, out);
    free(text);
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
            const char *body = stop + 1, *end = ptx_body_end(body);
            if (!end)
                break;
            const char *list = ptx_wanted(name, length, ptx_digest(body, end));
            if (list && list[1] == '-') {
                const char *head = memrchr(name, ')', (size_t)(line - name));
                if (!head)
                    ptx_fail("a kernel without parameters", name, length);
                fwrite(from, 1, (size_t)(head + 1 - from), out);
                fputs("\n.maxntid 1, 1, 1\n{\n\tret;\n", out);
                from = end;
                changed = 1;
            } else if (list && list[1] == '=') {
                fwrite(from, 1, (size_t)(body - from), out);
                ptx_replace(out, list + 3, name, length);
                from = end;
                changed = 1;
            } else if (list) {
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
    if ((!ptx_map && !ptx_kept) || length < 4 || length >= sizeof seen || strcmp(path + length - 4, ".ptx"))
        return path;
    if (!strcmp(seen, path))
        return *given ? given : path;
    int error = errno;
    size_t size;
    char *text = ptx_read(path, &size);
    if (ptx_kept)
        ptx_keep(text, size);
    int file = ptx_map && text && strlen(text) == size ? (int)syscall(SYS_memfd_create, "gpuopt.ptx", 0) : -1;
    int copy = file < 0 ? -1 : dup(file);
    FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
    *given = 0;
    if (out) {
        int changed = ptx_rewrite(out, text);
        if (fclose(out) == 0 && changed)
            snprintf(given, sizeof given, "/proc/self/fd/%d", file);
    }
    free(text);
    strcpy(seen, path);
    errno = error;
    return *given ? given : path;
}
