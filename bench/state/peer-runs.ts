import { createRequire } from "node:module";
import { datasetOf, MATCH_ROWS, nTriples, propertyIri, valueText } from "./dataset.js";
import { type Figures, growthMb, matchFigures, median, round, timed, timesOf } from "./figures.js";

/** The packages of `peers/` are installed by hand: npm ci --prefix bench/state/peers */
const load = createRequire(new URL("../../state/peers/package.json", import.meta.url));

interface Term {
  readonly value: string;
}
interface N3 {
  readonly Parser: new (options: { format: string }) => { parse(text: string): unknown[] };
  readonly Store: new () => {
    addQuads(quads: unknown[]): void;
    add(quad: unknown): void;
    getQuads(s: null, p: Term, o: unknown, g: null): { readonly subject: Term }[];
    countQuads(s: null, p: Term, o: null, g: null): number;
  };
  readonly DataFactory: {
    readonly namedNode: (value: string) => Term;
    readonly literal: (value: string, datatype?: Term) => Term;
    readonly quad: (s: Term, p: Term, o: Term) => unknown;
  };
}

/** N3.Store: terms interned in maps. */
export async function n3Run(triples: number): Promise<Figures> {
  const { Parser, Store, DataFactory } = load("n3") as N3;
  const dataset = datasetOf(triples);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const store = new Store();
  const loadMs = await timed(() => {
    for (const text of batches(nTriples(dataset))) {
      store.addQuads(new Parser({ format: "N-Triples" }).parse(text));
    }
  });
  const growth = await growthMb(before);
  const { namedNode, literal, quad } = DataFactory;
  const property = (index: number): Term => namedNode(propertyIri(index % 10));
  const terms = Array.from({ length: 500 }, (_, index) => {
    const line = `<a:a> <a:b> ${valueText(index % 10, (index * 31) % dataset.values)} .`;
    const [parsed] = new Parser({ format: "N-Triples" }).parse(line) as { object: Term }[];
    return parsed?.object;
  });
  return {
    store: "N3.Store",
    triples: dataset.triples,
    "load s": round(loadMs / 1000),
    "growth MB": growth,
    ...matchFigures(500, (index) => {
      const { length } = store.getQuads(null, property(index), terms[index], null);
      if (length !== MATCH_ROWS) throw new Error(`${length} rows`);
    }),
    "count(?,p,?) µs": median(
      timesOf(20, (index) => store.countQuads(null, property(index), null, null)),
    ),
    "insert µs": median(
      timesOf(4000, (index) =>
        store.add(
          quad(namedNode(`http://example.org/new/${index}`), property(index), literal("new")),
        ),
      ),
    ),
  };
}

interface Oxigraph {
  readonly Store: new () => {
    load(text: string, options: { format: string; lenient: boolean }): void;
    match(s: null, p: unknown, o: unknown, g: null): unknown[];
    add(quad: unknown): void;
    readonly size: number;
  };
  readonly namedNode: (value: string) => Term;
  readonly literal: (value: string, datatype?: Term) => Term;
  readonly triple: (s: Term, p: Term, o: Term) => unknown;
}

/** Oxigraph in WebAssembly, in memory. */
export async function oxigraphRun(triples: number): Promise<Figures> {
  const { Store, namedNode, literal, triple } = load("oxigraph") as Oxigraph;
  const dataset = datasetOf(triples);
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const store = new Store();
  const loadMs = await timed(() => {
    for (const text of batches(nTriples(dataset))) {
      store.load(text, { format: "application/n-triples", lenient: true });
    }
  });
  const growth = await growthMb(before);
  const property = (index: number): Term => namedNode(propertyIri(index % 10));
  return {
    store: "oxigraph",
    triples: store.size,
    "load s": round(loadMs / 1000),
    "growth MB": growth,
    ...matchFigures(200, (index) => {
      const even = (index % 10) - (index % 2);
      const value = namedNode(valueText(even, (index * 31) % dataset.values).slice(1, -1));
      const { length } = store.match(null, namedNode(propertyIri(even)), value, null);
      if (length !== MATCH_ROWS) throw new Error(`${length} rows`);
    }),
    "insert µs": median(
      timesOf(4000, (index) =>
        store.add(
          triple(namedNode(`http://example.org/new/${index}`), property(index), literal("new")),
        ),
      ),
    ),
  };
}

/** Text in pieces of a few megabytes, which every parser accepts. */
function* batches(pieces: Iterable<string>): Generator<string> {
  let text = "";
  for (const piece of pieces) {
    text += piece;
    if (text.length < 4e6) continue;
    yield text;
    text = "";
  }
  yield text;
}
