/* What else compilers make of types in a preprocessed source than to find them by their names. Between declared.c and unused.c. */
/* Whether a token is a colon; those of `...` have the same kind. */
static int unused_is_colon(const struct unused_state *state, const struct unused_token *token)
{
    return token->kind == '.' && state->text[token->at] == ':';
}

/* A base of a class in an item: a class, or another name of one. */
static void unused_base(struct unused_state *state, struct unused_item *item, uint32_t word)
{
    const uint32_t alias = state->words[word].alias > 1 && state->words[word].alias != word ? state->words[word].alias : 0;
    for (uint32_t at = state->words[word].first; at; at = state->names[at - 1].next)
        item->is_virtual |= state->items[state->names[at - 1].item].is_virtual;
    for (uint32_t at = state->words[alias].first; alias && at; at = state->names[at - 1].next)
        item->is_virtual |= state->items[state->names[at - 1].item].is_virtual;
    unused_found_by(state, item, word);
    unused_found_by(state, item, alias);
}

/* What has a class with virtual functions in it is found by the bases of that, too, unless it is a template: compilers
 * guess what a call by a base reaches, from all classes that they see. */
static void unused_derived(struct unused_state *state, struct unused_item *item)
{
    const struct unused_token *tokens = state->tokens;
    const uint32_t names = item->names;
    int is_class = 0, depth = 0; /* 2: these are the bases of one */
    for (size_t i = 0; i + 1 < state->count; i++) {
        const char kind = tokens[i].kind, next = tokens[i + 1].kind;
        item->is_virtual |= tokens[i].word == W_VIRTUAL;
        if (unused_is_class(tokens[i].word)) {
            is_class = 1;
            depth = 0;
        } else if (kind == '{' || kind == ';' || kind == '(' || kind == ')')
            is_class = 0;
        else if (is_class && (kind == '<' || kind == '>'))
            depth += kind == '<' ? 1 : -1;
        else if (is_class && !depth && unused_is_colon(state, &tokens[i]))
            is_class = 2;
        else if (is_class == 2 && !depth && tokens[i].word >= W_COUNT && (next == '<' || next == ',' || next == '{'))
            unused_base(state, item, tokens[i].word);
    }
    if (item->is_virtual && names && !(tokens->word == W_TEMPLATE && state->count > 2 && tokens[2].kind != '>'))
        return;
    for (; item->names > names; item->names--) {
        const struct unused_found *last = &state->names[--state->name_count];
        state->words[last->word].first = last->next;
    }
}

/* Whether an item at namespace scope has a class or an enumeration without any name, not that of a typedef either: GCC
 * counts these, and names functions by their numbers. */
static int unused_has_unnamed(const struct unused_state *state)
{
    for (size_t i = 0; i < state->count && state->tokens[i].kind != '{' && state->tokens[i].kind != '('; i++) {
        if (!unused_is_class(state->tokens[i].word) && state->tokens[i].word != W_ENUM)
            continue;
        size_t behind = i + 1;
        while (behind < state->count && unused_is_attribute(state->tokens[behind].word))
            behind = unused_behind(state, behind + 1, '(', ')');
        while (behind < state->count && state->tokens[behind].kind == '[')
            behind = unused_behind(state, behind, '[', ']');
        if (behind == state->count || (state->tokens[behind].kind != '{' && !unused_is_colon(state, &state->tokens[behind])))
            continue;
        while (behind < state->count && state->tokens[behind].kind != '{')
            behind++;
        behind = unused_behind(state, behind, '{', '}');
        return !(state->tokens->word == W_TYPEDEF && behind < state->count && state->tokens[behind].kind == 'i');
    }
    return 0;
}
