import * as z from "zod";
import type { Infer } from "../operation.js";

export const KEY_ID = "5f3c9a2be1d04c7788aa0f12";

const EXAMPLE = {
  key_id: KEY_ID,
  name: "Invoice agent",
  environment: "live",
  agent_id: "invoice-agent",
  user_id: "ada",
  roles: ["agent"],
  permissions: [],
  scopes: ["plans"],
  created_at: "2026-03-01T09:30:00.000Z",
} as const;

export const names = z.array(z.string()).readonly();
export const time = z.string().meta({ format: "date-time" });
export const environment = z.enum(["live", "test"]);

/** Of a key in a path. */
export const keyId = z.string().describe("Id of the key");

const apiKeyShape = {
  key_id: z.string().describe("Id of the key: the public part of its text"),
  name: z.string().describe("Name of the key, for people"),
  environment: environment.describe("Environment name that the key's text contains"),
  agent_id: z.string().exactOptional().describe("The agent that uses the key"),
  user_id: z
    .string()
    .exactOptional()
    .describe("The person whose key it is, or that its agent acts for"),
  roles: names.describe("Roles that the key gives"),
  permissions: names.describe("Permissions that the key gives"),
  scopes: names.describe(
    "Scopes that limit the key; empty: only its roles and permissions limit it",
  ),
  created_at: time.describe("When it was created, in UTC"),
  expires_at: time.exactOptional().describe("When it expires, in UTC; absent: never"),
  last_used_at: time.exactOptional().describe("About when it was used last, in UTC"),
  revoked_at: time.exactOptional().describe("When it was revoked, in UTC; absent: it was not"),
  previous_secret_until: time
    .exactOptional()
    .describe("Until when the secret before the last rotation is still valid, in UTC"),
};

/** An API key, without its secret. */
export const apiKey = z
  .object(apiKeyShape)
  .meta({ id: "ApiKey", description: "An API key without its secret", examples: [EXAMPLE] });

export type ApiKey = Infer<typeof apiKey>;

/** An API key with its text, which is shown only once. */
export const issuedApiKey = z
  .object({
    ...apiKeyShape,
    api_key: z
      .string()
      .describe("The text to show as `authorization: Bearer …`; shown only in this answer"),
  })
  .meta({
    id: "IssuedApiKey",
    description: "An API key with its secret, which is shown only once",
    examples: [{ ...EXAMPLE, api_key: "stw_live_5f3c9a2be1d04c7788aa0f12_…" }],
  });

export type IssuedApiKey = Infer<typeof issuedApiKey>;
