/* Writes a preprocessed source without what it does not use: words.c, declared.c, derived.c and unused.c stand before this text. */
int main(int argc, char **argv)
{
    size_t size, names, left = 0;
    char *text = ptx_read(argv[1], &size), *needed = argc > 2 ? ptx_read(argv[2], &names) : "";
    char *copy = text && needed ? unused_without(text, size, needed, &left) : NULL;
    if (!copy)
        return 1;
    return fwrite(copy, 1, left, stdout) != left;
}
