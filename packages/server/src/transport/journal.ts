import { AppError } from "@steward/kernel/errors.js";
import {
  hasApprovals,
  hasChecks,
  hasJournal,
  hasRevisions,
  hasStepDetails,
  type Orchestrator,
  type PlanApprovals,
  type PlanChecks,
  type PlanJournal,
  type PlanRevisions,
  type StepDetails,
} from "../plans/index.js";

/** The journal of an orchestrator. @throws AppError `UNIMPLEMENTED` when it offers none. */
export function journalOf(orchestrator: Orchestrator): PlanJournal {
  if (hasJournal(orchestrator)) return orchestrator;
  throw new AppError(
    "UNIMPLEMENTED",
    "This orchestrator offers the four basic operations only: no listing, retry or events",
  );
}

/** The checks of plans that an orchestrator offers. @throws AppError `UNIMPLEMENTED` when it offers none. */
export function checksOf(orchestrator: Orchestrator): PlanChecks {
  if (hasChecks(orchestrator)) return orchestrator;
  throw new AppError(
    "UNIMPLEMENTED",
    "This orchestrator cannot tell what a plan would do: submit the plan, which runs nothing yet",
  );
}

/** The single steps that an orchestrator offers to read. @throws AppError `UNIMPLEMENTED` when it offers none. */
export function stepDetailsOf(orchestrator: Orchestrator): StepDetails {
  if (hasStepDetails(orchestrator)) return orchestrator;
  throw new AppError(
    "UNIMPLEMENTED",
    "This orchestrator shows no single steps: read the plan, which lists them",
  );
}

/** The approvals that an orchestrator offers. @throws AppError `UNIMPLEMENTED` when it offers none. */
export function approvalsOf(orchestrator: Orchestrator): PlanApprovals {
  if (hasApprovals(orchestrator)) return orchestrator;
  throw new AppError("UNIMPLEMENTED", "This orchestrator has no approvals that steps wait for");
}

/** The changes of plans that an orchestrator offers. @throws AppError `UNIMPLEMENTED` when it offers none. */
export function revisionsOf(orchestrator: Orchestrator): PlanRevisions {
  if (hasRevisions(orchestrator)) return orchestrator;
  throw new AppError(
    "UNIMPLEMENTED",
    "This orchestrator cannot change a plan under way: submit another plan",
  );
}
