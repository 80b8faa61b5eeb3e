import type { Command } from "commander";
import type { CliContext } from "../context.js";
import {
  configOrExit,
  settingsCommand,
  type SettingsOptions,
} from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";

/** `steward audit key`: the public key with which auditors verify checkpoints. */
export function keyCommand({ env, terminal }: CliContext): Command {
  const command = settingsCommand(
    "key",
    "Prints the public key of the audit log, for auditors; run it where the server runs.",
  );
  return command.action(async (options: SettingsOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    const { auditVerifierKey } = await import("../../app/rooms/audit.js");
    const key = auditVerifierKey(config);
    if (options.json === true) terminal.printJson({ verifier_key: key });
    else terminal.print(key);
  });
}
