import type { Command } from "commander";
import type { ApiKey, ApiKeyService } from "../../identity/index.js";
import type { Caller } from "@steward/kernel/caller.js";
import { systemClock } from "@steward/kernel/clock.js";
import { API_KEYS_PAGE_MAX } from "../../identity/limits.js";
import type { CliContext } from "../context.js";
import { keysCommand, shownTime, statusOf, withKeys, type KeyOptions } from "./key-command.js";

const COLUMNS = ["KEY ID", "NAME", "STATUS", "AGENT", "USER", "ROLES", "EXPIRES", "LAST USED"];

/** `steward key list`: lists an organization's keys without their secrets. */
export function listCommand(context: CliContext): Command {
  const command = keysCommand("list", "Lists the API keys of an organization, newest first.");
  return command.action(async (options: KeyOptions) => {
    const { terminal } = context;
    const keys = await withKeys(context, command, allKeys);
    const nowMs = systemClock.nowMs();
    if (options.json === true) terminal.printJson(keys.map((key) => shownKey(key, nowMs)));
    else {
      terminal.printTable(
        COLUMNS.map((title) => ({ title })),
        keys.map((key) => [
          ...[key.keyId, key.name, statusOf(key, nowMs), key.agentId ?? "", key.userId ?? ""],
          ...[
            key.roles.join(","),
            shownTime(key.expiresAtMs) ?? "",
            shownTime(key.lastUsedAtMs) ?? "",
          ],
        ]),
      );
    }
  });
}

async function allKeys(service: ApiKeyService, operator: Caller): Promise<readonly ApiKey[]> {
  const keys: ApiKey[] = [];
  let cursor: string | undefined;
  do {
    const page = await service.list(operator, API_KEYS_PAGE_MAX, cursor);
    keys.push(...page.keys);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return keys;
}

/** The fields of a key that may be shown; hashes are left out too. */
function shownKey(key: ApiKey, nowMs: number): object {
  return {
    key_id: key.keyId,
    name: key.name,
    status: statusOf(key, nowMs),
    environment: key.environment,
    agent_id: key.agentId,
    user_id: key.userId,
    roles: key.roles,
    permissions: key.permissions,
    scopes: key.scopes,
    created_at: shownTime(key.createdAtMs),
    expires_at: shownTime(key.expiresAtMs),
    last_used_at: shownTime(key.lastUsedAtMs),
    revoked_at: shownTime(key.revokedAtMs),
  };
}
