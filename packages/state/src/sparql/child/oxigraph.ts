/** The used part of the package's interface. */
export interface Oxigraph {
  readonly Store: new () => OxigraphStore;
  readonly namedNode: (value: string) => unknown;
  readonly blankNode: (label: string) => unknown;
  readonly literal: (value: string, languageOrDatatype?: unknown) => unknown;
  readonly defaultGraph: () => unknown;
  readonly quad: (s: unknown, p: unknown, o: unknown, g: unknown) => unknown;
}

/** A dataset in the engine. */
export interface OxigraphStore {
  readonly size: number;
  load(text: string, options: { readonly format: string; readonly lenient: boolean }): void;
  add(quad: unknown): void;
  query(sparql: string, options?: { readonly results_format: string }): unknown;
}
