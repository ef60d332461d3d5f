package io.headrace.runtime.expression;

import io.headrace.runtime.expression.LoopProgram.Instruction;
import io.headrace.runtime.tensor.DataType;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * A part of a program, small enough for HotSpot to vectorize its loop. The pieces of a program run
 * one after the other over the same elements; all but the last produce a temporary column that
 * later ones read.
 *
 * @param program the computation of the piece
 * @param sources the source of each operand: an operand of the whole program, or, numbered after
 *     those, the result of an earlier piece
 */
public record LoopPiece(LoopProgram program, List<Integer> sources) {
  /** The maximum weight of a loop; heavier loops can be a hundred times slower. */
  private static final int MAX_WEIGHT = 32;

  /**
   * Cuts {@code whole} into pieces of at most the maximum weight; the last one computes its result.
   */
  public static List<LoopPiece> cut(LoopProgram whole) {
    return new Cutter(whole).cut();
  }

  /**
   * Cuts {@code whole} so that a piece of its own computes each of the values {@code at}, whatever
   * its weight; the last piece computes the result.
   *
   * @param at positions of instructions
   */
  public static List<LoopPiece> cutAt(LoopProgram whole, BitSet at) {
    Cutter cutter = new Cutter(whole);
    at.stream().forEach(position -> cutter.columns.put(position, 0));
    return cutter.pieces();
  }

  private static final class Cutter {
    private final LoopProgram whole;
    private final List<Instruction> instructions;

    /**
     * For each value, the instructions computed together with it: all those since the last columns.
     */
    private final BitSet[] cones;

    /** The values stored in columns, with their column numbers. */
    private final Map<Integer, Integer> columns = new TreeMap<>();

    Cutter(LoopProgram whole) {
      this.whole = whole;
      this.instructions = whole.instructions();
      this.cones = new BitSet[instructions.size()];
    }

    List<LoopPiece> cut() {
      for (int i = 0; i < cones.length; i++) {
        List<Integer> operands = LoopProgram.operands(instructions.get(i));
        cones[i] = cone(i, operands);
        while (weight(cones[i]) > MAX_WEIGHT && makeColumn(operands)) {
          cones[i] = cone(i, operands);
        }
      }
      return pieces();
    }

    /** The pieces that compute the columns and the last value. */
    List<LoopPiece> pieces() {
      columns.put(instructions.size() - 1, 0);
      int number = whole.inputs().size();
      for (Map.Entry<Integer, Integer> column : columns.entrySet()) {
        column.setValue(number++);
      }
      return columns.keySet().stream().map(this::piece).toList();
    }

    private BitSet cone(int position, List<Integer> operands) {
      BitSet cone = new BitSet();
      cone.set(position);
      for (int operand : operands) {
        if (columns.containsKey(operand)) {
          cone.set(operand);
        } else {
          cone.or(cones[operand]);
        }
      }
      return cone;
    }

    private int weight(BitSet cone) {
      return cone.stream()
          .map(i -> columns.containsKey(i) ? 1 : LoopProgram.weight(instructions.get(i)))
          .sum();
    }

    /** Stores the heaviest of {@code operands} in a column; returns whether any had weight. */
    private boolean makeColumn(List<Integer> operands) {
      int heaviest = -1;
      int most = 1;
      for (int operand : operands) {
        int weight = columns.containsKey(operand) ? 0 : weight(cones[operand]);
        if (weight > most) {
          most = weight;
          heaviest = operand;
        }
      }
      if (heaviest < 0) {
        return false;
      }
      columns.put(heaviest, 0);
      return true;
    }

    /** The instructions on which {@code result} depends, down to columns. */
    private BitSet needed(int result) {
      BitSet needed = new BitSet();
      needed.set(result);
      for (int i = result; i >= 0; i = needed.previousSetBit(i - 1)) {
        if (i == result || !columns.containsKey(i)) {
          LoopProgram.operands(instructions.get(i)).forEach(needed::set);
        }
      }
      return needed;
    }

    private LoopPiece piece(int result) {
      List<DataType> inputs = new ArrayList<>();
      List<Integer> sources = new ArrayList<>();
      List<Instruction> body = new ArrayList<>();
      Map<Integer, Integer> positions = new HashMap<>();
      for (int i : needed(result).stream().toArray()) {
        positions.put(i, body.size());
        body.add(renumbered(i, result, inputs, sources, positions));
      }
      return new LoopPiece(new LoopProgram(inputs, body), List.copyOf(sources));
    }

    private Instruction renumbered(
        int position,
        int result,
        List<DataType> inputs,
        List<Integer> sources,
        Map<Integer, Integer> positions) {
      Instruction instruction = instructions.get(position);
      Integer column = position == result ? null : columns.get(position);
      if (column != null) {
        return new Instruction.Load(
            operand(column, instruction.dtype(), inputs, sources), 0, instruction.dtype());
      }
      return switch (instruction) {
        case Instruction.Literal literal -> literal;
        case Instruction.Load load ->
            new Instruction.Load(
                operand(load.index(), whole.inputs().get(load.index()), inputs, sources),
                load.part(),
                load.dtype());
        case Instruction.Cast cast ->
            new Instruction.Cast(Objects.requireNonNull(positions.get(cast.value())), cast.dtype());
        case Instruction.Join join ->
            new Instruction.Join(
                Objects.requireNonNull(positions.get(join.real())),
                Objects.requireNonNull(positions.get(join.imaginary())),
                join.dtype());
        case Instruction.Compute compute ->
            new Instruction.Compute(
                compute.operation(),
                compute.operands().stream().map(positions::get).toList(),
                compute.dtype());
      };
    }

    /** The operand of the piece that reads {@code source}. */
    private static int operand(
        int source, DataType dtype, List<DataType> inputs, List<Integer> sources) {
      int known = sources.indexOf(source);
      if (known >= 0) {
        return known;
      }
      inputs.add(dtype);
      sources.add(source);
      return inputs.size() - 1;
    }
  }
}
