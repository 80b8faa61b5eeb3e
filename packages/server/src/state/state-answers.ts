import type { Hash } from "./hash.js";
import type { LogEntry } from "./history.js";
import type { DocumentContent, RdfFormat } from "./ports.js";
import type { Quad } from "./term.js";

/** A commit, and how many quads its dataset has. */
export interface CommitSummary extends LogEntry {
  readonly size: number;
}

/** What two datasets differ by. */
export interface StateDiff {
  readonly from: Hash | undefined;
  readonly to: Hash;
  readonly added: readonly Quad[];
  readonly deleted: readonly Quad[];
  /** Whether there are more changes than were asked for. */
  readonly isCut: boolean;
}

/** Quads of a commit. */
export interface StatePage {
  readonly commit: Hash;
  /** How many match, whatever part of them this is. */
  readonly count: number;
  readonly quads: readonly Quad[];
}

/** A document to be taken in. */
export interface ImportOrder {
  readonly branch: string;
  readonly format: RdfFormat;
  readonly content: DocumentContent;
  /**
   * A document of the same format: the dataset has its quads no longer, unless they are in the content too. Only where
   * the mode is `add`.
   */
  readonly removed?: string | undefined;
  /** What becomes of the dataset: it has these quads too, or no longer, or no others. */
  readonly mode: "add" | "remove" | "replace";
  readonly message: string;
  /** Where the branch must be; null: it must not exist. Left out: wherever it is. */
  readonly expected?: Hash | null;
}

/** What an import came to. */
export interface ImportOutcome {
  readonly commit: Hash;
  readonly size: number;
  readonly added: number;
  readonly deleted: number;
}

/** A dataset as text. */
export interface StateExport {
  readonly commit: Hash;
  readonly text: AsyncIterable<string>;
}
