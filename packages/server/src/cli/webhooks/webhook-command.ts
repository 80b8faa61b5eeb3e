import type { Command } from "commander";
import { clientCommand, withRole } from "../connection/server-connection.js";

/** A command for admins. It sends the role as a claim, which the server may refuse. */
export function webhookCommand(name: string, description: string): Command {
  return withRole(clientCommand(name, description), "admin");
}
