import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { readTextFile } from "../text-file.js";
import { POLICY_FILE, policyAdminCommand } from "./policy-command.js";

interface PutOptions extends ClientOptions {
  readonly ifVersion?: string;
}

/** `steward policy put`: puts policies in force. */
export function putCommand({ env, terminal, stdin }: CliContext): Command {
  return policyAdminCommand("put", "Puts your organization's own policies into force.")
    .argument("<file>", "File of policies in Cedar, or - for standard input.")
    .option("--if-version <version>", "Only if this version is in force (default: any version).")
    .action(async (file: string, options: PutOptions) => {
      const text = await readTextFile(file, stdin, POLICY_FILE);
      const { policies } = connect(options, env);
      const present =
        options.ifVersion === undefined
          ? (await policies.getPolicies()).version
          : Number(options.ifVersion);
      const put = await policies.putPolicies({ text, version: present });
      if (options.json) terminal.printJson(put);
      else terminal.print(`version ${String(put.version)} is in force`);
    });
}
