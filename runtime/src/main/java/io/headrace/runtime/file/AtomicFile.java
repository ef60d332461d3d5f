package io.headrace.runtime.file;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A file that appears atomically: it is written under a temporary name in the same directory, as
 * TensorFlow writes checkpoints ({@code NAME.tempstateNUMBER}), and renamed once it is on disk.
 * Closing without {@link #commit} deletes the temporary file; a crash leaves it behind, unread.
 * Used by one thread.
 */
public final class AtomicFile implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 20;

  private final String file;
  private final Path target;
  private final Path temporary;
  private final FileChannel channel;
  private final OutputStream out;
  private boolean isDone;

  private AtomicFile(String file, Path target, Path temporary, FileChannel channel) {
    this.file = file;
    this.target = target;
    this.temporary = temporary;
    this.channel = channel;
    this.out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
  }

  /**
   * Creates the temporary file for {@code file}, whose directory must exist. Errors are those of
   * {@link LocalFiles}.
   */
  public static AtomicFile create(String file) {
    Path target = LocalFiles.path(file);
    String number = Long.toUnsignedString(ThreadLocalRandom.current().nextLong());
    Path temporary = target.resolveSibling(target.getFileName() + ".tempstate" + number);
    try {
      FileChannel channel =
          FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return new AtomicFile(file, target, temporary, channel);
    } catch (IOException e) {
      throw LocalFiles.failure(file, e);
    }
  }

  /** Writes {@code count} bytes of {@code bytes}, from {@code from} on. */
  public void write(byte[] bytes, int from, int count) {
    try {
      out.write(bytes, from, count);
    } catch (IOException e) {
      throw LocalFiles.failure(file, e);
    }
  }

  /** Syncs the file to disk and renames it, replacing an existing file. */
  public void commit() {
    try {
      out.flush();
      channel.force(true);
      channel.close();
      Files.move(
          temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      isDone = true;
    } catch (IOException e) {
      throw LocalFiles.failure(file, e);
    }
  }

  @Override
  public void close() {
    if (isDone) {
      return;
    }
    isDone = true;
    try {
      channel.close();
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      throw LocalFiles.failure(file, e);
    }
  }
}
