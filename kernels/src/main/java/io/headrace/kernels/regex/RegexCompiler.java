package io.headrace.kernels.regex;

import io.headrace.kernels.regex.RegexNode.Alternation;
import io.headrace.kernels.regex.RegexNode.AnyByte;
import io.headrace.kernels.regex.RegexNode.Assertion;
import io.headrace.kernels.regex.RegexNode.Concatenation;
import io.headrace.kernels.regex.RegexNode.Group;
import io.headrace.kernels.regex.RegexNode.Repetition;
import io.headrace.kernels.regex.RegexNode.Rune;
import io.headrace.kernels.regex.RegexNode.Runes;
import io.headrace.kernels.regex.RegexProgram.Traits;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Compiles a parsed expression to a program: Thompson's construction, bottom up with a stack of its
 * own, so that depth is bounded by memory alone. Used once.
 */
final class RegexCompiler {
  private static final int MAX_PREFIX = 256;
  private static final long[] ANY = RegexProgramBuilder.setOf(0, 255);

  /**
   * The program of a part.
   *
   * @param begin its first instruction
   * @param end a join that leads on
   * @param isNullable whether it may match nothing
   * @param bytes the size of each match, or {@link Traits#VARYING}
   */
  private record Fragment(int begin, int end, boolean isNullable, int bytes) {}

  /** A node whose parts are being compiled. */
  private static final class Frame {
    private final RegexNode node;
    private final List<Fragment> parts = new ArrayList<>();

    Frame(RegexNode node) {
      this.node = node;
    }

    /** The next part to compile, or null. */
    @Nullable RegexNode next() {
      int index = parts.size();
      return switch (node) {
        case Concatenation(var sub, _) -> index < sub.size() ? sub.get(index) : null;
        case Alternation(var sub, _) -> index < sub.size() ? sub.get(index) : null;
        case Group group -> index == 0 ? group.body() : null;
        case Repetition repetition -> index < repetition.bodies() ? repetition.body() : null;
        case Rune _, Runes _, AnyByte _, Assertion _ -> null;
      };
    }
  }

  private final RegexProgramBuilder builder = new RegexProgramBuilder();
  private boolean asserts;

  private RegexCompiler() {}

  /** Compiles {@code parsed}; throws {@link RegexProgramBuilder.TooLargeException}. */
  static RegexProgram compile(RegexParser.Parsed parsed) {
    return new RegexCompiler().program(parsed);
  }

  private RegexProgram program(RegexParser.Parsed parsed) {
    Fragment whole = fragment(parsed.node());
    builder.setOut(whole.end, builder.emit(RegexProgram.MATCH, 0, 0));
    int search = builder.join();
    int skip = builder.bytes(ANY, search);
    builder.setOut(search, builder.emit(RegexProgram.CHOICE, whole.begin, skip));
    Traits traits =
        new Traits(
            isAt(parsed.node(), Assertions.BEGIN_TEXT),
            isAt(parsed.node(), Assertions.END_TEXT),
            asserts,
            whole.bytes,
            prefix(parsed.node()),
            parsed.groups() == 1 && parsed.node() instanceof Group);
    return builder.build(whole.begin, search, parsed.groups(), traits);
  }

  private Fragment fragment(RegexNode root) {
    Deque<Frame> frames = new ArrayDeque<>();
    frames.push(new Frame(root));
    while (true) {
      Frame top = frames.element();
      RegexNode next = top.next();
      if (next != null) {
        frames.push(new Frame(next));
        continue;
      }
      frames.pop();
      Fragment done = combine(top.node, top.parts);
      if (frames.isEmpty()) {
        return done;
      }
      frames.element().parts.add(done);
    }
  }

  private Fragment combine(RegexNode node, List<Fragment> parts) {
    return switch (node) {
      case Rune(int rune) -> runes(RuneSet.of(rune, rune));
      case Runes(RuneSet set) -> runes(set);
      case AnyByte _ -> {
        int end = builder.join();
        yield new Fragment(builder.bytes(ANY, end), end, false, 1);
      }
      case Assertion(int flags) -> {
        asserts = true;
        int end = builder.join();
        yield new Fragment(builder.emit(RegexProgram.ASSERT, end, flags), end, true, 0);
      }
      case Concatenation _ -> concatenation(parts);
      case Alternation _ -> alternation(parts);
      case Group group -> group(parts.getFirst(), group.index());
      case Repetition repetition -> repetition(repetition, parts);
    };
  }

  private Fragment runes(RuneSet set) {
    int end = builder.join();
    boolean isOneSize =
        set.ranges() > 0 && Utf8.size(set.first(0)) == Utf8.size(set.last(set.ranges() - 1));
    int bytes = isOneSize ? Utf8.size(set.first(0)) : Traits.VARYING;
    return new Fragment(Utf8Compiler.compile(set, builder, end), end, false, bytes);
  }

  private Fragment empty() {
    int end = builder.join();
    return new Fragment(end, end, true, 0);
  }

  private Fragment concatenation(List<Fragment> parts) {
    if (parts.isEmpty()) {
      return empty();
    }
    Fragment whole = parts.getFirst();
    for (Fragment next : parts.subList(1, parts.size())) {
      whole = then(whole, next);
    }
    return whole;
  }

  private Fragment then(Fragment a, Fragment b) {
    builder.setOut(a.end, b.begin);
    long bytes = (long) a.bytes + b.bytes;
    boolean isKnown = a.bytes >= 0 && b.bytes >= 0 && bytes <= Integer.MAX_VALUE;
    return new Fragment(
        a.begin, b.end, a.isNullable && b.isNullable, isKnown ? (int) bytes : Traits.VARYING);
  }

  private Fragment alternation(List<Fragment> choices) {
    Fragment whole = choices.getLast();
    for (Fragment choice : choices.reversed().subList(1, choices.size())) {
      whole = either(choice, whole);
    }
    return whole;
  }

  private Fragment either(Fragment first, Fragment second) {
    builder.setOut(first.end, second.end);
    int begin = builder.emit(RegexProgram.CHOICE, first.begin, second.begin);
    boolean isNullable = first.isNullable || second.isNullable;
    int bytes = first.bytes == second.bytes ? first.bytes : Traits.VARYING;
    return new Fragment(begin, second.end, isNullable, bytes);
  }

  private Fragment group(Fragment body, int index) {
    int end = builder.join();
    builder.setOut(body.end, builder.emit(RegexProgram.GROUP, end, 2 * index + 1));
    int begin = builder.emit(RegexProgram.GROUP, body.begin, 2 * index);
    return new Fragment(begin, end, body.isNullable, body.bytes);
  }

  private Fragment repetition(Repetition repetition, List<Fragment> bodies) {
    int min = repetition.min();
    boolean greedy = repetition.greedy();
    if (repetition.max() == Repetition.UNBOUNDED) {
      Fragment last = bodies.getLast();
      Fragment rest = min == 0 ? star(last, greedy) : plus(last, greedy);
      return min <= 1 ? rest : then(concatenation(bodies.subList(0, min - 1)), rest);
    }
    if (bodies.isEmpty()) {
      return empty();
    }
    // Copies beyond the least number are nested, so that each needs the ones before it.
    @Nullable Fragment rest = null;
    for (Fragment body : bodies.subList(min, bodies.size()).reversed()) {
      rest = optional(rest == null ? body : then(body, rest), greedy);
    }
    if (min == 0 && rest != null) {
      return rest;
    }
    Fragment least = concatenation(bodies.subList(0, min));
    return rest == null ? least : then(least, rest);
  }

  /** A choice between {@code body} and {@code end}, the body preferred if {@code greedy}. */
  private int choice(int body, int end, boolean greedy) {
    return builder.emit(RegexProgram.CHOICE, greedy ? body : end, greedy ? end : body);
  }

  private Fragment star(Fragment body, boolean greedy) {
    if (body.isNullable) {
      // One choice would not keep the order of preference through an empty turn.
      return optional(plus(body, greedy), greedy);
    }
    int end = builder.join();
    int loop = choice(body.begin, end, greedy);
    builder.setOut(body.end, loop);
    return new Fragment(loop, end, true, Traits.VARYING);
  }

  private Fragment plus(Fragment body, boolean greedy) {
    int end = builder.join();
    builder.setOut(body.end, choice(body.begin, end, greedy));
    return new Fragment(body.begin, end, body.isNullable, body.bytes == 0 ? 0 : Traits.VARYING);
  }

  private Fragment optional(Fragment body, boolean greedy) {
    int end = builder.join();
    builder.setOut(body.end, end);
    int begin = choice(body.begin, end, greedy);
    return new Fragment(begin, end, true, body.bytes == 0 ? 0 : Traits.VARYING);
  }

  /** Whether {@code node} begins, or ends, with {@code anchor}. */
  private static boolean isAt(RegexNode node, int anchor) {
    RegexNode at = node;
    while (true) {
      switch (at) {
        case Group group -> at = group.body();
        case Concatenation(var parts, _) -> {
          if (parts.isEmpty()) {
            return false;
          }
          at = anchor == Assertions.BEGIN_TEXT ? parts.getFirst() : parts.getLast();
        }
        case Assertion(int flags) -> {
          return flags == anchor;
        }
        case Alternation _, Repetition _, Rune _, Runes _, AnyByte _ -> {
          return false;
        }
      }
    }
  }

  /** The UTF-8 of the code points that {@code node} begins with. */
  private static byte[] prefix(RegexNode node) {
    ByteArrayOutputStream prefix = new ByteArrayOutputStream();
    Deque<RegexNode> rest = new ArrayDeque<>();
    rest.push(node);
    while (!rest.isEmpty() && prefix.size() < MAX_PREFIX) {
      switch (rest.pop()) {
        case Rune(int rune) -> {
          int size = Utf8.size(rune);
          for (int i = 0; i < size; i++) {
            prefix.write(Utf8.byteOf(rune, size, i));
          }
        }
        case Group group -> rest.push(group.body());
        case Concatenation(var parts, _) -> parts.reversed().forEach(rest::push);
        case Alternation _, Repetition _, Runes _, AnyByte _, Assertion _ -> rest.clear();
      }
    }
    return prefix.toByteArray();
  }
}
