/* What a preprocessed source needs of the system's headers, and the source without the rest. Behind ptx.c, words.c, declared.c and derived.c. */
/* Note an item: by which name it is found, and what it uses. */
static void unused_note(struct unused_state *state, int is_system, int is_c)
{
    static uint32_t stamp;
    state->items = unused_grow(state, state->items, state->item_count, &state->item_room, sizeof *state->items);
    if (state->has_failed)
        return;
    struct unused_item *item = &state->items[state->item_count++];
    *item = (struct unused_item){.start = state->tokens[0].at, .end = state->at, .uses = (uint32_t)state->use_count,
                                 .name = (uint32_t)state->name_count, .condition = (uint32_t)state->condition_count, .kind = 'f'};
    if (is_system) {
        unused_name(state, item, is_c);
        unused_spoken(state, item);
    }
    const uint32_t first = state->tokens[0].word, second = state->count > 1 ? state->tokens[1].word : 0;
    stamp++;
    for (uint32_t i = 0; i < item->names; i++)
        state->words[state->names[item->name + i].word].own = stamp;
    if (is_system)
        unused_derived(state, item);
    for (size_t i = 0; i < state->count && !state->has_failed; i++) {
        const uint32_t word = state->tokens[i].word;
        state->words[word].is_own |= !is_system;
        if (!word || state->words[word].stamp == stamp)
            continue;
        if (state->words[word].own == stamp) { /* what declares a name does not use it there */
            state->words[word].own = 0;
            continue;
        }
        state->words[word].stamp = stamp;
        state->uses = unused_grow(state, state->uses, state->use_count, &state->use_room, sizeof *state->uses);
        if (!state->has_failed)
            state->uses[state->use_count++] = word;
    }
    item->last_use = (uint32_t)state->use_count;
    item->is_spelled = state->words[W_LOCATION].stamp == stamp || /* of whoever asks for it */
                       (state->words[W_PRETTY].stamp == stamp &&
                        (state->words[W_TEMPLATE].stamp == stamp || state->words[W_AUTO].stamp == stamp));
    item->is_unnamed = unused_has_unnamed(state);
    item->is_template = first == W_TEMPLATE || second == W_TEMPLATE;
    if (item->is_unnamed && !is_system)
        state->has_failed = 1;
    state->count = 0;
}

/* What a directive says of the lines behind it: 1 the system's, 0 the program's, -2 neither, -1: it is no line marker. */
static int unused_marker(const struct unused_state *state, const char *line, size_t length)
{
    if (length < 3 || line[1] != ' ' || !unused_is_digit(line[2]))
        return -1;
    const char *first = memchr(line, '"', length), *last = memrchr(line, '"', length);
    if (!first)
        return -2; /* a number alone */
    for (const char *at = last + 1; at < line + length; at++)
        if (*at == '3' && at[-1] == ' ')
            return 1;
    return state->toolkit_length && (size_t)(last - first) > state->toolkit_length &&
           !memcmp(first, state->toolkit, state->toolkit_length);
}

/* The directory of CUDA's headers, of which preprocessors do not say that they are the system's. */
static void unused_find_toolkit(struct unused_state *state)
{
    const char *found = strstr(state->text, "/crt/host_config.h\""); /* a program may have a cuda_runtime.h of its own */
    const char *quote = found ? memrchr(state->text, '"', (size_t)(found - state->text)) : NULL;
    if (quote && quote[1] == '/' && !memchr(quote, '\n', (size_t)(found - quote))) {
        state->toolkit = quote;
        state->toolkit_length = (size_t)(found + 1 - quote);
    }
}

/* The names in a pragma are needed. Of functions for other devices GCC keeps its own form, with numbers of declarations. */
static void unused_pragma(struct unused_state *state, const struct unused_token *pragma)
{
    const size_t behind = state->at;
    struct unused_token named;
    state->at = pragma->at + 1;
    while (state->at < behind && unused_next(state, &named))
        if (named.word && named.at < behind)
            state->words[named.word].is_used = 1;
    state->at = behind;
    const char *text = state->text + pragma->at;
    state->has_failed |= memmem(text, behind - pragma->at, "omp", 3) && memmem(text, behind - pragma->at, "target", 6);
}

/* Whether the last words may begin a structured binding, or it has begun (2): `auto const &[`. */
static int unused_binds(const struct unused_state *state, const struct unused_token *token)
{
    if (state->binds == 2 || token->word == W_AUTO)
        return state->binds == 2 ? 2 : 1;
    if (state->binds && token->kind == '[')
        return 2;
    return state->binds && (token->kind == '&' || token->word == W_CONST || token->word == W_VOLATILE);
}

/* Whether a function goes on behind a brace: with other members that its constructor begins, or what it catches. */
static int unused_goes_on(const struct unused_state *state)
{
    const char *at = state->text + state->at;
    at += strspn(at, " \t\n");
    return *at == ',' || *at == '{' || (!strncmp(at, "catch", 5) && !unused_is_letter(at[5]) && !unused_is_digit(at[5]));
}

/* Part the text into declarations at namespace scope. */
static void unused_split(struct unused_state *state)
{
    char scopes[256];
    size_t depth_of_scopes = 0;
    int round = 0, braces = 0, is_system = 0, is_item_system = 1, is_next_kept = 0;
    struct unused_token token;
    while (unused_next(state, &token)) {
        state->binds = unused_binds(state, &token);
        if (token.kind == '<')
            state->words[state->last_word].has_arguments = 1;
        state->last_word = token.kind == 'i' ? token.word : 0;
        if (token.kind == '#') {
            const int says = unused_marker(state, state->text + token.at, token.length);
            if (says >= 0)
                is_system = says;
            if (says != -1)
                continue;
            unused_pragma(state, &token);
            if (!state->count) {
                is_next_kept |= !!strncmp(state->text + token.at, "#pragma GCC ", 12); /* it may be about the next declaration */
                continue;
            }
        } else if (!state->count) {
            is_item_system = is_system && !is_next_kept;
            is_next_kept = 0;
            if (token.kind == '}') {
                if (!depth_of_scopes--)
                    state->has_failed = 1;
                continue;
            }
            if (token.kind == ';')
                continue;
            if (token.kind == '{' || (token.kind != 'i' && token.kind != ':' && token.kind != '[' && token.kind != '~'))
                state->has_failed = 1; /* no declaration begins like that */
        }
        is_item_system &= is_system;
        state->tokens = unused_grow(state, state->tokens, state->count, &state->room, sizeof *state->tokens);
        if (state->has_failed)
            return;
        state->tokens[state->count++] = token;
        if (token.kind == '(' || token.kind == '[')
            round++;
        else if (token.kind == ')' || token.kind == ']')
            round--;
        else if (token.kind == '{' && !braces && !round) {
            const struct unused_token *first = state->tokens;
            const int is_c = first->word == W_EXTERN && state->count == 3 && first[1].kind == 's';
            if (is_c || first->word == W_NAMESPACE || (state->count > 1 && first->word == W_INLINE && first[1].word == W_NAMESPACE)) {
                if (depth_of_scopes == sizeof scopes)
                    state->has_failed = 1;
                else
                    scopes[depth_of_scopes] = is_c && first[1].length == 3; /* "C" */
                for (size_t i = 0; !is_c && i < state->count; i++)
                    if (first[i].word >= W_COUNT)
                        state->words[first[i].word].is_namespace = 1;
                depth_of_scopes++;
                state->count = 0;
                continue;
            }
            braces++;
        } else if (token.kind == '{')
            braces++;
        else if (token.kind == '}' && --braces == 0 && !round && unused_is_function(state) && !unused_goes_on(state))
            unused_note(state, is_item_system, depth_of_scopes && scopes[depth_of_scopes - 1]);
        else if (token.kind == ';' && !braces && !round)
            unused_note(state, is_item_system, depth_of_scopes && scopes[depth_of_scopes - 1]);
        if (round < 0 || braces < 0)
            state->has_failed = 1;
    }
    if (state->count || depth_of_scopes || round || braces)
        state->has_failed = 1;
}

/* An item is needed, and so is all that it uses. */
static void unused_keep(struct unused_state *state, struct unused_item *item, uint32_t *pending, size_t *waiting)
{
    if (item->is_kept)
        return;
    item->is_kept = 1;
    for (uint32_t i = 0; item->is_virtual && i < item->names; i++) { /* what is derived from it must be found */
        const uint32_t word = state->names[item->name + i].word;
        if (!state->words[word].is_used)
            pending[(*waiting)++] = word;
        state->words[word].is_used = 1;
    }
    for (uint32_t use = item->uses; use < item->last_use; use++) {
        struct unused_identifier *word = &state->words[state->uses[use]];
        if (!word->is_used)
            pending[(*waiting)++] = state->uses[use];
        word->is_used = 1;
    }
}

/* Whether there may be objects of all classes that a function's parameters are of. */
static int unused_has_arguments(const struct unused_state *state, const struct unused_item *item)
{
    for (uint32_t i = 0; i < item->conditions; i++) {
        const struct unused_identifier *word = &state->words[state->conditions[item->condition + i]];
        int is_class = 0, is_other = 0;
        for (uint32_t at = word->first; at; at = state->names[at - 1].next) {
            is_class |= state->items[state->names[at - 1].item].kind == 'c';
            is_other |= state->items[state->names[at - 1].item].kind == 'a';
        }
        if (!word->is_used && is_class && !is_other)
            return 0;
    }
    return 1;
}

/* Whether a function template may wait until there are arguments for it: others of its name are there without them. */
static int unused_may_wait(const struct unused_state *state, const struct unused_found *name)
{
    const struct unused_identifier *word = &state->words[name->word];
    if (state->items[name->item].kind != 'q' || word->has_arguments) /* given arguments are not deduced */
        return 0;
    for (uint32_t at = word->first; at; at = state->names[at - 1].next)
        if (state->items[state->names[at - 1].item].kind == 'f')
            return 1;
    return 0;
}

/* Whether an item uses a name of which a template may make a class with virtual functions. */
static int unused_leads(const struct unused_state *state, const struct unused_item *item)
{
    for (uint32_t use = item->uses; use < item->last_use; use++)
        if (state->words[state->uses[use]].leads)
            return 1;
    return 0;
}

/* Note the names of the templates that may make classes which are derived from one that is needed. */
static void unused_find_leads(struct unused_state *state)
{
    int is_more = 1;
    for (size_t i = 0; i < state->item_count; i++) {
        const struct unused_item *item = &state->items[i];
        for (uint32_t use = item->uses; item->is_virtual && item->is_template && use < item->last_use; use++)
            for (uint32_t at = state->words[state->uses[use]].first; at; at = state->names[at - 1].next)
                if (state->items[state->names[at - 1].item].is_virtual && state->items[state->names[at - 1].item].is_kept)
                    for (uint32_t name = 0; name < item->names; name++)
                        state->words[state->names[item->name + name].word].leads = 1;
    }
    while (is_more) {
        is_more = 0;
        for (size_t i = 0; i < state->item_count; i++) {
            const struct unused_item *item = &state->items[i];
            if (!item->is_template || !unused_leads(state, item))
                continue;
            for (uint32_t name = 0; name < item->names; name++) {
                char *leads = &state->words[state->names[item->name + name].word].leads;
                is_more |= !*leads;
                *leads = 1;
            }
        }
    }
}

/* Keep what is needed by the names that wait. */
static void unused_spread(struct unused_state *state, uint32_t *pending, size_t *waiting)
{
    while (*waiting) {
        const uint32_t word = pending[--*waiting];
        for (uint32_t i = state->words[word].first; i; i = state->names[i - 1].next) {
            const struct unused_found *name = &state->names[i - 1];
            if (unused_may_wait(state, name))
                state->items[name->item].is_named = 1;
            else
                unused_keep(state, &state->items[name->item], pending, waiting);
        }
        for (size_t i = 0; !*waiting && i < state->item_count; i++)
            if ((state->items[i].kind == 'o' || state->items[i].is_named) && unused_has_arguments(state, &state->items[i]))
                unused_keep(state, &state->items[i], pending, waiting);
    }
}

/* Mark what is needed: `pending` has room for all identifiers. */
static void unused_follow(struct unused_state *state, uint32_t *pending)
{
    size_t waiting = 0;
    for (size_t i = 0; i < state->word_count; i++)
        if (state->words[i].is_used)
            pending[waiting++] = (uint32_t)i;
    for (size_t i = 0; i < state->item_count; i++)
        if (state->items[i].kind == 'n' || (state->items[i].kind != 'o' && !state->items[i].names))
            unused_keep(state, &state->items[i], pending, &waiting);
    for (int is_more = 1; is_more;) {
        unused_spread(state, pending, &waiting);
        unused_find_leads(state);
        is_more = 0;
        for (size_t i = 0; i < state->item_count; i++) {
            struct unused_item *item = &state->items[i];
            if (item->is_kept || item->is_template || !unused_leads(state, item))
                continue;
            is_more = item->is_virtual = 1; /* as if it were derived from what is needed itself */
            unused_keep(state, item, pending, &waiting);
        }
    }
}

/* Copy the text without what is not needed, but with its line ends and line markers. */
static size_t unused_copy(const struct unused_state *state, char *copy)
{
    size_t from = 0, size = 0;
    for (size_t i = 0; i < state->item_count; i++) {
        const struct unused_item *item = &state->items[i];
        if (item->is_kept)
            continue;
        memcpy(copy + size, state->text + from, item->start - from);
        size += item->start - from;
        for (const char *at = state->text + item->start, *end = state->text + item->end; (at = memchr(at, '\n', (size_t)(end - at)));) {
            copy[size++] = *at++;
            if (*at == '#') {
                const size_t length = strcspn(at, "\n");
                memcpy(copy + size, at, length);
                size += length;
                at += length;
            }
        }
        from = item->end;
    }
    memcpy(copy + size, state->text + from, state->size - from);
    return size + state->size - from;
}

/* Every identifier of a text is needed. */
static void unused_need(struct unused_state *state, const char *text)
{
    struct unused_token token;
    struct unused_state reading = *state;
    reading.text = text;
    reading.size = strlen(text);
    reading.at = 0;
    while (unused_next(&reading, &token))
        if (token.word)
            reading.words[token.word].is_used = 1;
    state->words = reading.words;
    state->word_count = reading.word_count;
    state->word_room = reading.word_room;
    state->has_failed |= reading.has_failed;
}

/* A source without what it does not use, and its size; NULL where that is not certain. `needed`: a text of names. */
static char *unused_without(const char *text, size_t size, const char *needed, size_t *left)
{
    struct unused_state state = {.text = text, .size = size, .slots = 1 << 12};
    while (state.slots < size / 4)
        state.slots *= 2;
    state.table = calloc(state.slots, sizeof *state.table);
    char *copy = NULL;
    uint32_t *pending = NULL;
    state.has_failed = !state.table || strlen(text) != size;
    if (!state.has_failed) {
        unused_number(&state, "", 0); /* no identifier has the number 0 */
        for (int i = 1; i < W_COUNT; i++)
            unused_number(&state, unused_words[i], strlen(unused_words[i]));
        unused_need(&state, unused_implicit);
        unused_need(&state, needed);
        unused_find_toolkit(&state);
        unused_split(&state);
        if (state.binds == 2)
            unused_need(&state, unused_of_bindings);
        unused_of_spoken(&state);
        pending = malloc(state.word_count * sizeof *pending);
        copy = malloc(size + 1);
    }
    if (!state.has_failed && pending && copy) {
        unused_follow(&state, pending);
        copy[*left = unused_copy(&state, copy)] = 0;
    }
    for (size_t i = 0; i < state.item_count; i++)
        for (uint32_t name = 0; state.items[i].is_unnamed && name < state.items[i].names; name++)
            state.has_failed |= state.words[state.names[state.items[i].name + name].word].is_own;
    /* Compilers spell `vector<T>` in a function's name as it was spelled first, maybe in what was left out. */
    for (size_t i = 0; i < state.item_count; i++)
        state.has_failed |= state.items[i].is_kept && state.items[i].is_spelled;
    if (state.has_failed) {
        free(copy);
        copy = NULL;
    }
    free(pending);
    free(state.table);
    free(state.words);
    free(state.uses);
    free(state.conditions);
    free(state.names);
    free(state.spoken);
    free(state.items);
    free(state.head);
    free(state.tokens);
    return copy;
}

static char unused_source[4096], unused_given[64];

/* The file to read in the place of a source: without what it does not use, or itself. */
static const char *unused_instead(const char *path)
{
    return *unused_given && path && !strcmp(path, unused_source) ? unused_given : path;
}

/* Give the program its source without what it does not use, if that is much shorter. */
static void unused_begin(const char *path, const char *needed)
{
    size_t size = 0, left = 0;
    char *text = strlen(path) < sizeof unused_source ? ptx_read(path, &size) : NULL;
    char *copy = text ? unused_without(text, size, needed, &left) : NULL;
    const int is_shorter = copy && left < size / 10 * 8; /* else it is not worth it */
    const int file = is_shorter ? (int)syscall(SYS_memfd_create, "gpuopt.ii", 1 /* MFD_CLOEXEC */) : -1;
    size_t put = 0;
    for (ssize_t now = 1; file >= 0 && put < left && now > 0; put += now > 0 ? (size_t)now : 0)
        now = write(file, copy + put, left - put);
    if (file >= 0 && put == left) {
        strcpy(unused_source, path);
        snprintf(unused_given, sizeof unused_given, "/proc/self/fd/%d", file);
    }
    free(copy);
    free(text);
}
