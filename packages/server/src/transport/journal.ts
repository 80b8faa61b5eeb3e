import { AppError } from "@steward/kernel/errors.js";
import { hasJournal, type Orchestrator, type PlanJournal } from "../plans/index.js";

/** The journal of an orchestrator. @throws AppError `UNIMPLEMENTED` when it offers none. */
export function journalOf(orchestrator: Orchestrator): PlanJournal {
  if (hasJournal(orchestrator)) return orchestrator;
  throw new AppError(
    "UNIMPLEMENTED",
    "This orchestrator offers the four basic operations only: no listing, retry or events",
  );
}
