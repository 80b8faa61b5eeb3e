import type { Command } from "commander";
import type { ApiKey, ApiKeyService, IssuedKey } from "../../identity/index.js";
import { anonymousCaller, type Caller } from "@steward/kernel/caller.js";
import { isoTime } from "@steward/kernel/clock.js";
import { isUuid } from "@steward/kernel/ids.js";
import { SETTINGS } from "../../config/index.js";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import {
  configOrExit,
  settingsCommand,
  type SettingsOptions,
} from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";

export interface KeyOptions extends SettingsOptions {
  readonly org: string;
}

/** A command on one organization's keys. */
export function keysCommand(name: string, description: string): Command {
  return settingsCommand(name, description).requiredOption(
    "--org <uuid>",
    "Organization that the key belongs to.",
  );
}

/**
 * Runs `work` on the keys in the configured store, as an operator. No further authorization is
 * needed: a user who can open the store could write any key into it.
 */
export async function withKeys<T>(
  { env, terminal }: CliContext,
  command: Command,
  work: (service: ApiKeyService, operator: Caller) => Promise<T>,
): Promise<T> {
  const { org } = command.opts<KeyOptions>();
  if (!isUuid(org))
    throw usageError(`--org: ${org} is no UUID`, "name the organization by its UUID");
  const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
  if (config.databaseUrl === undefined) throw noStore();
  const { openApiKeys } = await import("../../app/keys.js");
  await using keys = await openApiKeys(config.databaseUrl);
  const operator: Caller = {
    ...anonymousCaller(org.toLowerCase()),
    kind: "person",
    roles: ["operator"],
  };
  return await work(keys.service, operator);
}

/** Prints a key's text, which cannot be shown again, and its properties. */
export function printIssued(
  { key, text }: IssuedKey,
  options: KeyOptions,
  context: CliContext,
): void {
  const { terminal } = context;
  if (options.json === true) {
    terminal.printJson({
      key_id: key.keyId,
      api_key: text,
      expires_at: shownTime(key.expiresAtMs),
    });
    return;
  }
  terminal.print(text);
  terminal.note("This is the only time the key is shown. Keep it where secrets are kept.");
}

/** A time for display, or undefined. */
export function shownTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : isoTime(ms);
}

/** A key's status as text: revoked, expired, or its validity. */
export function statusOf({ revokedAtMs, expiresAtMs }: ApiKey, nowMs: number): string {
  if (revokedAtMs !== undefined) return "revoked";
  return expiresAtMs !== undefined && expiresAtMs <= nowMs ? "expired" : "active";
}

function noStore(): CliError {
  return new CliError("There is no store to keep API keys in", {
    exitCode: EXIT.usage,
    code: "CONFIGURATION",
    fix: `set ${SETTINGS.databaseUrl.name}, such as ${SETTINGS.databaseUrl.example}`,
  });
}
