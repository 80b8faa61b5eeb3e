import type { Command } from "commander";
import { clientCommand } from "../connection/server-connection.js";

/** A command for approvers. It sends the role as a claim, which the server may refuse. */
export function approverCommand(name: string, description: string): Command {
  return clientCommand(name, description).option(
    "--role <role>",
    "Role to act in (x-user-role).",
    "approver",
  );
}

/** The statuses for `--status`; the compiler of the client checks them. */
export const APPROVAL_STATUSES: readonly string[] = [
  ...(["pending", "approved", "denied", "used", "void", "expired"] as const),
];
