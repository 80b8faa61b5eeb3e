import type { LegalHold } from "@steward/client";
import { Command } from "commander";
import type { CliContext } from "../context.js";
import { RETENTION } from "../gen/commands.js";
import { addOperationCommands } from "../operation-commands.js";

/** `steward hold …`: legal holds. */
export function holdCommand(context: CliContext): Command {
  const command = new Command("hold").description(
    "Places, lists and lifts legal holds, which stop every deletion.",
  );
  const rows = { listHolds: rowOf };
  return addOperationCommands(command, context, {
    ...{ group: "retention", commands: RETENTION, rows },
  });
}

function rowOf({ session_id: session, ...hold }: LegalHold): LegalHold {
  return { ...hold, session_id: session === undefined ? "everything" : `session ${session}` };
}
