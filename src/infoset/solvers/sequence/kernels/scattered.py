"""Numbers of some sequences of many: a bit for each, and the numbers one behind the other."""

from infoset.machine.compiled import inline, kernel


@inline
def _is_set(bits, i):
    """Whether there is a number for ``i``; bits are as NumPy packs them."""
    return (bits[i >> 3] >> (7 - (i & 7))) & 1 != 0


@kernel
def compress_into(numbers, array, mask):
    """Write the numbers under a mask."""
    k = 0
    for i in range(len(mask)):
        if mask[i]:
            numbers[k] = array[i]
            k += 1


@kernel
def expand_into(array, bits, numbers, positive, negative):
    """Write numbers to where they belong, times a factor for each sign."""
    k = 0
    for i in range(len(array) if len(bits) > 0 else 0):
        if _is_set(bits, i):
            number = numbers[k]
            array[i] = number * (positive if number > 0.0 else negative)
            k += 1


@kernel
def growth_into(growth, array, bits, numbers, scale):
    """Write how much more there is in an array now, where numbers of it are kept."""
    k = 0
    for i in range(len(array) if len(bits) > 0 else 0):
        if _is_set(bits, i):
            growth[i] = array[i] - numbers[k] * scale
            k += 1
