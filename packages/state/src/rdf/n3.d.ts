/** The part of n3 that is used here; the package comes without types. */
declare module "n3" {
  /** The functions that create terms and quads, in place of the package's own. */
  interface TermFactory {
    namedNode(value: string): unknown;
    blankNode(name?: string): unknown;
    literal(value: string, languageOrDatatype?: unknown): unknown;
    variable(name: string): unknown;
    defaultGraph(): unknown;
    quad(subject: unknown, predicate: unknown, object: unknown, graph: unknown): unknown;
  }

  /** A token and where it stands: lines from 1, UTF-16 columns from 0. */
  interface Token {
    readonly line: number;
    readonly start: number;
    readonly end: number;
    /** Of a token of several lines: where its end is. */
    readonly endLine?: number;
  }

  class Parser {
    constructor(options: {
      readonly format: string;
      readonly factory: TermFactory;
      readonly blankNodePrefix: string;
    });
    parse(text: string, observers: { readonly onToken: (token: Token) => void }): unknown[];
  }

  class Writer {
    constructor(
      output: {
        write(chunk: string, encoding: string, done?: () => void): void;
        end(done?: () => void): void;
      },
      options: {
        readonly format: string;
        readonly prefixes: Readonly<Record<string, string>>;
        /** Announced ahead of everything else. */
        readonly version?: string;
      },
    );
    addQuad(quad: unknown): void;
    end(done: (error?: Error | null) => void): void;
  }

  const n3: { readonly Parser: typeof Parser; readonly Writer: typeof Writer };
  export default n3;
  export type { Parser, TermFactory, Token, Writer };
}
