"""Hardware and operating system, independent of games.

Compiled kernels and their cache, vectors, threads and barriers, aligned memory, memory limits,
interrupts, atomic files.
"""
