import type { Dialect, Intent } from "../governance/index.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import type { Caller } from "@steward/kernel/caller.js";
import type { Schema } from "@steward/schema";

/** A data source, as the configuration names it. */
export interface CatalogSource {
  readonly name: string;
  readonly dialect: Dialect;
}

/** A tool that the tools file lists. */
export interface CatalogTool {
  readonly name: string;
  readonly dataSource: string;
  /** Intents that the tools file allows; absent: all. */
  readonly allowedIntents?: readonly Intent[];
  /** What it does, and JSON Schema of its arguments; absent: it is called with a statement. */
  readonly vetted?: {
    readonly description: string;
    readonly inputSchema: Readonly<Record<string, JsonValue>>;
  };
}

/** A tool of another MCP server that the tools file lists. */
export interface CatalogMcpTool {
  readonly name: string;
  readonly intent: Intent;
  /** The definition that an operator has accepted; undefined when there is none. */
  definition():
    | {
        readonly description: string;
        /** JSON Schema of its arguments. */
        readonly inputSchema: Readonly<Record<string, JsonValue>>;
      }
    | undefined;
}

/** Reads schemas of data sources. */
export interface CatalogSchemas {
  /**
   * The schema of the database that a caller's statements run on. The same object is returned until
   * the schema is read again. Undefined while the database cannot be read.
   */
  of(caller: Caller, dataSource: string): Promise<Schema | undefined>;
}

/** A value of a row: text, a number, a truth value or NULL; of anything else JSON. */
export type CatalogRow = Readonly<Record<string, unknown>>;

/** Reads rows of data sources, as a step of the caller would. */
export interface CatalogRows {
  /**
   * Runs a query under the caller's policies and the limits of the data source, for a short time
   * only.
   * @returns undefined when the query was refused, failed, or took too long.
   */
  read(
    caller: Caller,
    dataSource: string,
    sql: string,
    signal: AbortSignal,
  ): Promise<readonly CatalogRow[] | undefined>;
}

/** A statement that ran earlier. */
export interface EarlierStatement {
  readonly statement: string;
  readonly toolName: string;
  /** The data source that it ran on; absent in entries of earlier versions. */
  readonly dataSource?: string;
  /** Similarity to the question, in [-1, 1]. */
  readonly score: number;
}

/** Finds statements that the memory holds. */
export interface EarlierStatements {
  /**
   * Successful statements of the caller's organization that resemble a question, best first. Empty
   * when the caller may not read the memory, and when the memory cannot be searched now.
   */
  like(caller: Caller, question: string, signal: AbortSignal): Promise<readonly EarlierStatement[]>;
}

/** A figure that an owner has defined on a table, so that everybody computes it in one way. */
export interface Metric {
  readonly name: string;
  /** SQL of an aggregate over columns of the table. */
  readonly expression: string;
  /** Columns of the table by which it may be grouped. */
  readonly dimensions: readonly string[];
  readonly description?: string;
}

/** An owner's notes about a table, and about its columns by name. */
export interface TableNotes {
  readonly description?: string;
  /** By column name in lower case. */
  readonly columns: ReadonlyMap<string, string>;
  /** Questions that the table answers. */
  readonly questions: readonly string[];
  readonly metrics?: readonly Metric[];
}

/** Notes by owners about a data source. */
export interface SourceNotes {
  readonly description?: string;
  /** By table name in lower case, as an agent writes it. */
  readonly tables: ReadonlyMap<string, TableNotes>;
}
