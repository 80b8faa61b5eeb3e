import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { assert } from "@steward/kernel/assert.js";
import instantiate, {
  type PgQueryModule,
  type WasmInstance,
} from "libpg-query/wasm/libpg-query.js";

/**
 * A node of a syntax tree, as fields by name. Where a field can hold several node types, the node
 * is wrapped in an object with its type as the key.
 */
export type TreeNode = { readonly [field: string]: TreeValue };
export type TreeValue = string | number | boolean | TreeNode | readonly TreeValue[];

/** The parser's result for a text. */
export type ParsedText =
  | { readonly kind: "parsed"; readonly statements: readonly TreeNode[] }
  /** @param at number of characters before the offending one. */
  | { readonly kind: "syntax_error"; readonly message: string; readonly at: number }
  /** The nesting exceeds the parser's stack, or the text its memory. */
  | { readonly kind: "too_deep" };

/**
 * The part of the WebAssembly API that this file uses. TypeScript declares the API only for
 * browsers.
 */
interface WebAssemblyApi {
  compile(bytes: Uint8Array): Promise<object>;
  readonly Instance: new (program: object, imports: object) => WasmInstance;
  readonly RuntimeError: new () => Error;
}

const wasm = (globalThis as unknown as { readonly WebAssembly: WebAssemblyApi }).WebAssembly;

/**
 * Parsers kept ready. A parser that a text has broken is replaced, but only in a later turn of the
 * event loop.
 */
const PARSERS_READY = 2;
/**
 * A parser with more memory than this, in bytes, is replaced, because WebAssembly memory never
 * shrinks.
 */
const PARSER_BYTES_MAX = 256 * 1024 * 1024;

/** Offsets of 32-bit pointers in libpg_query's result and error structures. */
const RESULT_TREE = 0;
const RESULT_ERROR = 8;
const ERROR_MESSAGE = 0;
const ERROR_POSITION = 16;

/**
 * PostgreSQL's own parser, compiled to WebAssembly. It is recursive, so a deeply nested text
 * overflows its stack and leaves it in an undefined state. Such a parser is discarded.
 */
export class PostgresGrammar {
  readonly #program: object;
  readonly #ready: PgQueryModule[] = [];

  private constructor(program: object) {
    this.#program = program;
  }

  /** Compiles the parser, which takes tens of milliseconds. */
  static async load(): Promise<PostgresGrammar> {
    const file = createRequire(import.meta.url).resolve("libpg-query/wasm/libpg-query.wasm");
    const grammar = new PostgresGrammar(await wasm.compile(readFileSync(file)));
    for (let made = 0; made < PARSERS_READY; made += 1) await grammar.#addParser();
    return grammar;
  }

  /** False when texts have broken every parser within one turn of the event loop. */
  get isReady(): boolean {
    return this.#ready.length > 0;
  }

  /** @param sql without NUL characters. */
  parse(sql: string): ParsedText {
    const parser = this.#ready[0];
    assert(parser !== undefined, "a parser is ready");
    let isBroken = true;
    try {
      const parsed = parseWith(parser, sql);
      isBroken = parser.HEAPU8.length > PARSER_BYTES_MAX;
      return parsed;
    } catch (error) {
      if (error instanceof RangeError || error instanceof wasm.RuntimeError) {
        return { kind: "too_deep" };
      }
      throw error;
    } finally {
      if (isBroken) this.#replace(parser);
    }
  }

  #replace(parser: PgQueryModule): void {
    this.#ready.splice(this.#ready.indexOf(parser), 1);
    // Compilation has succeeded before, so only lack of memory can make this fail; then texts are
    // rejected.
    this.#addParser().catch(() => undefined);
  }

  async #addParser(): Promise<void> {
    const parser = await instantiate({
      instantiateWasm: (imports, receive) => {
        const instance = new wasm.Instance(this.#program, imports);
        receive(instance);
        return instance.exports;
      },
    });
    this.#ready.push(parser);
  }
}

function parseWith(parser: PgQueryModule, sql: string): ParsedText {
  const bytes = parser.lengthBytesUTF8(sql) + 1;
  const text = parser._malloc(bytes);
  parser.stringToUTF8(sql, text, bytes);
  const result = parser._wasm_parse_query_raw(text);
  const parsed = readResult(parser, result);
  parser._wasm_free_parse_result(result);
  parser._free(text);
  return parsed;
}

function readResult(parser: PgQueryModule, result: number): ParsedText {
  const error = parser.getValue(result + RESULT_ERROR, "i32");
  if (error !== 0) {
    return {
      kind: "syntax_error",
      message: parser.UTF8ToString(parser.getValue(error + ERROR_MESSAGE, "i32")),
      at: Math.max(0, parser.getValue(error + ERROR_POSITION, "i32") - 1),
    };
  }
  const json = parser.UTF8ToString(parser.getValue(result + RESULT_TREE, "i32"));
  // The parser's output format: protobuf as JSON, see https://github.com/pganalyze/libpg_query.
  const { stmts } = JSON.parse(json) as { readonly stmts?: readonly { readonly stmt: TreeNode }[] };
  return { kind: "parsed", statements: (stmts ?? []).map(({ stmt }) => stmt) };
}
