import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { CliError } from "../cli-error.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { readTextFile } from "../text-file.js";
import { POLICY_FILE, policyAdminCommand } from "./policy-command.js";

/** `steward policy check`: validates policies before they are put in force. */
export function checkCommand({ env, terminal, stdin }: CliContext): Command {
  return policyAdminCommand("check", "Checks policies without putting them into force.")
    .argument("<file>", "File of policies in Cedar, or - for standard input.")
    .action(async (file: string, options: ClientOptions) => {
      const text = await readTextFile(file, stdin, POLICY_FILE);
      const { problems } = await connect(options, env).policies.checkPolicies({ text });
      if (options.json) terminal.printJson(problems);
      for (const { line, column, message } of options.json ? [] : problems) {
        terminal.print(`${file}:${String(line)}:${String(column)}: ${message}`);
      }
      if (problems.length === 0) return;
      throw new CliError(`${String(problems.length)} of these policies are not valid`, {
        ...{ exitCode: EXIT.failed, code: "INVALID_ARGUMENT" },
        fix: "correct them at the places named above",
      });
    });
}
