/**
 * The pages, JSON and metrics of a dispatcher or worker over HTTP. Begin with {@link
 * io.headrace.cli.web.WebServer}, which refuses all but safe requests, and {@link
 * io.headrace.cli.web.DispatcherSite}, which has a dispatcher's pages and their JSON.
 */
@NullMarked
package io.headrace.cli.web;

import org.jspecify.annotations.NullMarked;
