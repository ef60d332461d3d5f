package io.headrace.runtime.gradient;

import io.headrace.runtime.graph.Output;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The gradient of {@code Einsum}, itself made of Einsum nodes: for one input, the equation
 * reversed; for two, the product of the gradient with the other input. A label of one input only
 * was summed, so the gradient is constant along it. Internally, a full stop represents the
 * ellipsis, as one label among others.
 */
final class EinsumGradient {
  private static final String ELLIPSIS = "...";
  private static final char BROADCAST = '.';

  private final BackpropContext at;
  private final List<String> inputs;
  private final String output;

  private EinsumGradient(BackpropContext at) {
    this.at = at;
    String[] sides = at.attrs().string("equation").replace(ELLIPSIS, ".").split("->", -1);
    this.output = sides[1];
    this.inputs = List.of(sides[0].split(",", -1));
  }

  static List<@Nullable Output> of(BackpropContext at) {
    return new EinsumGradient(at).gradients();
  }

  private List<@Nullable Output> gradients() {
    if (inputs.size() == 1) {
      return List.of(spread(at.dy(), output, inputs.getFirst(), at.x(0)));
    }
    String x = withBroadcast(inputs.get(0));
    String y = withBroadcast(inputs.get(1));
    Output dx = ofProduct(x, at.x(0), y, at.x(1));
    Output dy = ofProduct(y, at.x(1), x, at.x(0));
    if (!has(output, BROADCAST)) {
      return List.of(dx, dy);
    }
    List<Output> axes =
        at.op("BroadcastGradientArgs").input(batch(at.x(0), x)).input(batch(at.x(1), y)).buildAll();
    return List.of(summed(dx, axes.get(0), x, at.x(0)), summed(dy, axes.get(1), y, at.x(1)));
  }

  private static boolean has(String labels, int label) {
    return labels.indexOf(label) >= 0;
  }

  /** {@code labels}, with an empty ellipsis if only the output and the other input have one. */
  private String withBroadcast(String labels) {
    return has(output, BROADCAST) && !has(labels, BROADCAST) ? labels + BROADCAST : labels;
  }

  private Output einsum(List<Output> operands, String equation) {
    return at.op("Einsum")
        .inputs(operands)
        .attr("equation", equation.replace(".", ELLIPSIS))
        .build();
  }

  /**
   * The gradient of {@code x}, which was multiplied by {@code other}, before summation over
   * broadcast axes.
   */
  private Output ofProduct(String labels, Output x, String otherLabels, Output other) {
    String known = output + otherLabels + BROADCAST;
    String kept = only(labels, known, true);
    Output products = einsum(List.of(at.dy(), other), output + "," + otherLabels + "->" + kept);
    return kept.equals(labels) ? products : spread(products, kept, labels, x);
  }

  /** The labels of {@code labels} that {@code of} contains, or does not contain. */
  private static String only(String labels, String of, boolean isThere) {
    return labels
        .chars()
        .filter(label -> has(of, label) == isThere)
        .mapToObj(Character::toString)
        .collect(Collectors.joining());
  }

  /** A gradient with the labels {@code given}, repeated along the missing labels of {@code x}. */
  private Output spread(Output gradient, String given, String labels, Output x) {
    String missing =
        only(labels, given + BROADCAST, false)
            .chars()
            .distinct()
            .mapToObj(Character::toString)
            .collect(Collectors.joining());
    if (missing.isEmpty()) {
      return einsum(List.of(gradient), given + "->" + labels);
    }
    Output shape = at.shape(x);
    List<Output> sizes = new ArrayList<>();
    missing.chars().forEach(label -> sizes.add(shape.at(axis(labels, label))));
    Output larger =
        at.op("ConcatV2")
            .inputs(List.of(at.op("Pack").inputs(sizes).build(), at.shape(gradient)))
            .input(Tensor.scalar(0))
            .build();
    Output repeated = at.binary("BroadcastTo", gradient, larger);
    return einsum(List.of(repeated), missing + given + "->" + labels);
  }

  /** The first axis of {@code label}, counted from the end if an ellipsis precedes it. */
  private static int axis(String labels, int label) {
    int place = labels.indexOf(label);
    int ellipsis = labels.indexOf(BROADCAST);
    return ellipsis >= 0 && ellipsis < place ? place - labels.length() : place;
  }

  /** The sizes of the axes covered by the ellipsis of {@code x}. */
  private Output batch(Output x, String labels) {
    int before = labels.indexOf(BROADCAST);
    int behind = labels.length() - before - 1;
    return at.op("StridedSlice")
        .input(at.shape(x))
        .input(at.ints(before))
        .input(at.ints(-behind))
        .input(at.ints(1))
        .attr("end_mask", behind == 0 ? 1 : 0)
        .build();
  }

  /** {@code gradient} summed over the ellipsis axes along which {@code x} was broadcast. */
  private Output summed(Output gradient, Output axes, String labels, Output x) {
    int before = labels.indexOf(BROADCAST);
    return at.sumTo(gradient, before == 0 ? axes : axes.add(before), x);
  }
}
