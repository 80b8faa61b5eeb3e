import { AppError } from "../kernel/errors.js";
import { DEFAULT_GRAPH, type QuadLike } from "./term.js";
import { TermScanner } from "./term-scanner.js";

/**
 * Reads N-Quads or N-Triples of RDF 1.2, piece by piece: for datasets that are too large to be a text. Labels of
 * blank nodes stay as they are written.
 * @param pieces the text, cut anywhere.
 * @throws AppError `INVALID_ARGUMENT` with line and column. What is too long for a store, its user says.
 */
export function* readNQuads(pieces: Iterable<string>): Generator<QuadLike> {
  let line = 1;
  let rest = "";
  const scanner = new TermScanner((reason, column) => malformed(reason, line, column));
  for (const piece of pieces) {
    const text = rest === "" ? piece : rest + piece;
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      scanner.open(text, start, end);
      const quad = readLine(scanner);
      if (quad !== undefined) yield quad;
      start = end + 1;
      line += 1;
    }
    rest = text.slice(start);
  }
  scanner.open(rest, 0, rest.length);
  const quad = readLine(scanner);
  if (quad !== undefined) yield quad;
}

/** The quad of a line; undefined when the line is empty or only announces a version. */
function readLine(scanner: TermScanner): QuadLike | undefined {
  if (scanner.isOver()) return undefined;
  if (scanner.take("VERSION")) {
    readVersion(scanner);
    return undefined;
  }
  const subject = scanner.term("subject");
  const predicate = scanner.term("predicate");
  const object = scanner.term("object");
  if (scanner.take(".")) {
    refuseMore(scanner, "the dot");
    return { subject, predicate, object, graph: DEFAULT_GRAPH };
  }
  const graph = scanner.term("graph");
  if (!scanner.take(".")) throw scanner.wrong("a dot must end the statement");
  refuseMore(scanner, "the dot");
  return { subject, predicate, object, graph };
}

/** What can be announced (RDF 1.2 Concepts §2.1): all of it is read whatever is announced. */
const VERSIONS: readonly string[] = ["1.1", "1.2-basic", "1.2"];

function readVersion(scanner: TermScanner): void {
  const version = scanner.quoted();
  if (!VERSIONS.includes(version)) {
    throw scanner.wrong(`RDF ${version} cannot be read: ${VERSIONS.join(", ")} can`);
  }
  refuseMore(scanner, "the version");
}

function refuseMore(scanner: TermScanner, what: string): void {
  if (!scanner.isOver()) throw scanner.wrong(`nothing may follow ${what}`);
}

function malformed(reason: string, line: number, column: number): AppError {
  const told = `line ${line}, column ${column}: ${reason}`;
  return new AppError("INVALID_ARGUMENT", `content: ${told}`, {
    details: [{ field: "content", reason: told }],
  });
}
