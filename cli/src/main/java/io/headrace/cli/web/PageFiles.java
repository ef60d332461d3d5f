package io.headrace.cli.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The files of the pages: our own, and those of uPlot, which draws the charts. */
final class PageFiles {
  /** The version is that of the root pom. */
  private static final String UPLOT = "/META-INF/resources/webjars/uplot/1.6.30/dist/";

  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  /** Our own files, and their types. */
  private static final Map<String, String> OWN =
      Map.of(
          "page.css", STYLE,
          "dispatcher.js", SCRIPT,
          "worker.js", SCRIPT,
          "dom.js", SCRIPT,
          "figures.js", SCRIPT,
          "job.js", SCRIPT,
          "chain.js", SCRIPT,
          "chart.js", SCRIPT,
          "tables.js", SCRIPT,
          "icon.svg", "image/svg+xml");

  private PageFiles() {}

  /** Adds the files of the page {@code name}, which is at "/". */
  static void addTo(Routes routes, String name) {
    Answer page = Answer.ok("text/html; charset=utf-8", bytes("page/" + name + ".html"));
    routes.add("/", _ -> page);
    OWN.forEach((file, type) -> {
      Answer answer = Answer.ok(type, bytes("page/" + file));
      routes.add("/page/" + file, _ -> answer);
    });
    addLibrary(routes, "uPlot.esm.js", SCRIPT);
    addLibrary(routes, "uPlot.min.css", STYLE);
  }

  private static void addLibrary(Routes routes, String file, String type) {
    Answer answer = Answer.ok(type, bytes(UPLOT + file));
    routes.add("/page/uplot/" + file, _ -> answer);
  }

  private static byte[] bytes(String resource) {
    try (@Nullable InputStream file = PageFiles.class.getResourceAsStream(resource)) {
      if (file == null) {
        throw new IllegalStateException("the build lacks the page's file " + resource);
      }
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
