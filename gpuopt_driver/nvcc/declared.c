/* By which name a declaration of a preprocessed source is found. Between words.c and unused.c. */
static const struct unused_token *unused_of_head(const struct unused_state *state, size_t index)
{
    static const struct unused_token none;
    return index < state->heads ? &state->tokens[state->head[index]] : &none;
}

/* The index behind what an opening bracket of a token begins, within `count`. */
static size_t unused_behind(const struct unused_state *state, size_t index, char open, char close)
{
    int depth = 0, round = 0;
    for (; index < state->count; index++) {
        const char kind = state->tokens[index].kind;
        if (open == '<' && (kind == '(' || kind == '[' || kind == '{'))
            round++;
        else if (open == '<' && (kind == ')' || kind == ']' || kind == '}'))
            round--;
        else if (!round && kind == open)
            depth++;
        else if (!round && kind == close && --depth == 0)
            return index + 1;
    }
    return state->count;
}

static int unused_is_attribute(uint32_t word)
{
    return word == W_ATTRIBUTE || word == W_ATTRIBUTE2;
}

struct unused_shape {
    int is_template, is_specialisation, is_inline, is_marked; /* marked: for the host or the device by CUDA */
    int is_certain; /* nothing in it speaks against leaving it out */
};

/* Collect the tokens of a declaration that say what it declares: up to its body, without template heads and attributes. */
static struct unused_shape unused_head(struct unused_state *state)
{
    struct unused_shape shape = {.is_certain = 1};
    state->heads = 0;
    for (size_t i = 0; i < state->count;) {
        const struct unused_token *token = &state->tokens[i];
        const struct unused_token *following = i + 1 < state->count ? token + 1 : NULL;
        const uint32_t word = token->word;
        if (token->kind == '{' || token->kind == ';')
            break;
        if (token->kind == '#' || word == W_REQUIRES || word == W_FRIEND || (word >= W_FIRST_KEPT && word <= W_LAST_KEPT))
            shape.is_certain = 0;
        if (word == W_TEMPLATE && following && following->kind == '<') {
            const size_t behind = unused_behind(state, i + 1, '<', '>');
            if (behind == i + 3)
                shape.is_specialisation = 1;
            else
                shape.is_template = 1;
            i = behind;
            continue;
        }
        if (following && following->kind == '(' &&
            (unused_is_attribute(word) || word == W_DECLSPEC || word == W_ALIGNAS || word == W_NOEXCEPT ||
             word == W_EXPLICIT || word == W_DECLTYPE || word == W_TYPEOF || word == W_TYPEOF2)) {
            const size_t behind = unused_behind(state, i + 1, '(', ')');
            for (size_t inner = i + 1; inner < behind; inner++) {
                const uint32_t said = state->tokens[inner].word;
                if (said >= W_FIRST_KEPT && said <= W_LAST_KEPT &&
                    !(said >= W_BUILTIN && said <= W_BUILTIN3)) /* CUDA's own functions have that, too */
                    shape.is_certain = 0;
                shape.is_marked |= said == W_HOST || said == W_DEVICE;
                if (said == W_GLOBAL)
                    shape.is_certain = 0;
            }
            i = behind;
            continue;
        }
        if (token->kind == '[' && following && following->kind == '[') {
            const size_t behind = unused_behind(state, i, '[', ']');
            while (++i < behind)
                if (state->tokens[i].word >= W_FIRST_KEPT && state->tokens[i].word <= W_LAST_KEPT)
                    shape.is_certain = 0; /* as [[gnu::used]] */
            continue;
        }
        if (word == W_EXTENSION) {
            i++;
            continue;
        }
        shape.is_inline |= word == W_INLINE || word == W_INLINE2 || word == W_INLINE3 || word == W_FORCEINLINE ||
                           word == W_CONSTEXPR || word == W_CONSTEVAL;
        state->head = unused_grow(state, state->head, state->heads, &state->head_room, sizeof *state->head);
        if (state->has_failed)
            break;
        state->head[state->heads++] = (uint32_t)i++;
    }
    return shape;
}

/* Where a function's parameters begin in the head; 0 where it declares none. */
static size_t unused_parameters(const struct unused_state *state)
{
    int angle = 0;
    for (size_t i = 0; i < state->heads; i++) {
        const struct unused_token *token = unused_of_head(state, i);
        if (token->word == W_OPERATOR)
            return i + 1; /* whatever follows */
        if (token->kind == '<')
            angle++;
        else if (token->kind == '>')
            angle--;
        else if (token->kind == '=' && angle <= 0)
            return 0;
        else if (token->kind == '(' && angle <= 0)
            return i;
    }
    return 0;
}

/* Whether a piece of the head names a type first, or goes on with a name as `type name` does. */
static int unused_names_type(const struct unused_state *state, size_t from, size_t to)
{
    static const char *const basic[] = {"auto", "bool", "char", "char16_t", "char32_t", "char8_t", "const", "double", "float",
                                        "int", "long", "register", "short", "signed", "typename", "unsigned", "void",
                                        "volatile", "wchar_t", "__restrict", "__builtin_va_list", "__gnuc_va_list"};
    while (from < to && (unused_of_head(state, from)->kind == ':' || unused_of_head(state, from + 1)->kind == ':'))
        from++;
    const struct unused_token *named = unused_of_head(state, from), *next = unused_of_head(state, from + 1);
    if (named->kind != 'i' || (from + 1 < to && (next->kind == 'i' || next->kind == '<')))
        return named->kind == 'i';
    const struct unused_identifier *word = &state->words[named->word];
    for (size_t i = 0; i < sizeof basic / sizeof *basic; i++)
        if (word->length == strlen(basic[i]) && !memcmp(word->text, basic[i], word->length))
            return 1;
    for (uint32_t at = word->first; at; at = state->names[at - 1].next)
        if (state->items[state->names[at - 1].item].kind == 'c' || state->items[state->names[at - 1].item].kind == 'a')
            return 1;
    return 0;
}

/* Whether what the bracket at this index of the head begins may be no parameters, as in `static type name(3);`. */
static int unused_is_initialised(const struct unused_state *state, size_t index)
{
    int depth = 0, has_default = 0;
    size_t from = index + 1;
    for (size_t i = index; i < state->heads; i++) {
        const struct unused_token *token = unused_of_head(state, i);
        const char kind = token->kind;
        depth += (kind == '(' || kind == '<' || kind == '[') - (kind == ')' || kind == '>' || kind == ']');
        if ((kind == ',' && depth == 1) || !depth) {
            const int is_rest = unused_of_head(state, from)->kind == '.', is_empty = from == i;
            if (!is_rest && !is_empty && !unused_names_type(state, from, i))
                return 1;
            from = i + 1;
            has_default = 0;
        } else if (depth == 1 && !has_default && strchr("ns+-/%!?^|~a", kind))
            return 1;
        has_default |= kind == '=' && depth == 1;
        if (!depth)
            return 0;
    }
    return 0;
}

/* The head's index before what a closing angle at this index ends. */
static size_t unused_before(const struct unused_state *state, size_t index)
{
    int depth = 0;
    for (size_t i = index + 1; i-- > 0;) {
        depth += (unused_of_head(state, i)->kind == '>') - (unused_of_head(state, i)->kind == '<');
        if (!depth)
            return i ? i - 1 : 0;
    }
    return 0;
}

/* The name that is declared by what ends before this index of the head; the class's where it is a member. 0: none. */
static uint32_t unused_declared(const struct unused_state *state, size_t end)
{
    uint32_t name = 0;
    for (size_t at = end - 1;; at -= 2) {
        if (unused_of_head(state, at)->kind == '>' && at)
            at = unused_before(state, at);
        const struct unused_token *named = unused_of_head(state, at);
        if (named->kind != 'i')
            return 0;
        if (!name || !state->words[named->word].is_namespace)
            name = named->word;
        if (at && unused_of_head(state, at - 1)->kind == '~')
            at--;
        const int is_qualified = at && unused_of_head(state, at - 1)->kind == ':';
        if (!is_qualified)
            return at || end > at + 1 ? name : 0;
        if (at < 2 || (unused_of_head(state, at - 2)->kind != 'i' && unused_of_head(state, at - 2)->kind != '>'))
            return name == unused_of_head(state, end - 1)->word ? 0 : name; /* `::name` */
    }
}

static int unused_arrow(const struct unused_state *state)
{
    size_t i = 0;
    while (i < state->heads && unused_of_head(state, i)->kind != 'a')
        i++;
    return i < state->heads;
}

static int unused_is_class(uint32_t word)
{
    return word == W_CLASS || word == W_STRUCT || word == W_UNION;
}

/* Whether a declaration is one of the C library's own that a compiler may know: these stay. */
static int unused_is_library(const struct unused_state *state, uint32_t name, const struct unused_shape *shape, int is_c)
{
    return is_c && !shape->is_marked && state->words[name].text[0] != '_';
}

/* Whether a name stands in the template heads of the tokens at hand. */
static int unused_is_parameter(const struct unused_state *state, uint32_t word)
{
    for (size_t i = 0; i + 1 < state->count && state->tokens[i].kind != '('; i++)
        if (state->tokens[i].word == W_TEMPLATE && state->tokens[i + 1].kind == '<')
            for (const size_t behind = unused_behind(state, i + 1, '<', '>'); i < behind; i++)
                if (state->tokens[i].word == word)
                    return 1;
    return 0;
}

/* The index in the head of the name of a type, behind the names of namespaces. */
static size_t unused_type_name(const struct unused_state *state, size_t at)
{
    while (unused_of_head(state, at + 1)->kind == ':' && state->words[unused_of_head(state, at)->word].is_namespace)
        at += 2;
    return at;
}

static void unused_add_condition(struct unused_state *state, uint32_t word)
{
    state->conditions = unused_grow(state, state->conditions, state->condition_count, &state->condition_room, sizeof *state->conditions);
    if (!state->has_failed)
        state->conditions[state->condition_count++] = word;
}

/* `alias` is another name of a class whose name begins at this index of the head. */
static void unused_alias(struct unused_state *state, uint32_t alias, size_t at)
{
    at = unused_type_name(state, at);
    const uint32_t named = unused_of_head(state, at + 1)->kind == '<' ? unused_of_head(state, at)->word : 1;
    uint32_t *known = &state->words[alias].alias;
    *known = !*known || *known == named ? named : 1;
}

/* Note the class of a parameter like `const ns::name<T> &`, where T is deduced: without objects of it nobody calls this. */
static void unused_condition(struct unused_state *state, size_t from, size_t to, int is_specialisation)
{
    while (from < to && (unused_of_head(state, from)->word == W_CONST || unused_of_head(state, from)->word == W_VOLATILE ||
                         unused_of_head(state, from)->kind == ':' || unused_of_head(state, from + 1)->kind == ':'))
        from++;
    const struct unused_token *named = unused_of_head(state, from);
    const uint32_t alias = state->words[named->word].alias;
    if (is_specialisation && alias > 1 && unused_of_head(state, from + 1)->kind != '<' && unused_of_head(state, from + 1)->kind != ':')
        unused_add_condition(state, alias);
    if (from + 3 >= to || named->word < W_COUNT || unused_of_head(state, from + 1)->kind != '<')
        return;
    int depth = 0, is_deduced = is_specialisation; /* of a template whose parameter is deduced */
    for (size_t i = from + 1; i < to; i++) {
        const struct unused_token *token = unused_of_head(state, i);
        depth += (token->kind == '<') - (token->kind == '>');
        if (token->kind == ':' && depth == 0)
            return; /* a member of it */
        is_deduced |= depth && token->word >= W_COUNT && unused_is_parameter(state, token->word);
    }
    if (!is_deduced)
        return;
    unused_add_condition(state, named->word);
}

/* Note the conditions of a function template whose parameters begin at this index of the head or behind it. */
static void unused_conditions(struct unused_state *state, struct unused_item *item, size_t index, int is_specialisation)
{
    while (index < state->heads && unused_of_head(state, index)->kind != '(')
        index++;
    if (unused_of_head(state, index + 1)->kind == ')' && unused_of_head(state, index + 2)->kind == '(')
        index += 2; /* operator()(...) */
    int depth = 0;
    size_t from = index + 1;
    for (size_t i = index; i < state->heads; i++) {
        const char kind = unused_of_head(state, i)->kind;
        depth += (kind == '(' || kind == '<' || kind == '[') - (kind == ')' || kind == '>' || kind == ']');
        if ((kind == ',' && depth == 1) || !depth) {
            unused_condition(state, from, i, is_specialisation);
            from = i + 1;
        }
        if (!depth)
            break;
    }
    item->conditions = (uint32_t)state->condition_count - item->condition;
}

/* An item is found by a name. */
static void unused_found_by(struct unused_state *state, struct unused_item *item, uint32_t word)
{
    state->names = unused_grow(state, state->names, state->name_count, &state->name_room, sizeof *state->names);
    if (state->has_failed || word < W_COUNT)
        return;
    state->names[state->name_count++] = (struct unused_found){word, (uint32_t)(item - state->items), state->words[word].first};
    state->words[word].first = (uint32_t)state->name_count;
    item->names++;
}

/* Whether the pragmas in an item can go with it. */
static int unused_has_pragma(const struct unused_state *state)
{
    int depth = 0;
    for (size_t i = 0; i < state->count; i++) {
        const char *text = state->text + state->tokens[i].at;
        if (state->tokens[i].kind != '#')
            continue;
        if (strncmp(text, "#pragma GCC diagnostic ", 23))
            return 1;
        depth += !strncmp(text + 23, "push", 4) - !strncmp(text + 23, "pop", 3);
        if (depth < 0)
            return 1;
    }
    return depth;
}

/* The names of an enumeration's constants, and of what a typedef declares behind the braces. */
static void unused_in_braces(struct unused_state *state, struct unused_item *item, int is_enumeration)
{
    int depth = 0;
    for (size_t i = 0; i + 1 < state->count; i++) {
        const char kind = state->tokens[i].kind, next = state->tokens[i + 1].kind;
        depth += (kind == '{' || kind == '(') - (kind == '}' || kind == ')');
        if (kind == 'i' && depth == 1 && is_enumeration && (next == '=' || next == ',' || next == '}'))
            unused_found_by(state, item, state->tokens[i].word);
        if (kind == 'i' && depth == 0 && (next == ',' || next == ';' || unused_is_attribute(state->tokens[i + 1].word)))
            unused_found_by(state, item, state->tokens[i].word);
    }
}

/* A class, union or enumeration whose first word has this index in the head. `has_braces`: it is defined. */
static void unused_type(struct unused_state *state, struct unused_item *item, size_t at, int has_braces)
{
    const int is_enumeration = unused_of_head(state, at)->word == W_ENUM, is_typedef = at > 0;
    const int is_scoped = is_enumeration && unused_is_class(unused_of_head(state, at + 1)->word);
    const size_t name_at = unused_type_name(state, at + 1 + is_scoped);
    const struct unused_token *named = unused_of_head(state, name_at), *behind = unused_of_head(state, name_at + 1);
    size_t behind_braces = 0;
    while (has_braces && state->tokens[behind_braces].kind != '{')
        behind_braces++;
    behind_braces = has_braces ? unused_behind(state, behind_braces, '{', '}') : state->count - 1;
    for (size_t i = 0; !is_typedef && !is_enumeration && i < state->count; i++)
        if (state->tokens[i].word >= W_BUILTIN && state->tokens[i].word <= W_BUILTIN3)
            return; /* CUDA's types with a meaning of their own */
    if (!is_typedef && behind_braces != state->count - 1 && /* a variable, or an attribute */
        (!unused_is_attribute(state->tokens[behind_braces].word) ||
         unused_behind(state, behind_braces + 1, '(', ')') != state->count - 1))
        return;
    if (!is_typedef && !has_braces && state->heads != name_at + 1 &&
        (behind->kind != '<' || state->tokens[state->count - 2].kind != '>'))
        return;
    item->kind = is_enumeration || is_typedef ? 'a' : 'c';
    if (named->kind == 'i')
        unused_found_by(state, item, named->word);
    if (has_braces && (is_typedef || (is_enumeration && !is_scoped)))
        unused_in_braces(state, item, is_enumeration && !is_scoped);
}

/* A function, or an operator: `parameters` is where its parameters begin in the head. `is_c`: it stands in `extern "C"`. */
static void unused_function(struct unused_state *state, struct unused_item *item, const struct unused_shape *shape,
                            size_t parameters, int has_braces, int is_c)
{
    if (unused_of_head(state, parameters - 1)->word == W_OPERATOR) {
        item->kind = 'n';
        if (parameters > 2 && unused_of_head(state, parameters - 2)->kind == ':') {
            const uint32_t of = unused_declared(state, parameters - 2); /* a member of a class template */
            if (of >= W_COUNT && (shape->is_template || shape->is_inline)) {
                item->kind = 'f';
                unused_found_by(state, item, of);
            }
        } else if (unused_of_head(state, parameters)->kind == 's') {
            const struct unused_token *suffix = unused_of_head(state, parameters);
            int is_text = 0; /* a number's suffix is no word of its own here, but that of a string is */
            for (size_t i = parameters + 1; i < state->heads && unused_of_head(state, i)->kind != ')'; i++)
                is_text |= unused_of_head(state, i)->kind == ',';
            item->kind = is_text && (shape->is_inline || !has_braces) ? 'f' : 'n';
            unused_found_by(state, item, suffix->word);
        } else if (shape->is_template || shape->is_specialisation) {
            unused_conditions(state, item, parameters, shape->is_specialisation);
            item->kind = item->conditions ? 'o' : 'n';
        }
        return;
    }
    const uint32_t name = parameters == 1 && unused_arrow(state) ? unused_of_head(state, 0)->word /* a deduction guide */
                                                                 : unused_declared(state, parameters);
    if (name < W_COUNT)
        return;
    if (has_braces ? !shape->is_inline && !shape->is_template
                   : unused_is_library(state, name, shape, is_c || unused_of_head(state, 1)->kind == 's'))
        item->kind = 'n';
    if (!has_braces && !shape->is_template && unused_is_initialised(state, parameters))
        item->kind = 'n'; /* a variable, and what makes it may do something */
    unused_found_by(state, item, name);
    if (item->kind == 'f' && shape->is_template && name == unused_of_head(state, parameters - 1)->word) {
        unused_conditions(state, item, parameters, 0);
        item->kind = item->conditions ? 'q' : 'f';
    }
}

/* Note the types that the head speaks of as `struct name`: that may declare them. */
static void unused_spoken(struct unused_state *state, const struct unused_item *item)
{
    for (size_t i = 0; item->names && i + 1 < state->heads && !state->has_failed; i++) {
        const struct unused_token *named = unused_of_head(state, i + 1);
        if (named->kind != 'i' || !(unused_is_class(unused_of_head(state, i)->word) || unused_of_head(state, i)->word == W_ENUM))
            continue;
        state->spoken = unused_grow(state, state->spoken, state->spoken_count, &state->spoken_room, sizeof *state->spoken);
        if (!state->has_failed)
            state->spoken[state->spoken_count++] = (struct unused_found){named->word, (uint32_t)(item - state->items), 0};
    }
}

/* Who speaks of a type that nobody declares in another way is found by its name, too. */
static void unused_of_spoken(struct unused_state *state)
{
    for (size_t i = 0; i < state->spoken_count; i++) {
        int is_declared = 0;
        for (uint32_t at = state->words[state->spoken[i].word].first; at; at = state->names[at - 1].next)
            is_declared |= state->items[state->names[at - 1].item].kind == 'c' || state->items[state->names[at - 1].item].kind == 'a';
        if (!is_declared)
            unused_found_by(state, &state->items[state->spoken[i].item], state->spoken[i].word);
    }
}

/* Find out by which names an item of the system's headers is found; by none if it is needed in any case. */
static void unused_name(struct unused_state *state, struct unused_item *item, int is_c)
{
    const struct unused_token *last = &state->tokens[state->count - 1];
    const struct unused_shape shape = unused_head(state);
    const struct unused_token *first = unused_of_head(state, 0), *second = unused_of_head(state, 1);
    int has_braces = 0;
    if (state->heads < (first->word == W_ENUM ? 1 : 2) || !shape.is_certain || state->has_failed || unused_has_pragma(state))
        return;
    for (size_t i = 0; i < state->count; i++)
        has_braces |= state->tokens[i].kind == '{';
    if (first->word == W_USING) {
        for (size_t i = 1; i < state->heads && unused_of_head(state, i)->kind != '='; i++)
            if (unused_of_head(state, i)->kind == ',' || unused_of_head(state, i)->word == W_OPERATOR ||
                unused_of_head(state, i)->word == W_NAMESPACE)
                return;
        size_t of = 3; /* `using name = space::name<...>` is the class of that name */
        while (unused_of_head(state, of + 1)->kind == ':')
            of += 2;
        item->kind = unused_of_head(state, 2)->kind == '=' && unused_of_head(state, of)->word == second->word ? 'f' : 'a';
        if (unused_of_head(state, 2)->kind == '=' && !shape.is_template)
            unused_alias(state, second->word, 3);
        unused_found_by(state, item, (unused_of_head(state, 2)->kind == '=' ? second : unused_of_head(state, state->heads - 1))->word);
    } else if (first->word == W_TYPEDEF && has_braces && (unused_is_class(second->word) || second->word == W_ENUM)) {
        unused_type(state, item, 1, 1);
    } else if (first->word == W_TYPEDEF) {
        for (size_t i = 1; i < state->count - 1; i++)
            if (strchr("(){},[]", state->tokens[i].kind) && !(i < state->head[1]))
                return;
        item->kind = 'a';
        unused_alias(state, unused_of_head(state, state->heads - 1)->word, 1);
        unused_found_by(state, item, unused_of_head(state, state->heads - 1)->word);
    } else if ((unused_is_class(first->word) || first->word == W_ENUM) && last->kind == ';') {
        unused_type(state, item, 0, has_braces);
    } else if (first->word == W_EXTERN && second->word == W_TEMPLATE) {
        const size_t parameters = unused_parameters(state);
        const size_t named = unused_type_name(state, 3);
        if (unused_is_class(unused_of_head(state, 2)->word) && unused_of_head(state, named + 1)->kind == '<')
            unused_found_by(state, item, unused_of_head(state, named)->word);
        else if (parameters && unused_of_head(state, parameters - 1)->word == W_OPERATOR) {
            unused_conditions(state, item, parameters, 1);
            item->kind = item->conditions ? 'o' : 'n';
        } else if (parameters)
            unused_found_by(state, item, unused_declared(state, parameters));
    } else if (first->word != W_NAMESPACE && first->word != W_TEMPLATE && first->word != W_ENUM) {
        const size_t parameters = unused_parameters(state);
        size_t end = 1;
        while (end < state->heads && unused_of_head(state, end)->kind != '=')
            end++;
        if (parameters)
            unused_function(state, item, &shape, parameters, has_braces, is_c);
        else if (shape.is_template || first->word == W_CONCEPT) /* variable templates, members of class templates, concepts */
            unused_found_by(state, item, unused_declared(state, end));
    }
}

static int unused_is_function(struct unused_state *state)
{
    unused_head(state);
    const struct unused_token *first = unused_of_head(state, 0);
    if (unused_is_class(first->word) || first->word == W_ENUM)
        return unused_parameters(state) > 0 && unused_of_head(state, 1)->kind == 'i' && unused_of_head(state, 2)->kind != '.';
    return unused_parameters(state) > 0;
}
