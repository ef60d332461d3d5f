/*
 * Prints one line with the counts of all tests when the build ends, and before it each failed test with its trace and
 * its log, and the lines that begin with "summary: " in the logs of all tests: what they compared, and how many of it. The root pom runs this script in Maven's own JVM at the start of a build, where it registers a listener: no
 * plugin runs at the end of a build that fails.
 *
 * It reads the reports that Surefire wrote since the build began, in the modules of this build. Surefire itself fails
 * the module of a failed test; this script decides nothing.
 */
import groovy.transform.CompileStatic
import java.nio.file.Path
import javax.xml.parsers.DocumentBuilderFactory
import org.apache.maven.execution.ExecutionEvent
import org.apache.maven.execution.ExecutionListener
import org.w3c.dom.Element
import org.w3c.dom.NodeList

/** The tests of many reports. */
@CompileStatic
class TestReports {
  private static final int MOST_FAILURES = 20
  private static final int MOST_TRACE_LINES = 60
  private static final int MOST_LOG_LINES = 200

  private static final String SUMMARY = 'summary: '

  private final Path root
  private final PrintStream out
  private final List<String> summaries = []
  private int passed
  private int failed
  private int skipped

  TestReports(Path root, PrintStream out) {
    this.root = root
    this.out = out
  }

  /** Counts the tests of a module, and prints those that failed; in a failed build a class may lack its report. */
  void add(String directory, long since, boolean buildFailed) {
    File[] files = new File(directory).listFiles({ File file -> file.lastModified() >= since } as FileFilter)
    List<File> recent = (files as List<File> ?: []).sort { it.name }
    Set<String> reported = []
    for (File file : recent.findAll { it.name ==~ /TEST-.*\.xml/ }) {
      reported.add(file.name[5..-5])
      addReport(file)
    }
    for (File log : recent.findAll { it.name.endsWith('-output.txt') }) {
      String test = log.name - '-output.txt'
      if (buildFailed && test != 'null' && !reported.contains(test)) {
        addUnfinished(test, log)
      }
      log.eachLine { String line -> addSummary(line) }
    }
  }

  private void addSummary(String line) {
    if (line.startsWith(SUMMARY)) {
      summaries.add(line.substring(SUMMARY.length()))
    }
  }

  private void addReport(File report) {
    Element suite = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report).documentElement
    for (Element test : children(suite, 'testcase')) {
      List<Element> problems = children(test, 'failure') + children(test, 'error')
      if (problems) {
        addFailed(test, problems[0], report)
      } else if (children(test, 'skipped')) {
        skipped++
      } else {
        passed++
      }
    }
  }

  private void addFailed(Element test, Element problem, File report) {
    List<String> names = [test.getAttribute('classname'), test.getAttribute('name')]
    out.println("FAILED ${names.findAll().join('.')}")
    if (++failed <= MOST_FAILURES) {
      problem.textContent.trim().readLines().take(MOST_TRACE_LINES).each { out.println("    ${it}") }
      children(test, 'system-out').each { printLog('standard output', it.textContent.readLines()) }
      children(test, 'system-err').each { printLog('standard error', it.textContent.readLines()) }
      out.println("  report: ${root.relativize(report.toPath())}\n")
    }
  }

  /** A class that logged and has no report: its JVM ended before it did. */
  private void addUnfinished(String test, File log) {
    failed++
    out.println("FAILED ${test}: it did not end")
    printLog('output', log.readLines())
    out.println("  log: ${root.relativize(log.toPath())}\n")
  }

  private void printLog(String name, List<String> lines) {
    List<String> shown = lines.takeRight(MOST_LOG_LINES)
    out.println("  ${name}${shown.size() < lines.size() ? ", the last ${shown.size()} of ${lines.size()} lines" : ''}:")
    shown.each { out.println("  | ${it}") }
  }

  void printSummaries() {
    summaries.each { out.println(it) }
  }

  String counts() {
    return "${passed} passed, ${failed} failed, ${skipped} skipped"
  }

  private static List<Element> children(Element element, String name) {
    List<Element> found = []
    NodeList nodes = element.childNodes
    for (int i = 0; i < nodes.length; i++) {
      if (nodes.item(i).nodeName == name) {
        found.add((Element) nodes.item(i))
      }
    }
    return found
  }
}

/** Passes all events on to Maven's own listener, and reports when the build ends. */
class TestReport implements ExecutionListener {
  @Delegate private final ExecutionListener maven
  private final String label
  private volatile boolean tested

  TestReport(ExecutionListener maven, String label) {
    this.maven = maven
    this.label = label
  }

  @Override
  void mojoStarted(ExecutionEvent event) {
    if (event.mojoExecution.artifactId == 'maven-surefire-plugin') {
      tested = true
    }
    maven.mojoStarted(event)
  }

  @Override
  void sessionEnded(ExecutionEvent event) {
    maven.sessionEnded(event)
    if (tested) {
      report(event.session)
    }
  }

  private void report(session) {
    TestReports reports = new TestReports(session.request.multiModuleProjectDirectory.toPath(), System.out)
    boolean failed = session.result.hasExceptions()
    session.projects.each { reports.add("${it.build.directory}/surefire-reports", session.startTime.time, failed) }
    reports.printSummaries()
    String counts = "${label}: ${reports.counts()}"
    if (failed) {
      // After what Maven prints about the failure.
      Runtime.runtime.addShutdownHook(new LastLine("\n${counts}"))
    } else {
      println(counts)
    }
  }
}

/** Prints a line. It loads no class: by the time the JVM ends, Maven has closed the class loader of this script. */
@CompileStatic
class LastLine extends Thread {
  private final String line

  LastLine(String line) {
    this.line = line
  }

  @Override
  void run() {
    System.out.println(line)
  }
}

session.request.executionListener = new TestReport(session.request.executionListener, testsLabel)
