import { Option, type Command } from "commander";
import type { OrganizationQuery } from "@steward/client";
import { clientCommand } from "../connection/server-connection.js";

/** The role of operators, who administer all organizations. */
export const OPERATOR = "operator";

/**
 * A command for billing admins or operators. It sends the role as a claim, which the server may
 * refuse.
 */
export function billingCommand(name: string, description: string, role = "admin"): Command {
  return clientCommand(name, description).option(
    "--role <role>",
    "Role to act in (x-user-role).",
    role,
  );
}

/** Adds the option with which an operator names an organization. */
export function withOrganization(command: Command): Command {
  const option = new Option(
    "--for <uuid>",
    "Organization that an operator means (default: --org).",
  );
  return command.addOption(option.implies({ role: OPERATOR }));
}

/** The organization named by an operator, as a request parameter. */
export function organizationOf({ for: orgId }: { readonly for?: string }): OrganizationQuery {
  return orgId === undefined ? {} : { org_id: orgId };
}
