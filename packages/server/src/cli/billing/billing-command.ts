import type { Command } from "commander";
import { clientCommand } from "../server-connection.js";

/** The role of who operates the service for every organization. */
export const OPERATOR = "operator";

/** A command for billing admins: it says so to the server, which is free not to believe it. */
export function billingCommand(name: string, description: string): Command {
  return clientCommand(name, description).option(
    "--role <role>",
    "Role to act in (x-user-role).",
    "admin",
  );
}
