package io.headrace.kernels.image;

import io.headrace.runtime.status.Cancellation;
import io.headrace.runtime.tensor.DataType;
import io.headrace.runtime.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Chooses boxes by their scores, highest first, and leaves those out that overlap a chosen one too
 * much; or, softly (Bodla et al., "Soft-NMS", ICCV 2017), lowers their scores by how much. Numbers
 * are rounded to the boxes' dtype where TensorFlow's are.
 */
final class BoxSuppression {
  private final DataType dtype;
  private final float[] corners;
  private final float[] boxScores;
  private final float overlapThreshold;
  private final float scoreThreshold;

  /** By what squares of overlaps are multiplied, in the exponent; 0 if boxes are left out. */
  private final float softness;

  private final List<Integer> chosen = new ArrayList<>();
  private final List<Float> scores = new ArrayList<>();

  /** A box that may be chosen, and how many of the chosen ones it was compared with. */
  private record Candidate(int box, float score, int compared) implements Comparable<Candidate> {
    @Override
    public int compareTo(Candidate other) {
      int byScore = Float.compare(other.score, score);
      return byScore != 0 ? byScore : Integer.compare(box, other.box);
    }
  }

  BoxSuppression(
      Tensor boxes, Tensor scores, float overlapThreshold, float scoreThreshold, float sigma) {
    this.dtype = boxes.dtype();
    this.corners = ImageFloats.of(boxes);
    this.boxScores = ImageFloats.of(scores);
    this.overlapThreshold = overlapThreshold;
    this.scoreThreshold = scoreThreshold;
    this.softness = sigma > 0 ? round(-0.5f / sigma, scores.dtype()) : 0;
  }

  static float round(float value, DataType dtype) {
    return dtype == DataType.FLOAT16 ? Float.float16ToFloat(Float.floatToFloat16(value)) : value;
  }

  private float round(float value) {
    return round(value, dtype);
  }

  /** The places of the chosen boxes, in the order of their choice. */
  List<Integer> chosen() {
    return chosen;
  }

  /** The scores that they were chosen by. */
  List<Float> scores() {
    return scores;
  }

  /** Chooses up to {@code max} boxes. */
  void run(int max, Cancellation stop) {
    PriorityQueue<Candidate> candidates = new PriorityQueue<>();
    for (int i = 0; i < corners.length / 4; i++) {
      if (boxScores[i] > scoreThreshold) {
        candidates.add(new Candidate(i, boxScores[i] + 0f, 0)); // one zero, not two
      }
    }
    while (chosen.size() < max) {
      stop.check();
      Candidate next = candidates.poll();
      if (next == null) {
        return;
      }
      float score = suppressed(next);
      if (score == next.score) {
        chosen.add(next.box);
        scores.add(boxScores[next.box] == score ? boxScores[next.box] : score);
      } else if (score > scoreThreshold) {
        candidates.add(new Candidate(next.box, score, chosen.size()));
      }
    }
  }

  /** The candidate's score as the chosen boxes leave it; below all others if one drops it. */
  private float suppressed(Candidate candidate) {
    float score = candidate.score;
    for (int i = chosen.size() - 1; i >= candidate.compared; i--) {
      float overlap = round(overlap(candidate.box, chosen.get(i)));
      if (softness == 0) {
        if (overlap > overlapThreshold) {
          return Float.NEGATIVE_INFINITY;
        }
        continue;
      }
      float exponent = round(round(softness * overlap) * overlap);
      score = round(score * round((float) Math.exp(exponent)));
      if (score <= scoreThreshold) {
        break;
      }
    }
    return score;
  }

  /** The area that both boxes have, by that which either has. */
  private float overlap(int i, int j) {
    float top = Math.max(low(i, 0), low(j, 0));
    float left = Math.max(low(i, 1), low(j, 1));
    float bottom = Math.min(high(i, 0), high(j, 0));
    float right = Math.min(high(i, 1), high(j, 1));
    float areaI = (high(i, 0) - low(i, 0)) * (high(i, 1) - low(i, 1));
    float areaJ = (high(j, 0) - low(j, 0)) * (high(j, 1) - low(j, 1));
    if (areaI <= 0 || areaJ <= 0) {
      return 0;
    }
    float both = Math.max(bottom - top, 0f) * Math.max(right - left, 0f);
    return both / (areaI + areaJ - both);
  }

  private float low(int box, int axis) {
    return Math.min(corners[4 * box + axis], corners[4 * box + axis + 2]);
  }

  private float high(int box, int axis) {
    return Math.max(corners[4 * box + axis], corners[4 * box + axis + 2]);
  }
}
