import type { Command } from "commander";
import { clientCommand } from "../connection/server-connection.js";

/** A command for policy admins. It sends the role as a claim, which the server may refuse. */
export function policyAdminCommand(name: string, description: string): Command {
  return clientCommand(name, description).option(
    "--role <role>",
    "Role to act in (x-user-role).",
    "admin",
  );
}

/** Describes the expected file in error messages. */
export const POLICY_FILE = "a file of policies in Cedar";
