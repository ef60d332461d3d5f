package io.headrace.gpu.cuda;

/**
 * Products of matrices on a device, all of one size, which lie there row by row: {@code count}
 * times {@code out = op(x) op(y)}, where op transposes or does nothing.
 *
 * @param type that of all elements
 * @param isX whether the matrices {@code x} are transposed: they lie there as [terms, rows]
 * @param isY whether the matrices {@code y} are: they lie there as [columns, terms]
 * @param rows those of a product, at least 1
 * @param columns those of a product, at least 1
 * @param terms those of an element, at least 1
 * @param count how many products there are, at least 1
 * @param x the address of the first matrix on the left
 * @param strideOfX the elements from one of them to the next; 0 if all are the same
 * @param y the address of the first matrix on the right
 * @param strideOfY the elements from one of them to the next; 0 if all are the same
 * @param out the address of the first product; the others follow it
 */
public record MatrixProducts(
    CublasType type,
    boolean isX,
    boolean isY,
    int rows,
    int columns,
    int terms,
    int count,
    long x,
    long strideOfX,
    long y,
    long strideOfY,
    long out) {}
