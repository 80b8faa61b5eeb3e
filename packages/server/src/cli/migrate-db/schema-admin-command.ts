import type { Command } from "commander";
import { clientCommand } from "../server-connection.js";

/** A command for those who may change schemas: it says so to the server, which is free not to believe it. */
export function schemaAdminCommand(name: string, description: string): Command {
  return clientCommand(name, description).option(
    "--role <role>",
    "Role to act in (x-user-role).",
    "admin",
  );
}
