/**
 * Ops that parse tf.Example, tf.SequenceExample and CSV records. {@code ParseExampleOps} makes an
 * {@code ExampleParser} from the requested features ({@code ExampleFeature}); it decodes the wire
 * format by hand ({@code ExampleWire}), finds features by name ({@code FeatureNameIndex}), and
 * copies their values into the output arrays ({@code ParsedExamples}, {@code FeatureBuffer}).
 * {@code ParseSequenceExampleOps} has the same parts for context features and feature lists, whose
 * names begin with {@code Sequence}. {@code DecodeCsvOps} splits records with {@code CsvRecord}.
 * {@code ExampleFamily} lists the ops. Begin with {@code ParseExampleOps}.
 */
@NullMarked
package io.headrace.kernels.example;

import org.jspecify.annotations.NullMarked;
