import type { Command } from "commander";
import { clientCommand, withRole } from "../connection/server-connection.js";

/** The role of operators, who administer all organizations. */
export const OPERATOR = "operator";

/**
 * A command for billing admins or operators. It sends the role as a claim, which the server may
 * refuse.
 */
export function billingCommand(name: string, description: string, role = "admin"): Command {
  return withRole(clientCommand(name, description), role);
}
