import { type CascadeGraph, cascadesOf, cascadeTargets } from "./cascades.js";
import type { KnownSchemas } from "./known-schemas.js";
import type { Schema } from "./schema.js";

/** Characters of one text that are looked at. */
const TEXT_LENGTH_MAX = 65_536;

/** Finds the tables that are concerned when rows of those that a text mentions are deleted. */
export class RelatedTables {
  readonly #schemas: KnownSchemas;
  /** Of the schemas that are known: each is another object when it was read anew. */
  readonly #graphs = new WeakMap<Schema, CascadeGraph>();

  constructor(schemas: KnownSchemas) {
    this.#schemas = schemas;
  }

  /**
   * For each text the tables that ON DELETE CASCADE reaches from those it mentions, in every data source:
   * the nearest first. A text mentions a table where the table's name stands as a word, in any case.
   */
  async targetsOf(texts: readonly string[]): Promise<readonly (readonly string[])[]> {
    const graphs = (await this.#schemas.all()).map((schema) => this.#graphOf(schema));
    return texts.map((text) => {
      const words = wordsIn(text);
      return [...new Set(graphs.flatMap((graph) => targetsIn(graph, words)))];
    });
  }

  #graphOf(schema: Schema): CascadeGraph {
    const graph = this.#graphs.get(schema) ?? cascadesOf(schema);
    this.#graphs.set(schema, graph);
    return graph;
  }
}

function targetsIn(graph: CascadeGraph, words: ReadonlySet<string>): readonly string[] {
  const mentioned = [...graph.keys()].filter((name) => isMentioned(name, words));
  return cascadeTargets(graph, mentioned);
}

/** A name in a schema of its own is mentioned with the schema or without. */
function isMentioned(name: string, words: ReadonlySet<string>): boolean {
  const parts = name.toLowerCase().match(WORD) ?? [];
  const bare = name.toLowerCase().split(".").at(-1)?.match(WORD) ?? [];
  return [parts, bare].some((each) => each.length > 0 && each.every((part) => words.has(part)));
}

const WORD = /[\p{L}\p{N}_$]+/gu;

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.slice(0, TEXT_LENGTH_MAX).toLowerCase().match(WORD) ?? []);
}
