package io.headrace.runtime.graph;

import io.headrace.runtime.status.StatusException;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Shape;
import io.headrace.runtime.tensor.Tensor;
import java.util.List;

/**
 * Operations on strings for traced lambdas, element by element where nothing else is said. Strings
 * are bytes; methods that look at characters take them as UTF-8. Regular expressions have RE2's
 * syntax.
 *
 * <pre>{@code
 * lines.map(line -> Strings.split(Strings.lower(Strings.strip(line)), " "))
 * }</pre>
 */
public final class Strings {
  private static final String UTF_8 = "utf-8";

  private Strings() {}

  /** The strings in lower case. */
  public static Output lower(Output text) {
    return op(text, "StringLower").attr("encoding", UTF_8).build();
  }

  /** The strings in upper case. */
  public static Output upper(Output text) {
    return op(text, "StringUpper").attr("encoding", UTF_8).build();
  }

  /** The strings without white space at both ends. */
  public static Output strip(Output text) {
    return op(text, "StringStrip").build();
  }

  /** The number of bytes. */
  public static Output length(Output text) {
    return text.stringLength();
  }

  /** The number of characters. */
  public static Output characters(Output text) {
    return op(text, "StringLength").attr("unit", "UTF8_CHAR").build();
  }

  /**
   * The parts of a scalar between separators: a vector.
   *
   * @param separator if it is empty, white space of any length separates, and parts are not empty
   */
  public static Output split(Output text, String separator) {
    if (text.shape().rank() > 0) {
      throw StatusException.invalidArgument(
          "split takes a scalar, and was given %s: unbatch first", text);
    }
    Output parts =
        op(text.expandDims(0), "StringSplitV2").input(Tensor.scalar(separator)).buildAll().get(1);
    return GraphBuilder.currentFor(text)
        .op("EnsureShape")
        .input(parts)
        .attr("shape", Shape.of(Shape.UNKNOWN_DIMENSION))
        .build();
  }

  /** The strings of all of {@code texts} behind each other, with {@code separator} between. */
  public static Output join(List<Output> texts, String separator) {
    return GraphBuilder.currentFor(texts.getFirst())
        .op("StringJoin")
        .inputs(texts)
        .attr("separator", separator)
        .build();
  }

  /** The strings of a vector in one, with {@code separator} between. */
  public static Output joinAll(Output texts, String separator) {
    return op(texts, "ReduceJoin").input(Tensor.vector(0)).attr("separator", separator).build();
  }

  /** {@code length} bytes from byte {@code start} on; a negative start counts from the end. */
  public static Output substring(Output text, int start, int length) {
    return op(text, "Substr").input(Tensor.scalar(start)).input(Tensor.scalar(length)).build();
  }

  /** Whether each string as a whole matches {@code pattern}. */
  public static Output matches(Output text, String pattern) {
    return text.matches(pattern);
  }

  /**
   * The strings with every match of {@code pattern} replaced by {@code rewrite}, in which {@code
   * \1} to {@code \9} stand for groups, and {@code \0} for the match.
   */
  public static Output regexReplace(Output text, String pattern, String rewrite) {
    return replaced(text, pattern, rewrite, true);
  }

  /** The same for the first match of each string. */
  public static Output regexReplaceFirst(Output text, String pattern, String rewrite) {
    return replaced(text, pattern, rewrite, false);
  }

  private static Output replaced(Output text, String pattern, String rewrite, boolean all) {
    return op(text, "StaticRegexReplace")
        .attr("pattern", pattern)
        .attr("rewrite", rewrite)
        .attr("replace_global", all)
        .build();
  }

  /**
   * The numbers that the strings are: float32, float64, int32 or int64. A string that is none fails
   * with INVALID_ARGUMENT.
   */
  public static Output toNumber(Output text, DataType type) {
    return op(text, "StringToNumber").attr("out_type", type).build();
  }

  /** The values as strings. */
  public static Output of(Output values) {
    return values.asString();
  }

  /** A number from 0 up to, excluding, {@code buckets}, for each string: its hash; int64. */
  public static Output hashBucket(Output text, long buckets) {
    return op(text, "StringToHashBucketFast").attr("num_buckets", buckets).build();
  }

  /**
   * The fields of CSV records, a component a column, with the dtypes of {@code defaults}.
   *
   * @param defaults the value of a missing field, a vector of one; an empty vector if that is an
   *     error
   */
  public static List<Output> decodeCsv(Output records, String delimiter, List<Tensor> defaults) {
    return op(records, "DecodeCSV").constants(defaults).attr("field_delim", delimiter).buildAll();
  }

  /** The strings in web-safe base64, without padding. */
  public static Output encodeBase64(Output text) {
    return op(text, "EncodeBase64").build();
  }

  /** The bytes that web-safe base64 stands for. */
  public static Output decodeBase64(Output text) {
    return op(text, "DecodeBase64").build();
  }

  /** The uncompressed bytes of each string: {@code GZIP}, {@code ZLIB}, or empty for as it is. */
  public static Output uncompress(Output text, String compression) {
    return op(text, "DecodeCompressed").attr("compression_type", compression).build();
  }

  private static NodeBuilder op(Output first, String name) {
    return GraphBuilder.currentFor(first).op(name).input(first);
  }
}
