import { Option, type Command } from "commander";
import type { OrganizationQuery } from "@steward/client";
import { clientCommand } from "../server-connection.js";

/** The role of who operates the service for every organization. */
export const OPERATOR = "operator";

/** A command for billing admins, or operators: it says so to the server, which is free not to believe it. */
export function billingCommand(name: string, description: string, role = "admin"): Command {
  return clientCommand(name, description).option(
    "--role <role>",
    "Role to act in (x-user-role).",
    role,
  );
}

/** Adds the option by which an operator names the organization that is meant. */
export function withOrganization(command: Command): Command {
  const option = new Option(
    "--for <uuid>",
    "Organization that an operator means (default: --org).",
  );
  return command.addOption(option.implies({ role: OPERATOR }));
}

/** The organization that an operator means, as requests name it. */
export function organizationOf({ for: orgId }: { readonly for?: string }): OrganizationQuery {
  return orgId === undefined ? {} : { org_id: orgId };
}
