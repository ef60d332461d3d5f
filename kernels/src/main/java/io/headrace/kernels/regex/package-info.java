/**
 * Regular expressions in RE2's syntax, matched in time linear in the text.
 *
 * <p>A pattern is parsed ({@link io.headrace.kernels.regex.RegexParser}) and compiled to a program
 * over bytes ({@link io.headrace.kernels.regex.RegexCompiler}). A lazily built automaton runs
 * forward to find where a match ends, a second one backward to find where it begins and which way
 * the groups went. Automata hold a bounded number of states; a program that thrashes them, or that
 * is too large for them, is simulated instead ({@link io.headrace.kernels.regex.PikeMatcher}).
 */
@NullMarked
package io.headrace.kernels.regex;

import org.jspecify.annotations.NullMarked;
