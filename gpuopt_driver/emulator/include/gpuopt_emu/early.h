// The return type of templates of ours that our own functions call. Where it is deduced, g++ makes the function of its template with
// the call, so for all sources that take the headers precompiled; else at the end of every source, called there or not.
#ifndef GPUOPT_EMU_EARLY_H
#define GPUOPT_EMU_EARLY_H

#if __cplusplus >= 201402L
#define GPUOPT_EMU_EARLY(...) auto
#else
#define GPUOPT_EMU_EARLY(...) __VA_ARGS__
#endif

#endif
