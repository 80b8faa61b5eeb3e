import { blank, iri, type ObjectTerm, quad, type Quad, text, typed } from "../../index.js";
import { XSD } from "./odd-literals.js";

/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const NUMBERS = ["0", "1", "2", "3", "10"];
const NODES = ["a:1", "a:2", "a:3", "a:4"];
const PREDICATES = ["p:a", "p:b", "p:c"];
const OBJECTS: readonly ObjectTerm[] = [
  ...NODES.map(iri),
  ...NUMBERS.map((number) => typed(number, iri(`${XSD}integer`))),
  typed("1.5", iri(`${XSD}decimal`)),
  text("x"),
  text("y", "en"),
  typed("true", iri(`${XSD}boolean`)),
];

/** Datasets and queries about the same few terms, so that most queries have solutions. */
export class RandomQueries {
  readonly #random: () => number;
  #names = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Quads of the default graph and of two others. */
  quads(count: number): readonly Quad[] {
    return Array.from({ length: count }, () =>
      quad(
        this.#chance(0.1) ? blank("b") : iri(this.#pick(NODES)),
        iri(this.#pick(PREDICATES)),
        this.#chance(0.1) ? blank("b") : this.#pick(OBJECTS),
        ...(this.#chance(0.25) ? [iri(this.#pick(["g:1", "g:2"]))] : []),
      ),
    );
  }

  query(): string {
    const group = `{ ${this.#group(2)} }`;
    return this.#pick([
      `SELECT * ${group}`,
      `SELECT * ${group}`,
      `SELECT DISTINCT ?s ?o ${group}`,
      `SELECT ?s (COUNT(*) AS ?n) (COUNT(DISTINCT ?o) AS ?m) ${group} GROUP BY ?s`,
      `SELECT (COUNT(?x) AS ?n) (MIN(?o) AS ?m) ${group}`,
      `SELECT * FROM <g:1> FROM NAMED <g:2> ${group}`,
      `CONSTRUCT { ?s <p:new> ?o } ${group}`,
      `DESCRIBE ?s ${group}`,
      `ASK ${group}`,
    ]);
  }

  #group(depth: number): string {
    const count = 1 + Math.floor(this.#random() * 3);
    const parts = Array.from({ length: count }, () => this.#part(depth));
    const filter = depth > 0 && this.#chance(0.35) ? [`FILTER(${this.#condition()})`] : [];
    return [...parts, ...filter].join(" ");
  }

  #part(depth: number): string {
    const inner = (): string => `{ ${this.#group(depth - 1)} }`;
    const name = `?name${++this.#names}`;
    const kind = depth === 0 ? 0 : Math.floor(this.#random() * 18);
    switch (kind) {
      case 8:
      case 9:
        return `OPTIONAL ${inner()}`;
      case 10:
        return `${inner()} UNION ${inner()}`;
      case 11:
        return `MINUS ${inner()}`;
      case 12:
        return `GRAPH ${this.#pick(["?g", "<g:1>", "?x"])} ${inner()}`;
      case 13:
        return `{ SELECT ${this.#pick(["*", "DISTINCT ?s ?x"])} ${inner()} }`;
      case 14:
        return `{ SELECT ?s (COUNT(*) AS ${name}) ${inner()} GROUP BY ?s }`;
      case 15:
        return "VALUES (?x ?y) { (1 UNDEF) (<a:1> 2) (UNDEF <a:2>) }";
      case 16:
        return `BIND(${this.#pick(["?x", "?s", "1", "<a:2>"])} AS ${name})`;
      case 17:
        return inner();
      default:
        return this.#triple();
    }
  }

  #triple(): string {
    const node = `<${this.#pick(NODES)}>`;
    const subject = this.#chance(0.8) ? this.#variable() : node;
    const object = this.#chance(0.8) ? this.#variable() : this.#pick([node, this.#pick(NUMBERS)]);
    const predicate = this.#pick([
      ...PREDICATES.flatMap((name) => [`<${name}>`, `<${name}>`, `<${name}>`]),
      ...["?p", "<p:a>/<p:b>", "<p:a>+", "<p:a>*", "^<p:b>", "(<p:a>|<p:b>)", "!<p:a>", "<p:c>?"],
      ...["(<p:a>/^<p:b>)+", "(<p:a>|^<p:c>)*", "^(<p:a>/<p:b>)", "!(<p:a>|^<p:b>)"],
    ]);
    return `${subject} ${predicate} ${object} .`;
  }

  #condition(): string {
    const [one, other] = [this.#variable(), this.#variable()];
    const node = `<${this.#pick(NODES)}>`;
    return this.#pick([
      ...[`${one} > 1`, `${one} = 2`, `${one} = ${node}`, `${one} IN (<a:1>, <a:2>)`],
      ...[`${one} = <a:1> && ${other} != <a:2>`, `${one} = <a:1> || ${other} = <a:2>`],
      ...[`${one} != ${other}`, `BOUND(${one})`, `isLiteral(${one}) && ${one} < 3`],
      ...[`!(${one} = ${other})`, `${one} IN (1, 2, <a:1>)`, `sameTerm(${one}, ${node})`],
      ...[`COALESCE(${one}, 1) = 1`, `STR(${one}) = "1"`, `DATATYPE(${one}) = <${XSD}integer>`],
      ...[`EXISTS { ${this.#group(1)} }`, `NOT EXISTS { ${this.#group(1)} }`],
    ]);
  }

  #variable(): string {
    return this.#pick(["?s", "?o", "?x", "?y", "?z"]);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #pick<T>(from: readonly T[]): T {
    // There is at least one, and the index is smaller than their number.
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}
