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
 * A local file that is written under a temporary name in the same directory, as TensorFlow writes
 * checkpoints ({@code NAME.tempstateNUMBER}), and renamed once it is on disk. Closing it without a
 * commit deletes the temporary file; a crash leaves it behind, unread. Used by one thread.
 */
final class LocalAtomicFile implements AtomicFile {
  private static final int BUFFER_BYTES = 1 << 20;

  private final String file;
  private final Path target;
  private final Path temporary;
  private final FileChannel channel;
  private final OutputStream out;
  private boolean isDone;

  private LocalAtomicFile(String file, Path target, Path temporary, FileChannel channel) {
    this.file = file;
    this.target = target;
    this.temporary = temporary;
    this.channel = channel;
    this.out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER_BYTES);
  }

  /** Creates the temporary file for {@code file}, at {@code target}, whose directory exists. */
  static LocalAtomicFile create(String file, Path target) {
    String number = Long.toUnsignedString(ThreadLocalRandom.current().nextLong());
    Path temporary = target.resolveSibling(target.getFileName() + ".tempstate" + number);
    try {
      FileChannel channel =
          FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      return new LocalAtomicFile(file, target, temporary, channel);
    } catch (IOException e) {
      throw LocalFileSystem.failure(file, e);
    }
  }

  @Override
  public void write(byte[] bytes, int from, int count) {
    try {
      out.write(bytes, from, count);
    } catch (IOException e) {
      throw LocalFileSystem.failure(file, e);
    }
  }

  @Override
  public void commit() {
    try {
      out.flush();
      channel.force(true);
      channel.close();
      Files.move(
          temporary, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      isDone = true;
    } catch (IOException e) {
      throw LocalFileSystem.failure(file, e);
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
      throw LocalFileSystem.failure(file, e);
    }
  }
}
