import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { keysCommand, printIssued, withKeys, type KeyOptions } from "./key-command.js";

interface RotateOptions extends KeyOptions {
  readonly overlap: string;
}

/** `steward key rotate`: prints the key's new text, which cannot be shown again. */
export function rotateCommand(context: CliContext): Command {
  const command = keysCommand("rotate", "Rotates the secret of an API key and prints the new one.")
    .argument("<key-id>", "Id of the key, as `steward key list` shows it.")
    .option("--overlap <hours>", "Hours for which the present secret stays valid.", "0");
  return command.action(async (keyId: string, options: RotateOptions) => {
    const hours = Number(options.overlap);
    if (!(hours >= 0))
      throw usageError(
        `--overlap ${options.overlap} is not a number of hours`,
        "give the hours for which the present secret stays valid, such as 24",
      );
    const issued = await withKeys(context, command, (service, operator) =>
      service.rotate(operator, keyId, hours * 3_600_000),
    );
    printIssued(issued, options, context);
  });
}

/** `steward key revoke`: servers stop accepting the key within a second. */
export function revokeCommand(context: CliContext): Command {
  const command = keysCommand("revoke", "Revokes an API key permanently.").argument(
    "<key-id>",
    "Id of the key, as `steward key list` shows it.",
  );
  return command.action(async (keyId: string, options: KeyOptions) => {
    const { terminal } = context;
    await withKeys(context, command, (service, operator) => service.revoke(operator, keyId));
    if (options.json === true) terminal.printJson({ key_id: keyId, revoked: true });
    else terminal.print(`revoked ${keyId}`);
  });
}
