package io.headrace.kernels.image;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Greedy non-maximum suppression: selects boxes in descending order of their scores and drops boxes
 * whose iou (intersection over union) with a selected box exceeds a threshold. Soft-NMS (Bodla et
 * al., "Soft-NMS", ICCV 2017) lowers the score of an overlapping box instead. Intermediate results
 * are rounded to the boxes' dtype where TensorFlow rounds.
 */
final class NonMaxSuppression {
  /** How much two boxes overlap. */
  @FunctionalInterface
  interface Overlap {
    /** The overlap of boxes {@code i} and {@code j}. */
    float of(int i, int j);
  }

  private final DataType dtype;
  private final float[] boxScores;
  private final Overlap overlap;
  private final float iouThreshold;
  private final float scoreThreshold;

  /** The factor of the squared iou in Soft-NMS's exponent, -0.5 / sigma; 0 for hard NMS. */
  private final float scale;

  private final List<Integer> selected = new ArrayList<>();
  private final List<Float> scores = new ArrayList<>();

  /** A box not yet selected, and the number of selected boxes that its score accounts for. */
  private record Candidate(int box, float score, int compared) implements Comparable<Candidate> {
    @Override
    public int compareTo(Candidate other) {
      int byScore = Float.compare(other.score, score);
      return byScore != 0 ? byScore : Integer.compare(box, other.box);
    }
  }

  NonMaxSuppression(
      Tensor boxes, Tensor scores, float iouThreshold, float scoreThreshold, float sigma) {
    float[] corners = ImageFloats.of(boxes);
    this.dtype = boxes.dtype();
    this.boxScores = ImageFloats.of(scores);
    this.overlap = (i, j) -> iou(corners, i, j);
    this.iouThreshold = iouThreshold;
    this.scoreThreshold = scoreThreshold;
    this.scale = sigma > 0 ? round(-0.5f / sigma, scores.dtype()) : 0;
  }

  /** Suppresses boxes with {@code scores} that overlap by more than {@code threshold}. */
  NonMaxSuppression(float[] scores, Overlap overlap, float threshold, float scoreThreshold) {
    this.dtype = DataType.FLOAT32;
    this.boxScores = scores;
    this.overlap = overlap;
    this.iouThreshold = threshold;
    this.scoreThreshold = scoreThreshold;
    this.scale = 0;
  }

  static float round(float value, DataType dtype) {
    return dtype == DataType.FLOAT16 ? Float.float16ToFloat(Float.floatToFloat16(value)) : value;
  }

  private float round(float value) {
    return round(value, dtype);
  }

  /** The indices of the selected boxes, in order of selection. */
  List<Integer> selected() {
    return selected;
  }

  /** The scores of the selected boxes, after Soft-NMS. */
  List<Float> scores() {
    return scores;
  }

  /** Selects up to {@code max} boxes. */
  void run(int max, Cancellation stop) {
    PriorityQueue<Candidate> candidates = new PriorityQueue<>();
    for (int i = 0; i < boxScores.length; i++) {
      if (boxScores[i] > scoreThreshold) {
        candidates.add(new Candidate(i, boxScores[i] + 0f, 0)); // normalizes -0 to +0
      }
    }
    while (selected.size() < max) {
      stop.check();
      Candidate next = candidates.poll();
      if (next == null) {
        return;
      }
      float score = suppress(next);
      if (score == next.score) {
        selected.add(next.box);
        scores.add(boxScores[next.box] == score ? boxScores[next.box] : score);
      } else if (score > scoreThreshold) {
        candidates.add(new Candidate(next.box, score, selected.size()));
      }
    }
  }

  /** The candidate's score after suppression; negative infinity if a selected box drops it. */
  private float suppress(Candidate candidate) {
    float score = candidate.score;
    for (int i = selected.size() - 1; i >= candidate.compared; i--) {
      float iou = round(overlap.of(candidate.box, selected.get(i)));
      if (scale == 0) {
        if (iou > iouThreshold) {
          return Float.NEGATIVE_INFINITY;
        }
        continue;
      }
      float exponent = round(round(scale * iou) * iou);
      score = round(score * round((float) Math.exp(exponent)));
      if (score <= scoreThreshold) {
        break;
      }
    }
    return score;
  }

  /** Intersection over union of boxes {@code i} and {@code j}; 0 if either is empty. */
  static float iou(float[] corners, int i, int j) {
    float top = Math.max(low(corners, i, 0), low(corners, j, 0));
    float left = Math.max(low(corners, i, 1), low(corners, j, 1));
    float bottom = Math.min(high(corners, i, 0), high(corners, j, 0));
    float right = Math.min(high(corners, i, 1), high(corners, j, 1));
    float areaI = area(corners, i);
    float areaJ = area(corners, j);
    if (areaI <= 0 || areaJ <= 0) {
      return 0;
    }
    float intersection = Math.max(bottom - top, 0f) * Math.max(right - left, 0f);
    return intersection / (areaI + areaJ - intersection);
  }

  private static float area(float[] corners, int box) {
    float height = high(corners, box, 0) - low(corners, box, 0);
    return height * (high(corners, box, 1) - low(corners, box, 1));
  }

  private static float low(float[] corners, int box, int axis) {
    return Math.min(corners[4 * box + axis], corners[4 * box + axis + 2]);
  }

  private static float high(float[] corners, int box, int axis) {
    return Math.max(corners[4 * box + axis], corners[4 * box + axis + 2]);
  }
}
