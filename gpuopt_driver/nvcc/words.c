/* Leaves out of a preprocessed source what nobody can name of the system's headers: its words. Before declared.c, derived.c and unused.c.
 *
 * Two thirds of what cudafe++, cicc and the host compiler read of a CUDA source are functions and classes of CUDA's, the C
 * library's and the C++ library's headers that it does not use. C++ finds these by their names alone, so a declaration at
 * namespace scope is needed only if its name stands somewhere in what is needed: it is all that the source's own files
 * hold, all that compilers look up by themselves, and whatever could be found without a name (operators, initialised
 * variables). What is left out leaves its line ends and line markers, so every other line keeps its place.
 * Only headers of the system are looked at (flag 3 of line markers, and CUDA's): compilers do not warn about these.
 */
#include <stdint.h>

enum unused_word { /* words with a meaning; what follows them in the table of identifiers is any other */
    W_NONE, W_ALIGNAS, W_ATTRIBUTE, W_ATTRIBUTE2, W_AUTO, W_CLASS, W_CONCEPT, W_CONSTEVAL, W_CONSTEXPR, W_DECLSPEC, W_DECLTYPE,
    W_ENUM, W_EXPLICIT, W_EXTERN, W_FORCEINLINE, W_FRIEND, W_INLINE, W_INLINE2, W_INLINE3, W_NAMESPACE, W_NOEXCEPT,
    W_OPERATOR, W_REQUIRES, W_STRUCT, W_TEMPLATE, W_TYPEDEF, W_TYPEOF, W_TYPEOF2, W_UNION, W_USING,
    W_CONST, W_VOLATILE, W_VIRTUAL, W_EXTENSION, W_PRETTY, W_LOCATION, W_HOST, W_DEVICE, W_GLOBAL,
    W_FIRST_KEPT, W_ALIAS = W_FIRST_KEPT, W_ALIAS2, W_ASM, W_ASM2, W_ASM3, W_BUILTIN, W_BUILTIN2, W_BUILTIN3, W_CONSTRUCTOR,
    W_CONSTRUCTOR2, W_DESTRUCTOR, W_DESTRUCTOR2, W_IFUNC, W_IFUNC2, W_INIT_PRIORITY, W_INIT_PRIORITY2, W_RETAIN, W_RETAIN2,
    W_SECTION, W_SECTION2, W_USED, W_USED2, W_WEAK, W_WEAK2, W_WEAKREF, W_WEAKREF2, W_LAST_KEPT = W_WEAKREF2,
    W_COUNT
};
static const char *const unused_words[W_COUNT] = {
    "", "alignas", "__attribute__", "__attribute", "auto", "class", "concept", "consteval", "constexpr", "__declspec", "decltype",
    "enum", "explicit", "extern", "__forceinline__", "friend", "inline", "__inline", "__inline__", "namespace", "noexcept",
    "operator", "requires", "struct", "template", "typedef", "__typeof", "__typeof__", "union", "using",
    "const", "volatile", "virtual", "__extension__", "__PRETTY_FUNCTION__",
    "__builtin_source_location", "host", "device", "global",
    "alias", "__alias__", "asm", "__asm", "__asm__", "device_builtin", "device_builtin_texture_type",
    "device_builtin_surface_type", "constructor",
    "__constructor__", "destructor", "__destructor__", "ifunc", "__ifunc__", "init_priority", "__init_priority__", "retain",
    "__retain__", "section", "__section__", "used", "__used__", "weak", "__weak__", "weakref", "__weakref__"};
/* What compilers look up although nobody writes it. */
static const char unused_implicit[] =
    "main initializer_list type_info begin end strong_ordering weak_ordering partial_ordering "
    "bad_alloc bad_cast bad_typeid bad_array_new_length align_val_t nothrow_t coroutine_traits coroutine_handle source_location "
    "destroying_delete_t byte exception terminate dim3 uint3 cudaStream_t cudaError_t exit atexit abort printf vprintf malloc free "
    "memcpy memset memmove memcmp __cudaPushCallConfiguration __cudaPopCallConfiguration cudaConfigureCall cudaSetupArgument "
    "cudaLaunch cudaLaunchKernel cudaGetParameterBuffer cudaGetParameterBufferV2 cudaLaunchDevice cudaLaunchDeviceV2 "
    "cudaCDP2LaunchDevice cudaCDP2GetParameterBuffer __cudaCDP2LaunchDeviceV2 __cudaCDP2GetParameterBufferV2 "
    "__cudaCDP2LaunchDevice __cudaCDP2GetParameterBuffer __assertfail __assert_fail";

static const char unused_of_bindings[] = "tuple_size tuple_element get"; /* ... where there are structured bindings */

struct unused_token {
    size_t at;
    uint32_t length, word; /* word: the number of an identifier or of a literal's suffix, 0 for others */
    char kind;             /* i identifier, n number, s string or character, # directive, : for ::, > for ->, or the character */
};
struct unused_item {
    size_t start, end;
    uint32_t uses, last_use; /* a range of the state's uses */
    uint32_t names;          /* how many of the state's names, from `name`, it is found by */
    uint32_t name;
    uint32_t conditions; /* how many of the state's conditions, from `condition`, it has */
    uint32_t condition;
    char kind; /* c class, a other names of types, f others; n needed, whoever names it; o operator; q f with conditions */
    char is_kept, is_named, is_spelled; /* is_spelled: a template in it asks for a function's full name */
    char is_virtual, is_unnamed; /* it has a class with virtual functions; a type without a name */
    char is_template;            /* or what is said of one, as a specialisation */
};
struct unused_found {
    uint32_t word, item, next; /* next: of the names that are the same word, from 1 */
};
struct unused_state {
    const char *text;
    size_t size, at;
    struct unused_token *tokens; /* of the item at hand */
    size_t count, room;
    uint32_t *head; /* indices of the tokens that make up its head */
    size_t heads, head_room;
    struct unused_item *items;
    size_t item_count, item_room;
    uint32_t *uses, *conditions; /* conditions: classes without which nobody has the arguments */
    size_t use_count, use_room, condition_count, condition_room;
    struct unused_found *names, *spoken; /* spoken: types that functions speak of as `struct name` */
    size_t name_count, name_room, spoken_count, spoken_room;
    struct unused_identifier {
        const char *text;
        uint32_t alias; /* the class that it is another name of, as in `typedef class<...> alias`; 1: of several */
        uint32_t length, first, stamp, own; /* first: of the names that are this word, from 1; stamp and own: of items */
        char is_used, is_namespace, has_arguments; /* has_arguments: of a template somewhere, as in `name<...>` */
        char is_own; /* it stands in the program's own files */
        char leads;  /* a template of that name may make a class with virtual functions */
    } *words;
    size_t word_count, word_room;
    uint32_t *table;
    size_t slots;
    const char *toolkit; /* how line markers of CUDA's headers begin, with the quote */
    size_t toolkit_length;
    uint32_t last_word; /* the last token, if that is an identifier */
    int binds; /* 2: there are structured bindings, 1: the last words may begin one */
    int has_failed;
};

/* Room for one more of an array's elements. */
static void *unused_grow(struct unused_state *state, void *array, size_t count, size_t *room, size_t each)
{
    if (count < *room)
        return array;
    *room = *room ? *room * 2 : 1024;
    void *larger = realloc(array, *room * each);
    if (!larger) {
        state->has_failed = 1;
        *room = count;
    }
    return larger ? larger : array;
}

/* The number of an identifier. */
static uint32_t unused_number(struct unused_state *state, const char *text, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    size_t slot = hash & (state->slots - 1);
    for (; state->table[slot]; slot = (slot + 1) & (state->slots - 1)) {
        const struct unused_identifier *word = &state->words[state->table[slot]];
        if (word->length == length && !memcmp(word->text, text, length))
            return state->table[slot];
    }
    state->words = unused_grow(state, state->words, state->word_count, &state->word_room, sizeof *state->words);
    if (state->has_failed || state->word_count * 2 >= state->slots) {
        state->has_failed = 1;
        return 0;
    }
    state->words[state->word_count] = (struct unused_identifier){.text = text, .length = (uint32_t)length};
    return state->table[slot] = (uint32_t)state->word_count++;
}

static int unused_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (unsigned char)c >= 128;
}

static int unused_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The end of a literal that a quote begins. */
static size_t unused_quoted(const char *text, size_t at)
{
    const char quote = text[at++];
    while (text[at] && text[at] != quote && text[at] != '\n')
        at += text[at] == '\\' && text[at + 1] ? 2 : 1;
    return text[at] == quote ? at + 1 : 0;
}

/* The end of a raw string whose quote this is. */
static size_t unused_raw(const char *text, size_t at)
{
    char end[20] = ")";
    const size_t letters = strcspn(text + at + 1, "(\n");
    if (letters > 16 || text[at + 1 + letters] != '(')
        return 0;
    memcpy(end + 1, text + at + 1, letters);
    memcpy(end + 1 + letters, "\"", 2);
    const char *found = strstr(text + at + 1 + letters, end);
    return found ? (size_t)(found - text) + letters + 2 : 0;
}

/* The end of what stands behind a literal that ends here, as in `"text"s`; its word has the quote before it. */
static size_t unused_suffix(struct unused_state *state, size_t end, struct unused_token *token)
{
    const size_t quote = end - 1;
    token->kind = 's';
    if (!end || !unused_is_letter(state->text[end]))
        return end;
    while (unused_is_letter(state->text[end]) || unused_is_digit(state->text[end]))
        end++;
    token->word = unused_number(state, state->text + quote, end - quote);
    return end;
}

/* The next token; 0 at the end. */
static int unused_next(struct unused_state *state, struct unused_token *token)
{
    const char *text = state->text;
    size_t at = state->at;
    while (text[at] == ' ' || (text[at] >= '\t' && text[at] <= '\r'))
        at++;
    const char c = text[at];
    size_t end = at + 1;
    token->at = at;
    token->word = 0;
    token->kind = c;
    if (at >= state->size)
        return 0;
    if (unused_is_letter(c)) {
        while (unused_is_letter(text[end]) || unused_is_digit(text[end]))
            end++;
        if ((text[end] == '"' || text[end] == '\'') && end - at <= 3 && strspn(text + at, "uUL8R") >= end - at) {
            end = text[end] == '"' && text[end - 1] == 'R' ? unused_raw(text, end) : unused_quoted(text, end);
            end = unused_suffix(state, end, token);
        } else {
            token->kind = 'i';
            token->word = unused_number(state, text + at, end - at);
        }
    } else if (unused_is_digit(c) || (c == '.' && unused_is_digit(text[end]))) {
        for (; unused_is_letter(text[end]) || unused_is_digit(text[end]) || text[end] == '.' || text[end] == '\'' ||
               ((text[end] == '+' || text[end] == '-') && strchr("eEpP", text[end - 1]));)
            end++;
        token->kind = 'n';
    } else if (c == '"' || c == '\'') {
        end = unused_suffix(state, unused_quoted(text, at), token);
    } else if (c == '#') {
        end = at + strcspn(text + at, "\n");
        size_t before = at;
        while (before && (text[before - 1] == ' ' || text[before - 1] == '\t'))
            before--;
        if (before && text[before - 1] != '\n')
            state->has_failed = 1; /* no directive */
    } else if (c == ':' && text[end] == ':')
        end++;
    else if (c == ':')
        token->kind = '.'; /* `:` is a scope here */
    else if (c == '-' && text[end] == '>') {
        end++;
        token->kind = 'a';
    }
    if (!end)
        state->has_failed = 1;
    token->length = (uint32_t)(end - at);
    state->at = end;
    return !state->has_failed;
}
