import { AppError } from "@steward/kernel/errors.js";
import { NQuadsReader, ownTerm, quad, type Quad, type QuadLike } from "../index.js";
import type { RdfDocument, RdfFormat } from "../ports.js";
import { labelBlankNodes } from "./blank-labels.js";
import { DocumentBuilder } from "./document-builder.js";
import { readJsonLd } from "./read-json-ld.js";
import { readText, type TextFormat } from "./read-text.js";

/**
 * Parses a document incrementally. Blank nodes are labelled by their content. Both methods throw
 * AppError `INVALID_ARGUMENT`, naming line and column, for malformed documents, and
 * `LIMIT_EXCEEDED`.
 */
export interface DocumentParser {
  /** Parses more UTF-8 bytes, which may be split anywhere. */
  push(bytes: Uint8Array): void;
  finish(): Promise<RdfDocument>;
}

/** Creates the parser for a format. */
export function documentParser(format: RdfFormat): DocumentParser {
  return format === "n-quads" || format === "n-triples"
    ? new LineParser(format)
    : new TextParser(format);
}

/** Parses line by line, without retaining the text. */
class LineParser implements DocumentParser {
  readonly #decoder = new Utf8Decoder();
  readonly #reader: NQuadsReader;
  readonly #builder = new DocumentBuilder();
  /** Quads with blank nodes. They are retained, because labels depend on all of them. */
  readonly #withBlanks: Quad[] = [];

  constructor(format: "n-quads" | "n-triples") {
    this.#reader = new NQuadsReader(format);
  }

  push(bytes: Uint8Array): void {
    this.#take(this.#reader.read(this.#decoder.decode(bytes)));
  }

  finish(): Promise<RdfDocument> {
    return settled(() => {
      this.#take(this.#reader.read(this.#decoder.end()));
      this.#take(this.#reader.end());
      for (const one of labelBlankNodes(this.#withBlanks)) this.#builder.add(one);
      return this.#builder.finish();
    });
  }

  #take(quads: Iterable<QuadLike>): void {
    for (const one of quads) {
      try {
        if (hasBlank(one)) this.#withBlanks.push(ownQuad(one));
        else this.#builder.add(one);
      } catch (error) {
        // Quads that a store would refuse are refused here, where the position is known.
        if (!(error instanceof AppError) || error.details.length > 0) throw error;
        throw this.#reader.wrong(error.message);
      }
    }
  }
}

/** Parses a document after it was received completely. */
class TextParser implements DocumentParser {
  readonly #format: TextFormat | "json-ld";
  readonly #decoder = new Utf8Decoder();
  readonly #pieces: string[] = [];

  constructor(format: TextFormat | "json-ld") {
    this.#format = format;
  }

  push(bytes: Uint8Array): void {
    this.#pieces.push(this.#decoder.decode(bytes));
  }

  async finish(): Promise<RdfDocument> {
    const text = this.#pieces.join("") + this.#decoder.end();
    const format = this.#format;
    const quads = format === "json-ld" ? await readJsonLd(text) : await readText(text, format);
    const builder = new DocumentBuilder();
    for (const one of labelBlankNodes(quads)) builder.add(one);
    return builder.finish();
  }
}

/**
 * Decodes text that is split anywhere.
 * @throws AppError `INVALID_ARGUMENT` for invalid UTF-8.
 */
class Utf8Decoder {
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });

  decode(bytes: Uint8Array): string {
    return this.#decoded(() => this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string {
    return this.#decoded(() => this.#decoder.decode());
  }

  #decoded(decode: () => string): string {
    try {
      return decode();
    } catch (error) {
      const reason = "the document is not valid UTF-8";
      const details = [{ field: "content", reason }];
      throw new AppError("INVALID_ARGUMENT", `content: ${reason}`, { details, cause: error });
    }
  }
}

function hasBlank({ subject, object, graph }: QuadLike): boolean {
  if (subject.termType === "BlankNode" || graph.termType === "BlankNode") return true;
  return object.termType === "BlankNode" || object.termType === "Quad";
}

function ownQuad({ subject, predicate, object, graph }: QuadLike): Quad {
  const [s, p, o, g] = [subject, predicate, object, graph].map(ownTerm);
  // The parser has refused misplaced terms.
  return quad(s as never, p as never, o as never, g as never);
}

/** Turns a synchronous exception into a rejection. */
function settled<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => {
    resolve(work());
  });
}
