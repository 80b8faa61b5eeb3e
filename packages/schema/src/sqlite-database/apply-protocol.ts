import type { SchemaObject, Script } from "../index.js";
import type { ManagedFile } from "./open-managed.js";

/** Arguments for a thread that runs a script. */
export interface ApplyOrder {
  readonly file: ManagedFile;
  readonly script: Script;
  /** Whether the caller accepts changed values; the script's row checks are skipped then. */
  readonly acceptDataLoss: boolean;
}

/** Calls to the thread. */
export interface ApplyCalls {
  readonly apply: { readonly input: ApplyOrder; readonly output: undefined };
}

/**
 * Calls by the thread: checks of the schema before and after the script. An error stops the script.
 */
export interface ApplyChecks {
  readonly before: { readonly input: readonly SchemaObject[]; readonly output: undefined };
  readonly after: { readonly input: readonly SchemaObject[]; readonly output: undefined };
}
