package io.headrace.gpu.device;

/**
 * An event that is recorded behind a piece of a stream's work.
 *
 * @param position the number of that work
 */
record GpuEvent(long handle, long position) {}
