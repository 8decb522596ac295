/*
 * The backends of a program that links the static loader. Such a program carries all of them,
 * unless it defines sxt_backends itself: then the linker leaves out the code of the others, if it
 * drops sections that nobody uses (--gc-sections of GNU ld and lld, -dead_strip on macOS, /OPT:REF
 * of MSVC). A program for the processor only has in one of its sources:
 *
 *     const sxt_backend *const sxt_backends[] = {&sxt_backend_cpu, 0};
 *
 * sextant_add_module(... LOADER STATIC LOADER_BACKENDS cpu) writes that source. The shared library
 * carries all backends and exports none of these names. The names are constants: any thread may
 * read them at any time.
 */
#ifndef SEXTANT_BACKENDS_H
#define SEXTANT_BACKENDS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A backend: how the devices of one kind are found and opened. It is opaque. */
typedef struct sxt_backend sxt_backend;

/* This machine's processor: a pool of threads that runs the blocks of CPU images. */
extern const sxt_backend sxt_backend_cpu;
/* NVIDIA GPUs through CUDA's driver API. */
extern const sxt_backend sxt_backend_cuda;
/* AMD GPUs through HIP. */
extern const sxt_backend sxt_backend_hip;
/* The GPUs of Apple systems through Metal; elsewhere it finds no device. */
extern const sxt_backend sxt_backend_metal;
/* GPUs through Vulkan 1.1 and newer, and processors if there is a driver for them. */
extern const sxt_backend sxt_backend_vulkan;

/* The backends of this program in the order of preference, and a null pointer at the end. */
extern const sxt_backend *const sxt_backends[];

#ifdef __cplusplus
}
#endif

#endif
