/* BLAKE2b with 256 bits (RFC 7693), for ptx.c and steps.c. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct blake2b {
    uint64_t h[8], bytes;
    unsigned char block[128];
    size_t filled;
};

static const uint64_t blake2b_iv[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                                     0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};
static const unsigned char blake2b_sigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint64_t blake2b_turned(uint64_t value, int by)
{
    return value >> by | value << (64 - by);
}

static void blake2b_mix(uint64_t *v, int a, int b, int c, int d, uint64_t x, uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = blake2b_turned(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = blake2b_turned(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = blake2b_turned(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = blake2b_turned(v[b] ^ v[c], 63);
}

static void blake2b_compress(struct blake2b *hash, int is_last)
{
    uint64_t m[16], v[16];
    for (int i = 0; i < 16; i++) {
        m[i] = 0;
        for (int byte = 7; byte >= 0; byte--)
            m[i] = m[i] << 8 | hash->block[8 * i + byte];
    }
    memcpy(v, hash->h, sizeof hash->h);
    memcpy(v + 8, blake2b_iv, sizeof blake2b_iv);
    v[12] ^= hash->bytes;
    v[14] ^= is_last ? ~UINT64_C(0) : 0;
    for (int round = 0; round < 12; round++) {
        const unsigned char *s = blake2b_sigma[round % 10];
        blake2b_mix(v, 0, 4, 8, 12, m[s[0]], m[s[1]]);
        blake2b_mix(v, 1, 5, 9, 13, m[s[2]], m[s[3]]);
        blake2b_mix(v, 2, 6, 10, 14, m[s[4]], m[s[5]]);
        blake2b_mix(v, 3, 7, 11, 15, m[s[6]], m[s[7]]);
        blake2b_mix(v, 0, 5, 10, 15, m[s[8]], m[s[9]]);
        blake2b_mix(v, 1, 6, 11, 12, m[s[10]], m[s[11]]);
        blake2b_mix(v, 2, 7, 8, 13, m[s[12]], m[s[13]]);
        blake2b_mix(v, 3, 4, 9, 14, m[s[14]], m[s[15]]);
    }
    for (int i = 0; i < 8; i++)
        hash->h[i] ^= v[i] ^ v[i + 8];
    hash->filled = 0;
}

static void blake2b_begin(struct blake2b *hash)
{
    memset(hash, 0, sizeof *hash);
    memcpy(hash->h, blake2b_iv, sizeof blake2b_iv);
    hash->h[0] ^= 0x01010020;
}

static void blake2b_bytes(struct blake2b *hash, const void *data, size_t size)
{
    for (const unsigned char *at = data; size;) {
        if (hash->filled == sizeof hash->block)
            blake2b_compress(hash, 0);
        size_t some = sizeof hash->block - hash->filled;
        some = some < size ? some : size;
        memcpy(hash->block + hash->filled, at, some);
        hash->filled += some;
        hash->bytes += some;
        at += some;
        size -= some;
    }
}

/* A part of what is digested; its length counts, too. */
static void blake2b_part(struct blake2b *hash, const void *data, size_t size)
{
    uint64_t length = size;
    blake2b_bytes(hash, &length, sizeof length);
    blake2b_bytes(hash, data, size);
}

static void blake2b_end(struct blake2b *hash, char *text)
{
    memset(hash->block + hash->filled, 0, sizeof hash->block - hash->filled);
    blake2b_compress(hash, 1);
    for (int i = 0; i < 32; i++)
        sprintf(text + 2 * i, "%02x", (unsigned)(hash->h[i / 8] >> 8 * (i % 8) & 255));
}
