import type { SchemaObject, Script } from "../../schema/index.js";
import type { ManagedFile } from "./open-managed.js";

/** What a thread that runs a script is told. */
export interface ApplyOrder {
  readonly file: ManagedFile;
  readonly script: Script;
  /** Whether values may change: the script's own checks of the rows are not asked then. */
  readonly acceptDataLoss: boolean;
}

/** What the thread is asked. */
export interface ApplyCalls {
  readonly apply: { readonly input: ApplyOrder; readonly output: undefined };
}

/** What the thread asks: whether the schema before and after is right. An error ends the script. */
export interface ApplyChecks {
  readonly before: { readonly input: readonly SchemaObject[]; readonly output: undefined };
  readonly after: { readonly input: readonly SchemaObject[]; readonly output: undefined };
}
