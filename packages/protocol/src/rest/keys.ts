import * as z from "zod";
import type { Message } from "./envelope.js";

const EXAMPLE = {
  key_id: "5f3c9a2be1d04c7788aa0f12",
  name: "Invoice agent",
  environment: "live",
  agent_id: "invoice-agent",
  user_id: "ada",
  roles: ["agent"],
  permissions: [],
  scopes: ["plans"],
  created_at: "2026-03-01T09:30:00.000Z",
} as const;

const names = z.array(z.string()).readonly();
const time = z.string().meta({ format: "date-time" });
const environment = z.enum(["live", "test"]);

const newApiKeyShape = {
  name: z.string().describe("Name of the key, for people"),
  /** `live` (the default) or `test`; part of the key's text, for people to see. */
  environment: environment
    .exactOptional()
    .describe("Environment name that the key's text contains; default: live"),
  /** The agent that uses the key; absent: a person or a program. */
  agent_id: z.string().exactOptional().describe("The agent that uses the key"),
  /** The person whose key it is, or that its agent acts for. Only a named person decides about approvals. */
  user_id: z
    .string()
    .exactOptional()
    .describe("The person whose key it is, or that its agent acts for"),
  roles: names.exactOptional().describe("Roles that the key gives"),
  permissions: names.exactOptional().describe("Permissions that the key gives"),
  scopes: names.exactOptional().describe("Scopes that limit the key; default: no further limit"),
  /** RFC 3339; absent: never. */
  expires_at: time.exactOptional().describe("When the key expires; default: never"),
};

/** An API key to create. */
export interface NewApiKey extends Message<typeof newApiKeyShape> {}

export const newApiKeySchema: z.ZodType<NewApiKey> = z.strictObject(newApiKeyShape).meta({
  id: "NewApiKey",
  description: "A new API key",
  examples: [{ name: "Invoice agent", agent_id: "invoice-agent", roles: ["agent"] }],
});

const apiKeyFields = {
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
  /** RFC 3339, UTC, like all times here. */
  created_at: time.describe("When it was created, in UTC"),
  expires_at: time.exactOptional().describe("When it expires, in UTC; absent: never"),
  last_used_at: time.exactOptional().describe("About when it was used last, in UTC"),
  revoked_at: time.exactOptional().describe("When it was revoked, in UTC; absent: it was not"),
  /** The time until which the secret before the last rotation stays valid. */
  previous_secret_until: time
    .exactOptional()
    .describe("Until when the secret before the last rotation is still valid, in UTC"),
};

/** An API key, without its secret. */
export interface ApiKey extends Message<typeof apiKeyFields> {}

export const apiKeySchema: z.ZodType<ApiKey> = z
  .object(apiKeyFields)
  .meta({ id: "ApiKey", description: "An API key without its secret", examples: [EXAMPLE] });

const issuedApiKeyShape = {
  ...apiKeyFields,
  api_key: z
    .string()
    .describe("The text to show as `authorization: Bearer …`; shown only in this answer"),
};

/** An API key with its text, which is shown only once. */
export interface IssuedApiKey extends Message<typeof issuedApiKeyShape> {}

export const issuedApiKeySchema: z.ZodType<IssuedApiKey> = z.object(issuedApiKeyShape).meta({
  id: "IssuedApiKey",
  description: "An API key with its secret, which is shown only once",
  examples: [{ ...EXAMPLE, api_key: "stw_live_5f3c9a2be1d04c7788aa0f12_…" }],
});

const apiKeyPageShape = {
  keys: z.array(apiKeySchema).readonly().describe("Newest first"),
  /** Cursor of the next page; absent on the last page. */
  next_cursor: z
    .string()
    .exactOptional()
    .describe("Cursor of the next page; absent on the last page"),
};

export interface ApiKeyPage extends Message<typeof apiKeyPageShape> {}

export const apiKeyPageSchema: z.ZodType<ApiKeyPage> = z
  .object(apiKeyPageShape)
  .meta({ id: "ApiKeyPage", description: "A page of API keys" });

const apiKeyPageQueryShape = {
  limit: z.coerce.number().int().min(1).max(200).exactOptional().describe("Keys on the page"),
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
};

/** The requested page of keys. */
export interface ApiKeyPageQuery extends Message<typeof apiKeyPageQueryShape> {}

export const apiKeyPageQuerySchema: z.ZodType<ApiKeyPageQuery> =
  z.strictObject(apiKeyPageQueryShape);

const rotateApiKeyShape = {
  /**
   * For how long the present secret stays valid, in seconds; absent: it becomes invalid at once.
   */
  overlap_seconds: z
    .int()
    .exactOptional()
    .describe("For how long the present secret stays valid; default: 0"),
};

/** Options of a rotation. */
export interface RotateApiKey extends Message<typeof rotateApiKeyShape> {}

export const rotateApiKeySchema: z.ZodType<RotateApiKey> = z.strictObject(rotateApiKeyShape).meta({
  id: "RotateApiKey",
  description: "How a key is rotated",
  examples: [{ overlap_seconds: 3600 }],
});

const revokedApiKeyShape = {
  key_id: z.string().describe("Id of the key"),
  revoked: z.literal(true).describe("Within a second no server takes the key any more"),
};

/** The answer to revoking a key. */
export interface RevokedApiKey extends Message<typeof revokedApiKeyShape> {}

export const revokedApiKeySchema: z.ZodType<RevokedApiKey> = z.object(revokedApiKeyShape).meta({
  id: "RevokedApiKey",
  description: "The key is revoked",
  examples: [{ key_id: EXAMPLE.key_id, revoked: true }],
});
