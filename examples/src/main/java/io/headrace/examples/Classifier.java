package io.headrace.examples;

import java.util.random.RandomGenerator;

/**
 * A small neural network in plain Java: one hidden layer of rectified linear units, softmax,
 * stochastic gradient descent with momentum. It stands for a trainer that consumes batches. Not
 * thread-safe.
 */
final class Classifier {
  private static final int HIDDEN = 64;
  private static final float MOMENTUM = 0.9f;

  private final int inputs;
  private final int classes;
  private final float[] hiddenWeights;
  private final float[] hiddenBias = new float[HIDDEN];
  private final float[] outputWeights;
  private final float[] outputBias;
  private final float[] hiddenStep;
  private final float[] hiddenBiasStep = new float[HIDDEN];
  private final float[] outputStep;
  private final float[] outputBiasStep;
  private final float[] hidden = new float[HIDDEN];
  private final float[] scores;

  Classifier(int inputs, int classes, RandomGenerator random) {
    this.inputs = inputs;
    this.classes = classes;
    this.hiddenWeights = randomWeights(inputs * HIDDEN, inputs, random);
    this.outputWeights = randomWeights(HIDDEN * classes, HIDDEN, random);
    this.outputBias = new float[classes];
    this.hiddenStep = new float[hiddenWeights.length];
    this.outputStep = new float[outputWeights.length];
    this.outputBiasStep = new float[classes];
    this.scores = new float[classes];
  }

  private static float[] randomWeights(int count, int fanIn, RandomGenerator random) {
    float[] weights = new float[count];
    float deviation = (float) Math.sqrt(2.0 / fanIn);
    for (int i = 0; i < count; i++) {
      weights[i] = (float) random.nextGaussian() * deviation;
    }
    return weights;
  }

  /** Learns from {@code count} images, consecutive in {@code pixels}; returns the mean loss. */
  float train(float[] pixels, int[] labels, int count, float learningRate) {
    scale(hiddenStep);
    scale(hiddenBiasStep);
    scale(outputStep);
    scale(outputBiasStep);
    float loss = 0;
    float rate = learningRate / count;
    for (int i = 0; i < count; i++) {
      predict(pixels, i * inputs);
      loss -= (float) Math.log(Math.max(scores[labels[i]], 1e-9f));
      scores[labels[i]] -= 1;
      backward(pixels, i * inputs, rate);
    }
    add(hiddenWeights, hiddenStep);
    add(hiddenBias, hiddenBiasStep);
    add(outputWeights, outputStep);
    add(outputBias, outputBiasStep);
    return loss / count;
  }

  /** The class of the image that starts at {@code offset}. */
  int classify(float[] pixels, int offset) {
    predict(pixels, offset);
    int best = 0;
    for (int c = 1; c < classes; c++) {
      if (scores[c] > scores[best]) {
        best = c;
      }
    }
    return best;
  }

  private void predict(float[] pixels, int offset) {
    System.arraycopy(hiddenBias, 0, hidden, 0, HIDDEN);
    for (int i = 0; i < inputs; i++) {
      float pixel = pixels[offset + i];
      if (pixel != 0) {
        addScaled(hidden, 0, hiddenWeights, i * HIDDEN, pixel, HIDDEN);
      }
    }
    System.arraycopy(outputBias, 0, scores, 0, classes);
    for (int j = 0; j < HIDDEN; j++) {
      hidden[j] = Math.max(hidden[j], 0);
      addScaled(scores, 0, outputWeights, j * classes, hidden[j], classes);
    }
    softmax();
  }

  private void softmax() {
    float max = Float.NEGATIVE_INFINITY;
    for (float score : scores) {
      max = Math.max(max, score);
    }
    float sum = 0;
    for (int c = 0; c < classes; c++) {
      scores[c] = (float) Math.exp(scores[c] - max);
      sum += scores[c];
    }
    for (int c = 0; c < classes; c++) {
      scores[c] /= sum;
    }
  }

  /** Adds the gradient of one image, whose error is in {@code scores}, to the steps. */
  private void backward(float[] pixels, int offset, float rate) {
    float[] error = new float[HIDDEN];
    for (int j = 0; j < HIDDEN; j++) {
      if (hidden[j] > 0) {
        for (int c = 0; c < classes; c++) {
          error[j] += scores[c] * outputWeights[j * classes + c];
        }
        addScaled(outputStep, j * classes, scores, 0, -rate * hidden[j], classes);
      }
    }
    addScaled(outputBiasStep, 0, scores, 0, -rate, classes);
    addScaled(hiddenBiasStep, 0, error, 0, -rate, HIDDEN);
    for (int i = 0; i < inputs; i++) {
      float pixel = pixels[offset + i];
      if (pixel != 0) {
        addScaled(hiddenStep, i * HIDDEN, error, 0, -rate * pixel, HIDDEN);
      }
    }
  }

  private static void addScaled(
      float[] to, int toOffset, float[] from, int fromOffset, float factor, int count) {
    for (int k = 0; k < count; k++) {
      to[toOffset + k] += factor * from[fromOffset + k];
    }
  }

  private static void scale(float[] step) {
    for (int k = 0; k < step.length; k++) {
      step[k] *= MOMENTUM;
    }
  }

  private static void add(float[] weights, float[] step) {
    for (int k = 0; k < weights.length; k++) {
      weights[k] += step[k];
    }
  }
}
