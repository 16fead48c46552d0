/* Keeps what cudafe++, cicc and ptxas make, and gives it again where they are started with the same. Stands behind ptx.c, vfs.c and blake2b.c.
 *
 * $GPUOPT_KEPT_STEPS names a directory. An entry's name is a digest of all that a step depends on: the program, its
 * working directory and arguments, the variables that it may look up, the bytes of its inputs and, where line tables are
 * made, sizes and times of the files that these name. An entry is made of a step that has succeeded and whose options are
 * all known here; what it said is said again. It has a digest of itself, and is written under another name and renamed.
 * nvcc's temporary files have other names each time (tmpxft_PID_NUMBER), which entries have zeros for.
 */
#define STEPS_FORM "gpuopt step 1\n"
#define STEPS_PREFIX "tmpxft_"
#define STEPS_PREFIX_LENGTH 24 /* tmpxft_0000765e_00000000 */
#define STEPS_OUTPUTS 4
#define STEPS_LARGEST (32u << 20) /* bytes of an entry */
#define STEPS_LARGEST_OF_HOST (4u << 20) /* of cudafe++, which takes less time for each of them */

extern char **environ;

/* The options that are known to change nothing but what is made; a bar ends what must be a whole word. */
static const char *const steps_plain[] = {
    "--c++", "--static-host-stub|", "--device-hidden-visibility|", "--gnu_version=", "--display_error_number|",
    "--allow_managed|", "--device-c|", "--extended-lambda|", "--relaxed_constexpr|", "--promote_warnings|", "-w|", "-m64|",
    "--no-version-ident|", "-ftz=", "-prec_div=", "-prec_sqrt=", "-fmad=", "-fast-math|", "--gen_div_approx_ftz|",
    "-kernel-params-are-restrict|", "-generate-line-info|", "--generate-line-info|", "-tused|", "--compile-only|",
    "--warning-as-error|", "-arch=", "-maxrregcount=", "-dlcm=", "-dscm=", "-O0|", "-O1|", "-O2|", "-O3|", "--m64|",
    "--parse_templates|", "--gen_module_id_file|", "--simt-only|", "--host-stub-linkage-explicit|",
    "-extra-device-vectorization|", "--diag_suppress=", "-warn-spills|"};
/* Those whose next word is a name, and what it is of: w just a word, i an input, o an output. */
static const struct {
    const char *program, *option;
    char kind;
} steps_valued[] = {{"", "--orig_src_file_name", 'w'},         {"", "--orig_src_path_name", 'w'},
                    {"", "-arch", 'w'},                        {"", "--include_file_name", 'w'},
                    {"", "-maxreg", 'w'},                      {"", "--diag_suppress", 'w'},
                    {"cudafe++", "--stub_file_name", 'w'},     {"cudafe++", "--gen_c_file_name", 'o'},
                    {"cudafe++", "--module_id_file_name", 'o'}, {"cicc", "--module_id_file_name", 'i'},
                    {"cicc", "--gen_c_file_name", 'o'},        {"cicc", "--stub_file_name", 'o'},
                    {"cicc", "--gen_device_file_name", 'o'},   {"cicc", "-o", 'o'},
                    {"ptxas", "-o", 'o'},                      {"ptxas", "--fmad", 'w'}};
/* What the names of variables begin with that the programs may look up. */
static const char *const steps_variables[] = {"NV", "CICC", "PTXAS", "LLVM", "EDG", "OCG", "CUDA", "LANG", "LC_", "TZ="};

#define STEPS_COUNT(list) (sizeof(list) / sizeof *(list))

static char steps_key[65], steps_stamp[STEPS_PREFIX_LENGTH + 1];
static const char *steps_made[STEPS_OUTPUTS];
static size_t steps_makes;
static off_t steps_said[2]; /* how long standard output and error are when the program begins */
static int steps_is_one_file;
static pid_t steps_process;
static const char *steps_source; /* the file that the program reads */
static char **steps_words_given;

static int steps_is_plain(const char *word)
{
    for (size_t i = 0; i < STEPS_COUNT(steps_plain); i++) {
        const size_t length = strcspn(steps_plain[i], "|");
        if (!strncmp(word, steps_plain[i], length) && (!steps_plain[i][length] || !word[length]))
            return 1;
    }
    return 0;
}

/* What the word behind an option is, 0 where none belongs to it. */
static char steps_kind(const char *option)
{
    for (size_t i = 0; i < STEPS_COUNT(steps_valued); i++)
        if (!strcmp(option, steps_valued[i].option) &&
            (!*steps_valued[i].program || !strcmp(program_invocation_short_name, steps_valued[i].program)))
            return steps_valued[i].kind;
    return 0;
}

/* The part of a name that nvcc makes anew for each run, or NULL. */
static char *steps_stamp_in(const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), STEPS_PREFIX, 7)); at++) {
        int number = 7;
        while (at + number < end && number < STEPS_PREFIX_LENGTH &&
               (number == 15 ? at[number] == '_' : at[number] && strchr("0123456789abcdef", at[number])))
            number++;
        if (number == STEPS_PREFIX_LENGTH)
            return (char *)at;
    }
    return NULL;
}

/* Give every name of one run that of another. */
static void steps_rename(char *text, size_t size, const char *from, const char *to)
{
    for (char *at = text; (at = memmem(at, (size_t)(text + size - at), from, STEPS_PREFIX_LENGTH)); at += STEPS_PREFIX_LENGTH)
        memcpy(at, to, STEPS_PREFIX_LENGTH);
}

static void steps_zeros(char *stamp)
{
    memcpy(stamp, "tmpxft_00000000_00000000", STEPS_PREFIX_LENGTH + 1);
}

/* A word with zeros in the place of what changes with each run. */
static int steps_word(struct blake2b *hash, const char *word)
{
    char text[8192], zeros[STEPS_PREFIX_LENGTH + 1];
    const size_t size = strlen(word);
    if (size >= sizeof text)
        return 0;
    memcpy(text, word, size + 1);
    const char *stamp = steps_stamp_in(text, size);
    if (stamp && !*steps_stamp)
        memcpy(steps_stamp, stamp, STEPS_PREFIX_LENGTH);
    steps_zeros(zeros);
    if (*steps_stamp)
        steps_rename(text, size, steps_stamp, zeros);
    blake2b_part(hash, text, size);
    return 1;
}

static void steps_status(struct blake2b *hash, const struct statx *status, int is_same_file)
{
    const long long of[] = {(long long)status->stx_size, status->stx_mtime.tv_sec, status->stx_mtime.tv_nsec,
                            is_same_file ? (long long)status->stx_ino : 0, is_same_file ? status->stx_dev_minor : 0};
    blake2b_part(hash, of, sizeof of);
}

/* FNV-1a: where a path stands in a table. */
static unsigned long long steps_fnv(const char *data, size_t size)
{
    unsigned long long value = 0xcbf29ce484222325ull;
    for (size_t at = 0; at < size; at++)
        value = (value ^ (unsigned char)data[at]) * 0x100000001b3ull;
    return value;
}

/* Sizes and times of the files that lines like `# 12 "file"` and `.file 1 "file"` name. */
static int steps_mentioned(struct blake2b *hash, const char *text)
{
    static unsigned long long seen[4096];
    for (const char *line = text; *line;) {
        const char *stop = ptx_line_end(line), *at = line + strspn(line, " \t");
        if (!strncmp(at, "# ", 2) || !strncmp(at, "#line ", 6) || !strncmp(at, ".file", 5)) {
            const char *first = memchr(at, '"', (size_t)(stop - at));
            const char *last = first ? memchr(first + 1, '"', (size_t)(stop - first - 1)) : NULL;
            char path[PATH_MAX];
            const size_t length = last ? (size_t)(last - first - 1) : 0;
            if (length >= sizeof path)
                return 0;
            const unsigned long long value = length ? steps_fnv(first + 1, length) : 0;
            size_t slot = value % STEPS_COUNT(seen), tries = 0;
            while (length && seen[slot] && seen[slot] != value && tries++ < STEPS_COUNT(seen))
                slot = (slot + 1) % STEPS_COUNT(seen);
            if (tries > STEPS_COUNT(seen))
                return 0;
            if (length && seen[slot] != value) {
                struct statx status;
                seen[slot] = value;
                memcpy(path, first + 1, length);
                path[length] = 0;
                if (look(AT_FDCWD, patched(AT_FDCWD, path, 0), 0, &status) == 0)
                    steps_status(hash, &status, 0);
                blake2b_part(hash, path, length);
            }
        }
        line = *stop ? stop + 1 : stop;
    }
    return 1;
}

/* The bytes of an input, as the program will see them. */
static int steps_content(struct blake2b *hash, const char *path, int has_lines)
{
    size_t size = 0;
    char *text = ptx_read(ptx_changed(path), &size);
    const int is_done = text && (!has_lines || (strlen(text) == size && steps_mentioned(hash, text)));
    if (is_done)
        blake2b_part(hash, text, size);
    free(text);
    return is_done;
}

static int steps_digest(struct blake2b *hash, int argc, char **argv)
{
    char where[PATH_MAX], library[PATH_MAX];
    struct statx status;
    int inputs = 0, has_lines = 0;
    if (look(AT_FDCWD, "/proc/self/exe", 0, &status) || !getcwd(where, sizeof where))
        return 0;
    blake2b_part(hash, STEPS_FORM, sizeof STEPS_FORM);
    blake2b_part(hash, program_invocation_short_name, strlen(program_invocation_short_name));
    steps_status(hash, &status, 1);
    blake2b_part(hash, where, strlen(where));
    blake2b_part(hash, steps_is_one_file ? "1" : "2", 1);
    uint64_t variables = 0;
    for (char **one = environ; *one; one++)
        for (size_t i = 0; i < STEPS_COUNT(steps_variables); i++)
            if (!strncmp(*one, steps_variables[i], strlen(steps_variables[i]))) {
                struct blake2b own; /* in whatever order they are */
                blake2b_begin(&own);
                blake2b_part(&own, *one, strlen(*one));
                blake2b_compress(&own, 1);
                variables += own.h[0];
                break;
            }
    blake2b_part(hash, &variables, sizeof variables);
    const char *root = getenv("NVVMIR_LIBRARY_DIR");
    if (root && (size_t)snprintf(library, sizeof library, "%s/libdevice.10.bc", root) < sizeof library &&
        look(AT_FDCWD, library, 0, &status) == 0)
        steps_status(hash, &status, 1);
    for (int i = 1; i < argc; i++)
        has_lines |= !!strstr(argv[i], "line-info");
    for (int i = 1; i < argc; i++) {
        char kind = *argv[i] == '-' ? steps_kind(argv[i]) : 'i';
        if (!steps_word(hash, argv[i]) || (!kind && !steps_is_plain(argv[i])))
            return 0;
        if (*argv[i] != '-') {
            steps_source = argv[i];
            inputs++;
        }
        if (kind && *argv[i] == '-' && (++i == argc || !steps_word(hash, argv[i])))
            return 0;
        if (kind == 'i' && !steps_content(hash, argv[i], has_lines))
            return 0;
        if (kind == 'o') {
            if (steps_makes == STEPS_OUTPUTS)
                return 0;
            steps_made[steps_makes++] = argv[i];
        }
    }
    return inputs == 1 && steps_makes;
}

static int steps_path(char *path, size_t size, const char *before)
{
    const char *root = getenv("GPUOPT_KEPT_STEPS");
    return (size_t)snprintf(path, size, "%s/%.2s/%s%s", root, steps_key, before, steps_key + 2) < size;
}

static int steps_write(const char *path, int flags, mode_t mode, const char *data, size_t size)
{
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, mode);
    for (ssize_t put; file >= 0 && size; data += put, size -= (size_t)put)
        if ((put = write(file, data, size)) <= 0)
            break;
    return file >= 0 && close(file) == 0 && !size;
}

/* The digest of an entry's body and of its name. */
static void steps_seal(const char *body, size_t size, char *text)
{
    struct blake2b hash;
    blake2b_begin(&hash);
    blake2b_part(&hash, steps_key, 64);
    blake2b_part(&hash, body, size);
    blake2b_end(&hash, text);
}

/* Write what an entry has in the place of running the program; back where there is none, or something went wrong. */
static void steps_give(void)
{
    char path[PATH_MAX], seal[65], zeros[STEPS_PREFIX_LENGTH + 1];
    struct statx status;
    size_t size, head = sizeof STEPS_FORM - 1 + 64;
    if (!steps_path(path, sizeof path, "") || look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &status) ||
        !S_ISREG(status.stx_mode) || status.stx_mode & 022)
        return;
    char *entry = ptx_read(path, &size);
    if (!entry || size < head || memcmp(entry, STEPS_FORM, sizeof STEPS_FORM - 1))
        return;
    steps_seal(entry + head, size - head, seal);
    if (memcmp(entry + sizeof STEPS_FORM - 1, seal, 64))
        return;
    char *at = entry + head, *end = entry + size, *said[2] = {NULL, NULL};
    size_t letters[2] = {0, 0};
    steps_zeros(zeros);
    for (size_t i = 0; i < 2 + steps_makes; i++) {
        char *line = memchr(at, '\n', (size_t)(end - at));
        if (!line)
            return;
        const size_t length = strtoull(at, NULL, 10);
        if (length > (size_t)(end - line - 1))
            return;
        if (*steps_stamp)
            steps_rename(line + 1, length, zeros, steps_stamp);
        if (i < 2) {
            said[i] = line + 1;
            letters[i] = length;
        } else if (*at != '-' && !steps_write(steps_made[i - 2], O_TRUNC, 0666, line + 1, length))
            return;
        at = line + 1 + length;
    }
    for (int i = 0; i < 2; i++)
        for (ssize_t put; letters[i]; said[i] += put, letters[i] -= (size_t)put)
            if ((put = write(i + 1, said[i], letters[i])) <= 0)
                _exit(1);
    utimensat(AT_FDCWD, path, NULL, 0); /* noted as used now */
    _exit(0);
}

/* A part of an entry: its length (a dash where there is none) and its bytes; false if it cannot be kept. */
static int steps_add(FILE *out, char *text, size_t length)
{
    char zeros[STEPS_PREFIX_LENGTH + 1];
    steps_zeros(zeros);
    const int is_kept = !text || !*steps_stamp || !memmem(text, length, zeros, STEPS_PREFIX_LENGTH);
    if (text && *steps_stamp && is_kept)
        steps_rename(text, length, steps_stamp, zeros);
    fprintf(out, text ? "%zu\n" : "-\n", length);
    if (text)
        fwrite(text, 1, length, out);
    free(text);
    return is_kept;
}

/* What the program has said, 1 on standard output, 2 on standard error; NULL if it cannot be read. */
static char *steps_words(int file, size_t *length)
{
    const off_t end = lseek(file, 0, SEEK_CUR);
    *length = end > steps_said[file - 1] && !(file == 2 && steps_is_one_file) ? (size_t)(end - steps_said[file - 1]) : 0;
    char *text = end >= steps_said[file - 1] ? malloc(*length + 1) : NULL;
    if (text && *length && pread(file, text, *length, steps_said[file - 1]) != (ssize_t)*length) {
        free(text);
        text = NULL;
    }
    return text;
}

/* Run once more, with the whole source: what is said of errors must be what is said of that. */
static void steps_again(void)
{
    for (int file = 1; file <= 2; file++)
        if (ftruncate(file, steps_said[file - 1]) || lseek(file, steps_said[file - 1], SEEK_SET) < 0)
            return;
    unsetenv("GPUOPT_NEEDED");
    setenv("GPUOPT_KEPT_AS", steps_key, 1); /* so that the next time finds it at once */
    execv("/proc/self/exe", steps_words_given);
}

/* The names that a source needs for what nvcc adds to it; NULL where all of it is to be read.
 *
 * $GPUOPT_NEEDED_BY names the one program for which that holds: GCC's order of functions follows what it has read before.
 */
static char *steps_needed(int argc, char **argv)
{
    const char *path = getenv("GPUOPT_NEEDED"), *only = getenv("GPUOPT_NEEDED_BY");
    size_t size;
    if (only && *only && strcmp(only, program_invocation_short_name))
        return NULL;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--extended-lambda")) /* cudafe++ writes wrappers of types with names of its own */
            return NULL;
    return path && *path && !ptx_assembles ? ptx_read(path, &size) : NULL;
}

/* Keep what a program has made, in the end. */
static void steps_keep(int status, void *unused)
{
    char path[PATH_MAX], whole[PATH_MAX], seal[65], *body = NULL, *slash;
    size_t size = 0, length = 0;
    (void)unused;
    if (*unused_given && getpid() == steps_process && !fflush(NULL) && status)
        steps_again();
    if (status || getpid() != steps_process || fflush(NULL))
        return;
    FILE *out = open_memstream(&body, &size);
    for (int file = 1; out && file <= 2; file++) {
        char *text = steps_words(file, &length);
        if (!text || !steps_add(out, text, length))
            return;
    }
    for (size_t i = 0; out && i < steps_makes; i++) {
        char *text = ptx_read(steps_made[i], &length);
        if (!steps_add(out, text, text ? length : 0))
            return;
    }
    char name[64];
    snprintf(name, sizeof name, ".new-%d-", (int)getpid());
    const size_t largest = strcmp(program_invocation_short_name, "cudafe++") ? STEPS_LARGEST : STEPS_LARGEST_OF_HOST;
    if (!out || fclose(out) || size > largest || !steps_path(path, sizeof path, name) || !steps_path(whole, sizeof whole, ""))
        return;
    steps_seal(body, size, seal);
    char *entry = malloc(sizeof STEPS_FORM - 1 + 64 + size);
    if (!entry)
        return;
    memcpy(entry, STEPS_FORM, sizeof STEPS_FORM - 1);
    memcpy(entry + sizeof STEPS_FORM - 1, seal, 64);
    memcpy(entry + sizeof STEPS_FORM - 1 + 64, body, size);
    slash = strrchr(path, '/');
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
    if (!steps_write(path, O_EXCL, 0600, entry, sizeof STEPS_FORM - 1 + 64 + size) || rename(path, whole))
        unlink(path);
}

/* Runs behind the constructors of ptx.c and vfs.c. */
__attribute__((constructor)) static void steps_start(int argc, char **argv)
{
    const char *root = getenv("GPUOPT_KEPT_STEPS");
    struct blake2b hash;
    struct statx status[2];
    const char *const program = program_invocation_short_name;
    if (!root || *root != '/' || (strcmp(program, "cudafe++") && strcmp(program, "cicc") && !ptx_assembles))
        return;
    for (int i = 0; i < 2; i++) {
        steps_said[i] = lseek(i + 1, 0, SEEK_CUR);
        if (steps_said[i] < 0 || look(i + 1, "", AT_EMPTY_PATH, &status[i]) || !S_ISREG(status[i].stx_mode))
            return; /* nobody could tell what it says */
    }
    steps_is_one_file = status[0].stx_ino == status[1].stx_ino && status[0].stx_dev_major == status[1].stx_dev_major &&
                        status[0].stx_dev_minor == status[1].stx_dev_minor;
    blake2b_begin(&hash);
    if (!steps_digest(&hash, argc, argv))
        return;
    char *needed = steps_needed(argc, argv);
    if (needed)
        blake2b_part(&hash, needed, strlen(needed));
    blake2b_end(&hash, steps_key);
    const char *as = getenv("GPUOPT_KEPT_AS");
    if (as && strlen(as) == 64 && strspn(as, "0123456789abcdef") == 64)
        memcpy(steps_key, as, 64);
    unsetenv("GPUOPT_KEPT_AS");
    steps_give();
    steps_process = getpid();
    steps_words_given = argv;
    if (needed)
        unused_begin(steps_source, needed);
    free(needed);
    on_exit(steps_keep, NULL);
}
