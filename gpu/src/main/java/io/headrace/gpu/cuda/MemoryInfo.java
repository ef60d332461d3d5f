package io.headrace.gpu.cuda;

/** The memory of a device, in bytes. */
public record MemoryInfo(long freeBytes, long totalBytes) {}
