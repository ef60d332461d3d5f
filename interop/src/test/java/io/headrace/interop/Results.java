package io.headrace.interop;

import io.headrace.proto.data.UncompressedElement;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

/** The results of a run of pipelines, in a folder: for each pipeline its elements and its error. */
record Results(Path folder) {

  /** The names of all pipelines of the run, sorted. */
  List<String> names() {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".properties"))
          .map(name -> name.substring(0, name.length() - ".properties".length()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The error that ended {@code name}: "CODE: message", empty if none. */
  String error(String name) {
    return properties(name).getProperty("error", "no result");
  }

  Result of(String name) {
    List<UncompressedElement> elements = new ArrayList<>();
    try (InputStream data = open(folder.resolve(name + ".elements"))) {
      for (var next = UncompressedElement.parseDelimitedFrom(data);
          next != null;
          next = UncompressedElement.parseDelimitedFrom(data)) {
        elements.add(next);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Result(name, properties(name), elements);
  }

  private Properties properties(String name) {
    var properties = new Properties();
    try (InputStream in = open(folder.resolve(name + ".properties"))) {
      properties.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties;
  }

  private static InputStream open(Path file) throws IOException {
    return new BufferedInputStream(Files.newInputStream(file));
  }

  /** One pipeline of a run. */
  record Result(String name, Properties properties, List<UncompressedElement> elements) {

    /** The error that ended it: "CODE: message", empty if none. */
    String error() {
      return get("error");
    }

    Comparison comparison() {
      return Comparison.parse(get("comparison"));
    }

    /** The op types that its registered graph must have; empty if the test does not check them. */
    List<String> ops() {
      return Stream.of(get("ops").split(",", -1)).filter(op -> !op.isEmpty()).toList();
    }

    /** The part that every Headrace server refuses, as named in the message; or empty. */
    String refused() {
      return get("refused");
    }

    /** The part that Headrace's workers refuse, as named in the message; or empty. */
    String unsupported() {
      return get("unsupported");
    }

    private String get(String key) {
      return properties.getProperty(key, "");
    }
  }
}
