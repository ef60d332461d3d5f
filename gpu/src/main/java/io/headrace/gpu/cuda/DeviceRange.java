package io.headrace.gpu.cuda;

/** Memory on a device: its first address and its size. */
public record DeviceRange(long address, long bytes) {}
