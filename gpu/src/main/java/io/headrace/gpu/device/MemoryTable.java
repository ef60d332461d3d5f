package io.headrace.gpu.device;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The table of who holds a device's memory, for the error when it runs out. */
final class MemoryTable {
  private static final int MAX_LINES = 10;

  private MemoryTable() {}

  /** The pieces of one owner. */
  private record Holding(String owner, long bytes, int pieces) {
    Holding plus(Holding other) {
      return new Holding(owner, bytes + other.bytes, pieces + other.pieces);
    }
  }

  /** A line for each owner, the largest first, each behind a line break; the last are summed up. */
  static String of(List<MemoryRegion> regions) {
    List<Holding> holdings =
        byOwner(regions).values().stream()
            .sorted(Comparator.comparingLong(Holding::bytes).reversed())
            .toList();
    StringBuilder table = new StringBuilder();
    holdings.stream().limit(MAX_LINES).forEach(holding -> append(table, holding));
    holdings.stream()
        .skip(MAX_LINES)
        .reduce(Holding::plus)
        .map(rest ->
            new Holding(
                holdings.size() - MAX_LINES + " others, the first of them " + rest.owner(),
                rest.bytes(),
                rest.pieces()))
        .ifPresent(rest -> append(table, rest));
    return table.toString();
  }

  private static Map<String, Holding> byOwner(List<MemoryRegion> regions) {
    Map<String, Holding> holdings = new HashMap<>();
    for (MemoryRegion region : regions) {
      for (MemoryBlock block = region.first(); block != null; block = block.behind) {
        String owner = block.owner();
        if (owner != null) {
          holdings.merge(owner, new Holding(owner, block.bytes(), 1), Holding::plus);
        }
      }
    }
    return holdings;
  }

  private static void append(StringBuilder table, Holding holding) {
    table.append(
        "\n  %s in %d %s: %s"
            .formatted(
                size(holding.bytes()),
                holding.pieces(),
                holding.pieces() == 1 ? "piece" : "pieces",
                holding.owner()));
  }

  /** Bytes in words: {@code 12.5 MiB}. */
  static String size(long bytes) {
    if (bytes < 1 << 10) {
      return bytes + " bytes";
    }
    if (bytes < 1 << 20) {
      return String.format(Locale.ROOT, "%.1f KiB", bytes / 1024.0);
    }
    return bytes < 1L << 30
        ? String.format(Locale.ROOT, "%.1f MiB", bytes / 1048576.0)
        : String.format(Locale.ROOT, "%.2f GiB", bytes / 1073741824.0);
  }
}
