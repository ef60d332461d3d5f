package io.headrace.fakecuda.machine;

/**
 * {@code bar.sync}: all threads of the block wait for one another.
 *
 * @param number of the barrier, of which there are 16
 * @param pc the instruction: threads of a warp wait at the same one
 */
record BlockBarrier(int number, int pc) implements ThreadBarrier {}
