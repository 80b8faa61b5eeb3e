import type { Script, SchemaObject } from "../../schema/index.js";
import type { ManagedFile } from "./open-managed.js";

/** What a thread that runs a script is started with. */
export interface ApplyOrder {
  readonly file: ManagedFile;
  readonly script: Script;
  /** Whether values may change: the script's own checks of the rows are not asked then. */
  readonly acceptDataLoss: boolean;
}

/** What the thread says: the schema before and after, each to be answered, and how it ended. */
export type ApplyReport =
  | { readonly is: "before" | "after"; readonly objects: readonly SchemaObject[] }
  | { readonly is: "done" }
  | {
      readonly is: "failed";
      readonly code: "STEP_FAILED" | "STATE_CONFLICT" | "STORE_UNAVAILABLE" | "APPROVAL_REQUIRED";
      readonly message: string;
      /** Absent when trying again by itself does not help. */
      readonly retryAfterMs?: number | undefined;
    };

/** The answer to a schema: whether to go on. */
export type ApplyAnswer = "go" | "stop";
