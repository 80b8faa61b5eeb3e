import { AppError } from "@steward/kernel/errors.js";
import { DEFAULT_GRAPH, type QuadLike } from "./term.js";
import { TermScanner } from "./term-scanner.js";

/**
 * Parses N-Quads or N-Triples of RDF 1.2 incrementally, for datasets that are too large for one
 * string. Labels of blank nodes are not changed.
 * @param pieces the text, split anywhere.
 * @throws AppError `INVALID_ARGUMENT` with line and column. Length limits are the caller's
 * responsibility.
 */
export function* readNQuads(pieces: Iterable<string>): Generator<QuadLike> {
  const reader = new NQuadsReader();
  for (const piece of pieces) yield* reader.read(piece);
  yield* reader.end();
}

/** Incremental parser of N-Quads or N-Triples of RDF 1.2. */
export class NQuadsReader {
  #line = 1;
  /** An incomplete line from the previous piece. */
  #rest = "";
  readonly #scanner = new TermScanner((reason, column) => malformed(reason, this.#line, column));
  readonly #hasGraphs: boolean;

  /** @param format N-Triples allows no graphs. */
  constructor(format: "n-quads" | "n-triples" = "n-quads") {
    this.#hasGraphs = format === "n-quads";
  }

  /** The quads of the lines that end in this piece. @throws AppError `INVALID_ARGUMENT` with line and column. */
  *read(piece: string): Generator<QuadLike> {
    const text = this.#rest === "" ? piece : this.#rest + piece;
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      const quad = this.#quad(text, start, end);
      if (quad !== undefined) yield quad;
      start = end + 1;
      this.#line += 1;
    }
    this.#rest = text.slice(start);
  }

  /**
   * The quad of a last line without a newline.
   * @throws AppError as {@link read}.
   */
  *end(): Generator<QuadLike> {
    const quad = this.#quad(this.#rest, 0, this.#rest.length);
    if (quad !== undefined) yield quad;
  }

  /** An error about the statement that was read last. */
  wrong(reason: string): AppError {
    return malformed(reason, this.#line, 1);
  }

  #quad(text: string, start: number, end: number): QuadLike | undefined {
    this.#scanner.open(text, start, end);
    return readLine(this.#scanner, this.#hasGraphs);
  }
}

/** The quad of a line; undefined for an empty line or a VERSION directive. */
function readLine(scanner: TermScanner, hasGraphs: boolean): QuadLike | undefined {
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
  if (!hasGraphs) throw scanner.wrong("a dot must end the statement: N-Triples has no graphs");
  const graph = scanner.term("graph");
  if (!scanner.take(".")) throw scanner.wrong("a dot must end the statement");
  refuseMore(scanner, "the dot");
  return { subject, predicate, object, graph };
}

/**
 * Values of the VERSION directive (RDF 1.2 Concepts §2.1). The parser accepts all syntax under each
 * of them.
 */
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
