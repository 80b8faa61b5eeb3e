import * as z from "zod";
import type { CommandOption } from "../command.js";

/** The organization that an operator means, a parameter of many operations. */
export const organization = {
  org_id: z
    .string()
    .exactOptional()
    .describe("Organization that an operator means; default: the caller's own"),
};

/** The option of commands with which an operator names an organization. */
export const forOrganization = {
  member: "org_id",
  flags: "--for <uuid>",
  description: "Organization that an operator means (default: --org).",
  role: "operator",
} as const satisfies CommandOption;
