import type { Hash } from "../blocks/hash.js";
import type { LogEntry } from "../datasets/commit-walk.js";
import type { DocumentContent, RdfFormat } from "../ports.js";
import type { Quad } from "../terms/term.js";

/** A commit and the number of quads in its dataset. */
export interface CommitSummary extends LogEntry {
  readonly size: number;
}

/** The difference between two datasets. */
export interface StateDiff {
  readonly from: Hash | undefined;
  readonly to: Hash;
  readonly added: readonly Quad[];
  readonly deleted: readonly Quad[];
  /** Whether the list of changes was truncated. */
  readonly isCut: boolean;
}

/** A page of a commit's quads. */
export interface StatePage {
  readonly commit: Hash;
  /** Number of all matching quads, on any page. */
  readonly count: number;
  readonly quads: readonly Quad[];
}

/** An import of a document. */
export interface ImportOrder {
  readonly branch: string;
  readonly format: RdfFormat;
  readonly content: DocumentContent;
  /**
   * A document of the same format with quads to remove. Quads that are also in the content stay.
   * Only for the mode `add`.
   */
  readonly removed?: string | undefined;
  /**
   * `add` adds the document's quads to the dataset, `remove` deletes them, `replace` makes them the
   * whole dataset.
   */
  readonly mode: "add" | "remove" | "replace";
  readonly message: string;
  /** The commit at which the branch must be; null: the branch must not exist; absent: any. */
  readonly expected?: Hash | null;
}

/** Result of an import. */
export interface ImportOutcome {
  readonly commit: Hash;
  readonly size: number;
  readonly added: number;
  readonly deleted: number;
}

/** A dataset serialized as text. */
export interface StateExport {
  readonly commit: Hash;
  readonly text: AsyncIterable<string>;
}
