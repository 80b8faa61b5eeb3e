import {
  apiKeyPageQuerySchema,
  apiKeyPageSchema,
  dataOf,
  issuedApiKeySchema,
  newApiKeySchema,
  revokedApiKeySchema,
  rotateApiKeySchema,
  type ApiKey as ApiKeyMessage,
  type IssuedApiKey,
  type NewApiKey,
} from "@steward/protocol/rest";
import * as z from "zod";
import type { ApiKey, ApiKeyService, IssuedKey } from "../../../identity/index.js";
import { isoTime } from "@steward/kernel/clock.js";
import { invalidField } from "@steward/kernel/errors.js";
import { API_KEYS_PAGE_DEFAULT } from "../../../identity/limits.js";
import { errors, json } from "../described-replies.js";
import { pathText } from "../path-text.js";
import type { RestApp } from "../rest-app.js";
import { present } from "../../present.js";

const tags = ["Keys"];
const params = z.object({ key_id: pathText("Id of the key") });

/** The API keys of the caller's organization (Decision §15). */
export function addKeyRoutes(app: RestApp, keys: ApiKeyService): void {
  addCreate(app, keys);
  addList(app, keys);
  addRotate(app, keys);
  addRevoke(app, keys);
}

function addCreate(app: RestApp, keys: ApiKeyService): void {
  const schema = {
    operationId: "createApiKey",
    summary: "Create an API key",
    description:
      "Only this answer contains the key: the server stores no more than a hash of its secret.",
    tags,
    body: newApiKeySchema,
    response: { 201: json("The key with its secret", dataOf(issuedApiKeySchema)), ...errors(403) },
  };
  app.post("/api/keys", { schema }, async ({ body, context }, reply) => {
    const issued = await keys.create(context, draftOf(body));
    void reply.code(201);
    return { data: issuedMessage(issued) };
  });
}

function addList(app: RestApp, keys: ApiKeyService): void {
  const schema = {
    operationId: "listApiKeys",
    summary: "List API keys, newest first",
    description:
      "Keys of your organization without their secrets, revoked ones too, a page at a time.",
    tags,
    querystring: apiKeyPageQuerySchema,
    response: { 200: json("A page of keys", dataOf(apiKeyPageSchema)), ...errors(403) },
  };
  app.get("/api/keys", { schema }, async ({ query, context }) => {
    const { limit = API_KEYS_PAGE_DEFAULT, cursor } = query;
    const page = await keys.list(context, limit, cursor);
    const next = page.nextCursor === undefined ? {} : { next_cursor: page.nextCursor };
    return { data: { keys: page.keys.map(keyMessage), ...next } };
  });
}

function addRotate(app: RestApp, keys: ApiKeyService): void {
  const schema = {
    operationId: "rotateApiKey",
    summary: "Give an API key a new secret",
    description:
      "The key keeps its id. Its present secret stays valid for overlap_seconds, so that clients can switch to the new one.",
    tags,
    params,
    body: rotateApiKeySchema,
    response: {
      200: json("The key with its new secret", dataOf(issuedApiKeySchema)),
      ...errors(403, 404),
    },
  };
  app.post("/api/keys/:key_id/rotate", { schema }, async ({ params, body, context }) => {
    const overlapMs = (body.overlap_seconds ?? 0) * 1000;
    return { data: issuedMessage(await keys.rotate(context, params.key_id, overlapMs)) };
  });
}

function addRevoke(app: RestApp, keys: ApiKeyService): void {
  const schema = {
    operationId: "revokeApiKey",
    summary: "Revoke an API key",
    description:
      "The key is revoked permanently; within a second no server accepts it. Repeating the request gives the same answer.",
    tags,
    params,
    response: { 200: json("The key is revoked", dataOf(revokedApiKeySchema)), ...errors(403, 404) },
  };
  app.delete("/api/keys/:key_id", { schema }, async ({ params, context }) => {
    await keys.revoke(context, params.key_id);
    return { data: { key_id: params.key_id, revoked: true as const } };
  });
}

function draftOf(body: NewApiKey): Parameters<ApiKeyService["create"]>[1] {
  const { name, environment = "live", roles = [], permissions = [], scopes = [] } = body;
  const { agent_id: agentId, user_id: userId, expires_at: expiresAt } = body;
  return {
    ...{ name, environment, roles, permissions, scopes },
    ...present({ agentId, userId }),
    ...(expiresAt === undefined ? {} : { expiresAtMs: timeOf(expiresAt) }),
  };
}

/** @throws AppError `INVALID_ARGUMENT`. */
function timeOf(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalidField("expires_at", "must be a date or an RFC 3339 time");
  return ms;
}

function issuedMessage({ key, text }: IssuedKey): IssuedApiKey {
  return { ...keyMessage(key), api_key: text };
}

function keyMessage(key: ApiKey): ApiKeyMessage {
  const { keyId, name, environment, agentId, userId, roles, permissions, scopes } = key;
  return {
    ...{ key_id: keyId, name, environment, roles, permissions, scopes },
    ...present({ agent_id: agentId, user_id: userId }),
    created_at: isoTime(key.createdAtMs),
    ...timed("expires_at", key.expiresAtMs),
    ...timed("last_used_at", key.lastUsedAtMs),
    ...timed("revoked_at", key.revokedAtMs),
    ...timed("previous_secret_until", key.previous?.untilMs),
  };
}

function timed<Name extends string>(
  name: Name,
  ms: number | undefined,
): Partial<Record<Name, string>> {
  // A computed key widens to string; the declared type is more precise.
  return (ms === undefined ? {} : { [name]: isoTime(ms) }) as Partial<Record<Name, string>>;
}
