import * as z from "zod";
import { operation } from "../operation.js";
import { environment, issuedApiKey, names, time } from "./api-key.js";

export const createApiKey = operation({
  name: "createApiKey",
  action: "keys:write",
  audit: { kind: "key.create", time: "withEffect" },
  summary: "Create an API key",
  description:
    "Only this answer contains the key: the server stores no more than a hash of its secret.",
  tag: "Keys",
  input: z
    .strictObject({
      name: z.string().describe("Name of the key, for people"),
      environment: environment
        .exactOptional()
        .describe("Environment name that the key's text contains; default: live"),
      agent_id: z.string().exactOptional().describe("The agent that uses the key"),
      // Only a named person decides about approvals.
      user_id: z
        .string()
        .exactOptional()
        .describe("The person whose key it is, or that its agent acts for"),
      roles: names.exactOptional().describe("Roles that the key gives"),
      permissions: names.exactOptional().describe("Permissions that the key gives"),
      scopes: names
        .exactOptional()
        .describe("Scopes that limit the key; default: no further limit"),
      expires_at: time.exactOptional().describe("When the key expires; default: never"),
    })
    .meta({
      id: "NewApiKey",
      description: "A new API key",
      examples: [{ name: "Invoice agent", agent_id: "invoice-agent", roles: ["agent"] }],
    }),
  output: issuedApiKey,
  errors: [403],
  rest: {
    method: "POST",
    path: "/api/keys",
    status: 201,
    answered: "The key with its secret",
  },
  // Sent again, it could create a second key.
  retry: false,
});
