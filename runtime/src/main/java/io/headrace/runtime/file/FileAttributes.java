package io.headrace.runtime.file;

/**
 * The attributes of a file or directory.
 *
 * @param isFile whether it is a regular file
 * @param isFolder whether it is a directory
 * @param size in bytes; of a directory, whatever the file system says
 * @param modifiedMillis the modification time in milliseconds since 1970 (UTC); 0 if unknown
 */
public record FileAttributes(boolean isFile, boolean isFolder, long size, long modifiedMillis) {}
