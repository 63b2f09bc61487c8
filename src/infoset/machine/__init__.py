"""What hardware asks for, without a word of games.

Compiled kernels and their cache, vectors, threads and barriers, aligned memory, memory limits,
interrupts, files that are whole or not there.
"""
