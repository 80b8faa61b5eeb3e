import type { Command } from "commander";
import { clientCommand } from "../server-connection.js";

/** A command for those who look after policies: it says so to the server, which is free not to believe it. */
export function policyAdminCommand(name: string, description: string): Command {
  return clientCommand(name, description).option(
    "--role <role>",
    "Role to act in (x-user-role).",
    "admin",
  );
}

/** What a file of policies is, for whoever named another. */
export const POLICY_FILE = "a file of policies in Cedar";
