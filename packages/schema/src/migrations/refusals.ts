import { AppError } from "@steward/kernel/errors.js";
import type { Finding } from "../lint/finding.js";
import type { Script, ScriptText } from "../ports.js";
import { sayOperation } from "./drift.js";
import type { MigrationProof } from "./proof.js";

/**
 * @throws AppError `INVALID_ARGUMENT`, naming the missing operations, when a migration was not
 * proven.
 */
export function refuseUnproven({ isProven, stretches }: MigrationProof): void {
  if (isProven) return;
  const failed = stretches.find(({ expected, reached }) => expected !== reached);
  const missing = (failed?.missing ?? []).map(sayOperation);
  throw new AppError(
    "INVALID_ARGUMENT",
    `The migration failed its proof (${failed?.name ?? "base"}); its script does not make these changes: ${missing.join("; ")}. Write them in another way, or make them in a migration of their own`,
  );
}

/**
 * Refuses a stored script that differs from the planned one. Stored migrations can be modified by
 * others than this service, so only statements that the service itself planned are run.
 * @throws AppError `STATE_CONFLICT`.
 */
export function refuseOthersWork(made: Script, kept: ScriptText): void {
  if (textOf(made) === textOf(kept)) return;
  throw new AppError(
    "STATE_CONFLICT",
    "The migration's statements are not the ones that this version derives from its two schemas: propose the migration again",
  );
}

/** The statements and checks of a script, without the commands that describe the statements. */
function textOf(script: ScriptText): string {
  return JSON.stringify(
    script.map(({ isAtomic, statements, checks }) => ({ isAtomic, statements, checks })),
  );
}

/**
 * @throws AppError `APPROVAL_REQUIRED`, naming what would be lost, unless the caller has accepted
 * the loss.
 */
export function refuseLoss(findings: readonly Finding[], isAccepted: boolean): void {
  const lost = findings.filter(({ code }) => code === "destructive");
  if (lost.length === 0 || isAccepted) return;
  const what = lost.map(({ object, message }) => `${object}: ${message}`).join("; ");
  throw new AppError(
    "APPROVAL_REQUIRED",
    `Data would be lost (${what}): to accept the loss, set accept_data_loss`,
  );
}
