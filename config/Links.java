import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks the links of every Markdown page of the repository: a relative link must name a file or a
 * folder that exists, with its letters in the same case, and a fragment must be an anchor that
 * GitHub makes of a heading of that page. Addresses on other hosts are not visited.
 *
 * <p>Run it in the root of the repository: {@code java config/Links.java}. It prints {@code
 * FILE:LINE: reason} for each broken link, and fails if there is one.
 */
void main() throws IOException {
  Path root = Path.of("").toRealPath();
  List<Path> files = pages(root);
  Map<Path, Page> pages = new HashMap<>();
  for (Path file : files) {
    pages.put(file, Page.read(file));
  }
  int links = 0;
  List<String> broken = new ArrayList<>();
  for (Path file : files) {
    Page page = pages.get(file);
    for (Link link : page.links()) {
      links++;
      reason(root, file, link.target(), pages)
          .ifPresent(
              reason -> broken.add(root.relativize(file) + ":" + link.line() + ": " + reason));
    }
  }
  broken.forEach(IO::println);
  if (!broken.isEmpty()) {
    IO.println("%d of %d links are broken".formatted(broken.size(), links));
    System.exit(1);
  }
}

/** The Markdown pages under {@code root}, in order, build outputs and hidden folders left out. */
List<Path> pages(Path root) throws IOException {
  List<Path> found = new ArrayList<>();
  var visitor =
      new SimpleFileVisitor<Path>() {
        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
          String name = folder.getFileName().toString();
          boolean isSkipped =
              !folder.equals(root) && (name.startsWith(".") || name.equals("target"));
          return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
          if (file.toString().endsWith(".md")) {
            found.add(file);
          }
          return FileVisitResult.CONTINUE;
        }
      };
  Files.walkFileTree(root, visitor);
  return found.stream().sorted().toList();
}

/** Why {@code target}, in the page {@code from}, leads nowhere; empty if it leads somewhere. */
Optional<String> reason(Path root, Path from, String target, Map<Path, Page> pages)
    throws IOException {
  if (target.matches("(?s)([A-Za-z][A-Za-z0-9+.-]*:|//).*")) {
    return Optional.empty();
  }
  int hash = target.indexOf('#');
  String path = decoded(hash < 0 ? target : target.substring(0, hash));
  Path file = from;
  if (!path.isEmpty()) {
    Path folder = path.startsWith("/") ? root : from.getParent();
    file = folder.resolve(path.replaceFirst("^/+", "")).normalize();
  }
  if (!file.startsWith(root)) {
    return Optional.of(target + " leaves the repository");
  }
  if (!Files.exists(file) || !file.toRealPath(LinkOption.NOFOLLOW_LINKS).equals(file)) {
    return Optional.of("there is no " + path);
  }
  if (hash < 0) {
    return Optional.empty();
  }
  String anchor = decoded(target.substring(hash + 1));
  if (pages.containsKey(file)) {
    return pages.get(file).anchors().contains(anchor)
        ? Optional.empty()
        : Optional.of(root.relativize(file) + " has no heading #" + anchor);
  }
  return isLine(file, anchor)
      ? Optional.empty()
      : Optional.of(root.relativize(file) + " has no line #" + anchor);
}

/** Whether {@code anchor} names lines of a file of text, as GitHub does: L7 or L7-L9. */
boolean isLine(Path file, String anchor) throws IOException {
  Matcher lines = Pattern.compile("L(\\d{1,6})(?:-L(\\d{1,6}))?").matcher(anchor);
  if (!lines.matches() || !Files.isRegularFile(file)) {
    return false;
  }
  int last = Integer.parseInt(lines.group(2) == null ? lines.group(1) : lines.group(2));
  return last <= Files.readAllLines(file).size();
}

String decoded(String part) {
  return URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8);
}

/** A link of a page: the line on which it begins, from 1, and what it leads to. */
record Link(int line, String target) {}

/** The links of a page, and the anchors of its headings. */
record Page(List<Link> links, Set<String> anchors) {
  private static final Pattern FENCE = Pattern.compile("^\\s*(```+|~~~+)");
  private static final Pattern HEADING =
      Pattern.compile("^ {0,3}#{1,6}[ \\t]+(.*?)(?:[ \\t]+#+)?\\s*$");
  private static final Pattern CODE =
      Pattern.compile("(?<!`)(`+)(?!`)((?:(?!\\n\\s*\\n).)+?)(?<!`)\\1(?!`)", Pattern.DOTALL);
  private static final Pattern INLINE =
      Pattern.compile("\\]\\(\\s*<?([^)>\\s]*)>?(?:\\s+(?:\"[^\"]*\"|'[^']*'))?\\s*\\)");
  private static final Pattern DEFINITION =
      Pattern.compile("^ {0,3}\\[[^\\]]+\\]:\\s*<?([^\\s>]+)", Pattern.MULTILINE);
  private static final Pattern HTML = Pattern.compile("\\b(?:href|src)=\"([^\"]*)\"");
  private static final Pattern HTML_ANCHOR = Pattern.compile("\\b(?:id|name)=\"([^\"]*)\"");

  static Page read(Path file) throws IOException {
    List<String> lines = new ArrayList<>(Files.readAllLines(file));
    maskFences(lines);
    Set<String> anchors = anchors(lines);
    String text = maskedCode(String.join("\n", lines));
    HTML_ANCHOR.matcher(text).results().forEach(found -> anchors.add(found.group(1)));
    List<Link> links = new ArrayList<>();
    for (Pattern pattern : List.of(INLINE, DEFINITION, HTML)) {
      pattern
          .matcher(text)
          .results()
          .forEach(found -> links.add(new Link(line(text, found), found.group(1))));
    }
    links.sort(Comparator.comparingInt(Link::line));
    return new Page(List.copyOf(links), Set.copyOf(anchors));
  }

  private static int line(String text, MatchResult found) {
    return 1 + (int) text.substring(0, found.start(1)).chars().filter(c -> c == '\n').count();
  }

  /** Empties the lines of fenced blocks, in which nothing is a heading or a link. */
  private static void maskFences(List<String> lines) {
    String open = "";
    for (int i = 0; i < lines.size(); i++) {
      Matcher fence = FENCE.matcher(lines.get(i));
      boolean isFence = fence.find();
      boolean isCode = isFence || !open.isEmpty();
      if (isFence && open.isEmpty()) {
        open = fence.group(1);
      } else if (isFence && lines.get(i).strip().matches(Pattern.quote(open) + "+")) {
        open = "";
      }
      if (isCode) {
        lines.set(i, "");
      }
    }
  }

  /** The text with other characters in place of those of code, so that nothing there is a link. */
  private static String maskedCode(String text) {
    return CODE.matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(found.group().replaceAll("[^\\n]", "x")));
  }

  private static Set<String> anchors(List<String> lines) {
    Map<String, Integer> used = new HashMap<>();
    Set<String> anchors = new HashSet<>();
    for (String line : lines) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        String anchor = anchor(heading.group(1));
        int before = used.merge(anchor, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? anchor : anchor + "-" + before);
      }
    }
    return anchors;
  }

  /**
   * The anchor of a heading, by GitHub's rule: its text in lower case, a hyphen for each space, and
   * without any other character than letters, digits, hyphens and underscores.
   */
  private static String anchor(String heading) {
    return heading
        .replaceAll("!\\[[^\\]]*\\]\\([^)]*\\)", "")
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .replaceAll("(?<![\\w`])_([^_`]+)_(?![\\w`])", "$1")
        .strip()
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc} -]", "")
        .replace(' ', '-');
  }
}
