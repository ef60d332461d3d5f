package io.headrace.gpu.device;

/**
 * The figures of a device's pool, in bytes.
 *
 * @param inUse in buffers that are not closed
 * @param peak the most that was in use at a time
 * @param reserved taken from the driver
 * @param limit the most that may be taken
 * @param driverAllocations how often the driver was asked for memory since the context was made
 */
public record DeviceMemoryStatistics(
    long inUse, long peak, long reserved, long limit, long driverAllocations) {}
