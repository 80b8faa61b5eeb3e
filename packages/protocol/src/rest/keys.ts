import * as z from "zod";

/** An API key to be created. */
export interface NewApiKey {
  readonly name: string;
  /** `live` (the default) or `test`: stands in the key's text, for people to see. */
  readonly environment?: "live" | "test";
  /** The agent that uses the key; left out: a program of its own. */
  readonly agent_id?: string;
  /** The person whom the agent acts for. */
  readonly user_id?: string;
  readonly roles?: readonly string[];
  readonly permissions?: readonly string[];
  readonly scopes?: readonly string[];
  /** RFC 3339; left out: never. */
  readonly expires_at?: string;
}

/** An API key, without its secret. */
export interface ApiKey {
  readonly key_id: string;
  readonly name: string;
  readonly environment: "live" | "test";
  readonly agent_id?: string;
  readonly user_id?: string;
  readonly roles: readonly string[];
  readonly permissions: readonly string[];
  readonly scopes: readonly string[];
  /** RFC 3339, UTC, as all times here. */
  readonly created_at: string;
  readonly expires_at?: string;
  readonly last_used_at?: string;
  readonly revoked_at?: string;
  /** Until when the secret before the last rotation is good as well. */
  readonly previous_secret_until?: string;
}

/** An API key with the text that its client shows; there is no other time to see it. */
export interface IssuedApiKey extends ApiKey {
  readonly api_key: string;
}

/** A page of API keys. */
export interface ApiKeyPage {
  readonly keys: readonly ApiKey[];
  /** For the next page; absent on the last one. */
  readonly next_cursor?: string;
}

/** Which page of the keys. */
export interface ApiKeyPageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** How a key is rotated. */
export interface RotateApiKey {
  /** For how long the present secret stays good, in seconds; left out: no longer than until now. */
  readonly overlap_seconds?: number;
}

/** The answer to revoking a key. */
export interface RevokedApiKey {
  readonly key_id: string;
  readonly revoked: true;
}

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

export const newApiKeySchema: z.ZodType<NewApiKey> = z
  .strictObject({
    name: z.string().describe("What people call the key"),
    environment: environment
      .exactOptional()
      .describe("Stands in the key's text for people to see; default: live"),
    agent_id: z.string().exactOptional().describe("The agent that uses the key"),
    user_id: z.string().exactOptional().describe("The person whom the agent acts for"),
    roles: names.exactOptional().describe("Roles of whoever shows the key"),
    permissions: names.exactOptional().describe("Permissions of whoever shows the key"),
    scopes: names.exactOptional().describe("What the key is limited to; default: nothing more"),
    expires_at: time.exactOptional().describe("When the key ends; default: never"),
  })
  .meta({
    id: "NewApiKey",
    description: "A new API key",
    examples: [{ name: "Invoice agent", agent_id: "invoice-agent", roles: ["agent"] }],
  });

const apiKeyFields = {
  key_id: z.string().describe("Id of the key: the part of its text that is no secret"),
  name: z.string().describe("What people call the key"),
  environment: environment.describe("Stands in the key's text for people to see"),
  agent_id: z.string().exactOptional().describe("The agent that uses the key"),
  user_id: z.string().exactOptional().describe("The person whom the agent acts for"),
  roles: names.describe("Roles of whoever shows the key"),
  permissions: names.describe("Permissions of whoever shows the key"),
  scopes: names.describe("What the key is limited to; empty: nothing beyond roles and permissions"),
  created_at: time.describe("When it was created, in UTC"),
  expires_at: time.exactOptional().describe("When it ends, in UTC; absent: never"),
  last_used_at: time.exactOptional().describe("About when it was used last, in UTC"),
  revoked_at: time.exactOptional().describe("When it was revoked, in UTC; absent: it was not"),
  previous_secret_until: time
    .exactOptional()
    .describe("Until when the secret before the last rotation is good as well, in UTC"),
};

export const apiKeySchema: z.ZodType<ApiKey> = z
  .object(apiKeyFields)
  .meta({ id: "ApiKey", description: "An API key without its secret", examples: [EXAMPLE] });

export const issuedApiKeySchema: z.ZodType<IssuedApiKey> = z
  .object({
    ...apiKeyFields,
    api_key: z.string().describe("The text to show as `authorization: Bearer …`; told only now"),
  })
  .meta({
    id: "IssuedApiKey",
    description: "An API key with its secret, which is told only once",
    examples: [{ ...EXAMPLE, api_key: "stw_live_5f3c9a2be1d04c7788aa0f12_…" }],
  });

export const apiKeyPageSchema: z.ZodType<ApiKeyPage> = z
  .object({
    keys: z.array(apiKeySchema).readonly().describe("Newest first"),
    next_cursor: z.string().exactOptional().describe("For the next page; absent on the last"),
  })
  .meta({ id: "ApiKeyPage", description: "A page of API keys" });

export const apiKeyPageQuerySchema: z.ZodType<ApiKeyPageQuery> = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).exactOptional().describe("Keys on the page"),
  cursor: z.string().exactOptional().describe("next_cursor of the page before"),
});

export const rotateApiKeySchema: z.ZodType<RotateApiKey> = z
  .strictObject({
    overlap_seconds: z
      .int()
      .exactOptional()
      .describe("For how long the present secret stays good; default: 0"),
  })
  .meta({
    id: "RotateApiKey",
    description: "How a key is rotated",
    examples: [{ overlap_seconds: 3600 }],
  });

export const revokedApiKeySchema: z.ZodType<RevokedApiKey> = z
  .object({
    key_id: z.string().describe("Id of the key"),
    revoked: z.literal(true).describe("Within a second no server takes the key any more"),
  })
  .meta({
    id: "RevokedApiKey",
    description: "The key is revoked",
    examples: [{ key_id: EXAMPLE.key_id, revoked: true }],
  });
