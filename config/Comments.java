import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Refuses comments with a sentence that opens with a relative pronoun as its subject (the words are
 * in {@link #OPENING}): such a sentence names neither the class nor the actor that it is about.
 * Questions are refused, too.
 *
 * <p>It reads the comments of Java and .proto files, of shell scripts, and of Python files with
 * their docstrings; TensorFlow's own .proto files are left as they are. Run it in the root of the
 * repository: {@code java config/Comments.java}. It prints {@code FILE:LINE: the line} for each
 * offence, then their number, and fails if there is one.
 */
void main() throws IOException {
  List<String> offences = new ArrayList<>();
  int files = 0;
  for (Path file : sources(Path.of("."))) {
    String text = Files.readString(file);
    List<Comment> comments =
        file.toString().endsWith(".java") || file.toString().endsWith(".proto")
            ? cComments(text)
            : hashComments(text.replaceFirst("\\A#!.*", ""), file.toString().endsWith(".py"));
    for (Comment comment : comments) {
      for (int line : comment.offences()) {
        String at = text.lines().skip(line - 1L).findFirst().orElseThrow().strip();
        offences.add(file.normalize() + ":" + line + ": " + at);
      }
    }
    files++;
  }
  offences.forEach(IO::println);
  if (!offences.isEmpty()) {
    IO.println(
        ("%d sentences in comments of %d files open with Who, What, Whose, Whoever or Whatever:"
                + " name the noun or the actor instead")
            .formatted(offences.size(), files));
    System.exit(1);
  }
}

/** How a refused sentence opens. */
static final Pattern OPENING = Pattern.compile("(?:Who|What|Whose|Whoever|Whatever)(?=[\\s,']|$)");

/** Where sentences begin: at the start of a text, behind the end of a sentence, behind a tag. */
static final Pattern START =
    Pattern.compile(
        "(?:\\A|\\n\\s*\\n|[.!?:;][\"')]*\\s|<(?:p|li|dd|td|th)>|(?:\\A|\\n)\\s*[-*]\\s"
            + "|@(?:param\\s+\\S+|return|throws\\s+\\S+))\\s*");

/** The text of a comment, without what marks it as one, and the line on which it begins, from 1. */
record Comment(int line, String text) {
  /** The lines on which a refused sentence begins. */
  List<Integer> offences() {
    List<Integer> lines = new ArrayList<>();
    Matcher start = START.matcher(text);
    int from = 0;
    while (start.find(from)) {
      Matcher opening = OPENING.matcher(text).region(start.end(), text.length());
      if (opening.lookingAt()) {
        lines.add(
            line + (int) text.substring(0, start.end()).chars().filter(c -> c == '\n').count());
      }
      // The end of one start may be the beginning of the next, as in "x. <p>".
      from = Math.max(start.end() - 1, start.start() + 1);
    }
    return lines.stream().distinct().toList();
  }
}

/** The files whose comments are read, in order, build outputs and hidden folders left out. */
List<Path> sources(Path root) throws IOException {
  List<Path> found = new ArrayList<>();
  var visitor =
      new SimpleFileVisitor<Path>() {
        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
          String name = folder.getFileName().toString();
          boolean isSkipped =
              name.matches("target|tensorflow|xla|\\..+") && !folder.endsWith(".ci");
          return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
            throws IOException {
          String name = file.getFileName().toString();
          if (name.matches(".+\\.(java|proto|py|sh)") || !name.contains(".") && isScript(file)) {
            found.add(file);
          }
          return FileVisitResult.CONTINUE;
        }
      };
  Files.walkFileTree(root, visitor);
  return found.stream().sorted().toList();
}

boolean isScript(Path file) throws IOException {
  try (var in = Files.newInputStream(file)) {
    byte[] head = in.readNBytes(2);
    return head.length == 2 && head[0] == '#' && head[1] == '!';
  }
}

/**
 * The tokens of a Java or .proto file that matter to comments: a text block, a string, a character,
 * a block comment, or lines of comments with nothing between them.
 */
static final Pattern C_TOKEN =
    Pattern.compile(
        "\"\"\"(?:\\\\.|(?!\"\"\").)*+\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+'"
            + "|(?<block>/\\*.*?\\*/)|(?<lines>//[^\\n]*(?:\\n[ \\t]*//[^\\n]*)*+)",
        Pattern.DOTALL);

List<Comment> cComments(String text) {
  List<Comment> comments = new ArrayList<>();
  Matcher token = C_TOKEN.matcher(text);
  int line = 1;
  int counted = 0;
  while (token.find()) {
    line += newLines(text, counted, token.start());
    counted = token.start();
    if (token.group("block") != null) {
      comments.add(new Comment(line, bare(token.group(), "/?\\*+/?")));
    } else if (token.group("lines") != null) {
      comments.add(new Comment(line, bare(token.group(), "//+")));
    }
  }
  return comments;
}

/** Comments that "#" begins, and, in Python, the strings of three quotes that begin a line. */
List<Comment> hashComments(String text, boolean isPython) {
  List<Comment> comments = new ArrayList<>();
  Pattern pattern =
      Pattern.compile(
          isPython
              ? "(?<doc>(?<=\\n|\\A)[ \\t]*[rR]?(?<quotes>\"\"\"|''').*?\\k<quotes>)"
                    + "|\"\"\".*?\"\"\"|'''.*?'''|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+'|(?<lines>#[^\\n]*(?:\\n["
                    + " \\t]*#[^\\n]*)*+)"
              : "(?<doc>\\z.)|(?<lines>(?<=\\s|\\A)#[^\\n]*(?:\\n[ \\t]*#[^\\n]*)*+)",
          Pattern.DOTALL);
  Matcher token = pattern.matcher(text);
  int line = 1;
  int counted = 0;
  while (token.find()) {
    line += newLines(text, counted, token.start());
    counted = token.start();
    if (token.group("doc") != null) {
      comments.add(new Comment(line, bare(token.group(), "[rR]?(?:\"\"\"|''')")));
    } else if (token.group("lines") != null) {
      comments.add(new Comment(line, bare(token.group(), "#+")));
    }
  }
  return comments;
}

int newLines(String text, int from, int to) {
  return (int) text.substring(from, to).chars().filter(c -> c == '\n').count();
}

/** The text of a comment without the mark at the start of each line, and its end's. */
String bare(String comment, String mark) {
  return comment
      .replaceFirst("\\s*(?:\\*/|\"\"\"|''')\\z", "")
      .replaceAll("(?m)^[ \\t]*" + mark + "[ \\t]?", "");
}
