package io.headrace.cli;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Holds docs/architecture.md to the poms: its table lists the modules and their compile
 * dependencies, and its drawing has the edges that no longer path implies.
 */
final class HouseDrawingTest {
  private static final Path PAGE = root().resolve("docs/architecture.md");
  private static final Pattern DRAWING =
      Pattern.compile("## The modules\\n.*?```mermaid\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern EDGE = Pattern.compile("(\\w+) (-->|-\\.->) (\\w+)");
  private static final Pattern ROW =
      Pattern.compile("^\\| `(\\w+)` \\|[^|\\n]*\\|([^|\\n]*)\\|$", Pattern.MULTILINE);

  /** The modules that users do not depend on. */
  private static final Set<String> NOT_LIBRARIES =
      Set.of("fakecuda", "emulator", "examples", "cli", "interop", "bench");

  @Test
  void table_listsTheModulesInTheirOrder() throws IOException {
    assertThat(tabled().keySet()).containsExactlyElementsOf(modules());
  }

  @Test
  void table_listsTheCompileDependenciesOfEachModule() throws IOException {
    assertThat(tabled()).containsExactlyInAnyOrderEntriesOf(dependencies("compile"));
  }

  @Test
  void arrows_areTheCompileDependenciesThatNoOthersImply() throws IOException {
    assertThat(drawn("-->")).isEqualTo(edges(withoutImplied(dependencies("compile"))));
  }

  @Test
  void dottedArrows_areTheRunTimeDependencies() throws IOException {
    assertThat(drawn("-.->")).isEqualTo(edges(dependencies("runtime")));
  }

  /** The nearest folder upwards that has the launcher: tests run in their module's. */
  static Path root() {
    return Stream.iterate(Path.of("").toAbsolutePath(), Path::getParent)
        .filter(folder -> Files.exists(folder.resolve("headrace")))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, Set<String>> tabled() throws IOException {
    Map<String, Set<String>> rows = new LinkedHashMap<>();
    ROW.matcher(Files.readString(PAGE))
        .results()
        .forEach(row -> rows.put(row.group(1), names(row.group(2))));
    return rows;
  }

  private static Set<String> names(String cell) {
    return Stream.of(cell.split(",\\s*"))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .collect(toCollection(TreeSet::new));
  }

  private static Set<String> drawn(String arrow) throws IOException {
    var drawing = DRAWING.matcher(Files.readString(PAGE));
    assertThat(drawing.find()).as("a drawing of the modules in " + PAGE).isTrue();
    return EDGE.matcher(drawing.group(1))
        .results()
        .filter(edge -> edge.group(2).equals(arrow))
        .map(edge -> edge.group(1) + " -> " + edge.group(3))
        .collect(toCollection(TreeSet::new));
  }

  private static Set<String> edges(Map<String, Set<String>> dependencies) {
    return dependencies.entrySet().stream()
        .flatMap(module -> module.getValue().stream().map(used -> module.getKey() + " -> " + used))
        .collect(toCollection(TreeSet::new));
  }

  /** The dependencies of each module that it does not also have through another one. */
  private static Map<String, Set<String>> withoutImplied(Map<String, Set<String>> dependencies) {
    Map<String, Set<String>> left = new TreeMap<>();
    dependencies.forEach((module, all) -> {
      Set<String> implied = new TreeSet<>();
      all.forEach(used -> addReachable(dependencies, used, implied));
      Set<String> rest = new TreeSet<>(all);
      rest.removeAll(implied);
      left.put(module, rest);
    });
    return left;
  }

  private static void addReachable(
      Map<String, Set<String>> dependencies, String from, Set<String> reached) {
    for (String used : dependencies.getOrDefault(from, Set.of())) {
      if (reached.add(used)) {
        addReachable(dependencies, used, reached);
      }
    }
  }

  @Test
  void bom_hasTheLibrariesInTheVersionOfTheBuild() {
    Element bom = pom("bom");
    assertThat(child(bom, "version", "")).isEqualTo(child(pom(""), "version", ""));
    assertThat(elements(bom, "dependency").map(library -> child(library, "artifactId", "")))
        .containsExactlyElementsOf(
            modules().stream()
                .filter(module -> !NOT_LIBRARIES.contains(module))
                .map(module -> "headrace-" + module)
                .toList());
  }

  /** A jar's manifest has the name that its module's pom states, and the root's puts there. */
  @Test
  void modules_areNamedAfterTheirPackages() {
    assertThat(elements(pom(""), "Automatic-Module-Name").map(Element::getTextContent))
        .containsExactly("${module.name}");
    assertThat(modules())
        .allSatisfy(module ->
            assertThat(elements(pom(module), "module.name").map(Element::getTextContent))
                .as(module)
                .containsExactly("io.headrace." + module));
  }

  /** The modules whose artifacts are jars. */
  private static List<String> modules() {
    return elements(pom(""), "module")
        .map(Element::getTextContent)
        .filter(module -> !child(pom(module), "packaging", "jar").equals("pom"))
        .toList();
  }

  /** The dependencies of each module in {@code scope}, from its pom. */
  private static Map<String, Set<String>> dependencies(String scope) {
    Map<String, Set<String>> found = new TreeMap<>();
    for (String module : modules()) {
      found.put(
          module,
          elements(pom(module), "dependency")
              .filter(dependency -> child(dependency, "scope", "compile").equals(scope))
              .map(dependency -> child(dependency, "artifactId", ""))
              .filter(artifact -> artifact.startsWith("headrace-"))
              .map(artifact -> artifact.substring("headrace-".length()))
              .collect(toCollection(TreeSet::new)));
    }
    return found;
  }

  private static Element pom(String module) {
    Path file = root().resolve(module).resolve("pom.xml");
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(file.toFile())
          .getDocumentElement();
    } catch (ParserConfigurationException | SAXException | IOException e) {
      throw new AssertionError("can't read " + file, e);
    }
  }

  private static Stream<Element> elements(Element parent, String name) {
    NodeList all = parent.getElementsByTagName(name);
    return IntStream.range(0, all.getLength()).mapToObj(i -> (Element) all.item(i));
  }

  private static String child(Element parent, String name, String otherwise) {
    for (Node node = parent.getFirstChild(); node != null; node = node.getNextSibling()) {
      if (node.getNodeName().equals(name)) {
        return node.getTextContent().strip();
      }
    }
    return otherwise;
  }
}
