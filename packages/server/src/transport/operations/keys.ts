import {
  keys,
  type ApiKey as ApiKeyMessage,
  type InputOf,
  type IssuedApiKey,
} from "@steward/operations";
import { isoTime } from "@steward/kernel/clock.js";
import { invalidField } from "@steward/kernel/errors.js";
import type { ApiKey, ApiKeyService, IssuedKey } from "../../identity/index.js";
import { API_KEYS_PAGE_DEFAULT } from "../../identity/limits.js";
import { present } from "../../kernel/present.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations on API keys do. */
export function keyOperations({ apiKeys }: Pick<Services, "apiKeys">): readonly Implemented[] {
  return [
    implement(keys.createApiKey, async ({ input, context }) =>
      issuedMessage(await apiKeys.create(context, draftOf(input))),
    ),
    implement(keys.listApiKeys, async ({ input, context }) => {
      const { limit = API_KEYS_PAGE_DEFAULT, cursor } = input;
      const page = await apiKeys.list(context, limit, cursor);
      return { keys: page.keys.map(keyMessage), ...present({ next_cursor: page.nextCursor }) };
    }),
    implement(keys.rotateApiKey, async ({ input, context }) => {
      const { key_id, overlap_seconds = 0 } = input;
      return issuedMessage(await apiKeys.rotate(context, key_id, overlap_seconds * 1000));
    }),
    implement(keys.revokeApiKey, async ({ input: { key_id }, context }) => {
      await apiKeys.revoke(context, key_id);
      return { key_id, revoked: true as const };
    }),
  ];
}

function draftOf(input: InputOf<typeof keys.createApiKey>): Parameters<ApiKeyService["create"]>[1] {
  const { name, environment = "live", roles = [], permissions = [], scopes = [] } = input;
  const { agent_id: agentId, user_id: userId, expires_at: expiresAt } = input;
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
    ...present({
      expires_at: timeText(key.expiresAtMs),
      last_used_at: timeText(key.lastUsedAtMs),
      revoked_at: timeText(key.revokedAtMs),
      previous_secret_until: timeText(key.previous?.untilMs),
    }),
  };
}

function timeText(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : isoTime(ms);
}
