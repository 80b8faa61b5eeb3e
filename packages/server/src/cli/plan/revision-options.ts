import type { PlanRevised, SubmitOptions } from "@steward/client";
import { InvalidArgumentError, type Command } from "commander";
import type { CliContext } from "../context.js";
import type { ClientOptions } from "../connection/server-connection.js";

/** Options of commands that change a plan's steps. */
export interface RevisionOptions extends ClientOptions {
  readonly expectedRevision?: number;
  readonly idempotencyKey?: string;
}

export function addRevisionOptions(command: Command): Command {
  return command
    .option(
      "--expected-revision <number>",
      "Refuse the change unless the plan is at this revision (`steward plan get --json`).",
      positive,
    )
    .option("--idempotency-key <key>", "Repeating the change under the same key changes nothing.");
}

/** The options as parts of a request. */
export function requestOptionsOf({ expectedRevision, idempotencyKey }: RevisionOptions): {
  readonly revision: { readonly expected_revision?: number };
  readonly call: SubmitOptions;
} {
  return {
    revision: expectedRevision === undefined ? {} : { expected_revision: expectedRevision },
    call: idempotencyKey === undefined ? {} : { idempotencyKey },
  };
}

/** Prints the plan's new revision, and the next command. */
export function printRevised(
  revised: PlanRevised,
  { json }: Pick<ClientOptions, "json">,
  { terminal }: Pick<CliContext, "terminal">,
): void {
  if (json) {
    terminal.printJson(revised);
    return;
  }
  terminal.print(`revision ${String(revised.revision)}`);
  terminal.note(terminal.errorColors.dim(`run it with: steward plan run ${revised.plan_id}`));
}

function positive(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new InvalidArgumentError("It is not a whole number above zero.");
}
