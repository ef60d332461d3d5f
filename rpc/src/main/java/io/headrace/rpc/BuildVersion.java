package io.headrace.rpc;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import java.util.Properties;

/** Headrace's version, as the build wrote it. */
public final class BuildVersion {
  public static final String TEXT = read();

  private BuildVersion() {}

  private static String read() {
    try (InputStream file = BuildVersion.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      properties.load(Objects.requireNonNull(file, "version.properties is not in the jar"));
      return Objects.requireNonNull(properties.getProperty("version"), "version");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
