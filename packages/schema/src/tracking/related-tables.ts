import type { Caller } from "@steward/kernel/caller.js";
import type { DataSourceAccess } from "@steward/kernel/data-source-access.js";
import { BoundDatabases } from "./bound-databases.js";
import { type CascadeGraph, cascadesOf, cascadeTargets } from "../changes/cascades.js";
import type { KnownSchemas } from "./known-schemas.js";
import type { Schema } from "../model/schema.js";

/** Characters of a text that are searched. */
const TEXT_LENGTH_MAX = 65_536;

/**
 * Finds tables that lose rows by cascade when rows of the tables mentioned in a text are deleted.
 */
export class RelatedTables {
  readonly #schemas: KnownSchemas;
  readonly #databases: BoundDatabases;
  /** Cascades per cached schema. A schema that is read again is a new object. */
  readonly #graphs = new WeakMap<Schema, CascadeGraph>();

  /** @param access which data sources a caller may see; absent: all. */
  constructor(schemas: KnownSchemas, access?: DataSourceAccess) {
    this.#schemas = schemas;
    this.#databases = new BoundDatabases(schemas.databases, access);
  }

  /**
   * For each text, the tables that ON DELETE CASCADE reaches from the tables that the text
   * mentions, nearest first, in all data sources that the caller may use. A text mentions a table
   * when it contains the table's name as a word, ignoring case.
   */
  async targetsOf(
    caller: Caller,
    texts: readonly string[],
  ): Promise<readonly (readonly string[])[]> {
    const schemas = await this.#schemas.of(this.#databases.keysFor(caller));
    const graphs = schemas.map((schema) => this.#graphOf(schema));
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

/** Whether a text mentions a name; a qualified name may appear with or without its schema. */
function isMentioned(name: string, words: ReadonlySet<string>): boolean {
  const parts = name.toLowerCase().match(WORD) ?? [];
  const bare = name.toLowerCase().split(".").at(-1)?.match(WORD) ?? [];
  return [parts, bare].some((each) => each.length > 0 && each.every((part) => words.has(part)));
}

const WORD = /[\p{L}\p{N}_$]+/gu;

function wordsIn(text: string): ReadonlySet<string> {
  return new Set(text.slice(0, TEXT_LENGTH_MAX).toLowerCase().match(WORD) ?? []);
}
