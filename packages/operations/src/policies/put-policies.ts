import * as z from "zod";
import { operation } from "../operation.js";
import { EXAMPLE_TEXT, text, version } from "./policies-in-force.js";

export const putPolicies = operation({
  name: "putPolicies",
  action: "policies:write",
  audit: { kind: "policies.put", time: "withEffect" },
  summary: "Put your organization's own policies into force",
  description:
    "These policies can only forbid. They are checked first; within a second every server applies them. " +
    "The version names the policies that you read and changed: when another change came first, nothing " +
    "changes and the answer is 409.",
  tag: "Policies",
  input: z
    .strictObject({
      text,
      version: version.describe("The version that these policies follow; 0: there are none yet"),
    })
    .meta({
      id: "NewPolicies",
      description: "Policies to be put in force",
      examples: [{ text: EXAMPLE_TEXT, version: 2 }],
    }),
  output: z
    .object({ version: version.describe("The version that is in force now") })
    .meta({ id: "PutPolicies", description: "Policies are in force", examples: [{ version: 3 }] }),
  errors: [403, 409],
  rest: { method: "PUT", path: "/api/policies", answered: "They are in force" },
  // The request names the version that it replaces.
  retry: false,
});
