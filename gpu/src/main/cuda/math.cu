// Math functions of doubles for the kernels that Headrace writes; math.py compiles them to PTX. They use arithmetic
// and bits only, no library, so that their results are the same on each GPU. "Bound" is the largest error, in units of
// the result's last place; the tests hold the functions to it.

#include "arithmetic.cuh"
#include "powers.cuh"
#include "trigonometry.cuh"
#include "hyperbolic.cuh"
#include "special.cuh"
