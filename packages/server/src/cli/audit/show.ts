import { shownJson } from "@steward/kernel/shown-text.js";
import type { Command } from "commander";
import { leafHash, parseCheckpoint, parseNote, rootOfInclusion } from "../../audit/index.js";
import { CliError } from "../cli-error.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";

/** `steward audit show`: one record, whose proof is checked here. */
export function showCommand({ env, terminal }: CliContext): Command {
  return clientCommand("show", "Shows a record, and checks the proof that the log contains it.")
    .option("--role <role>", "Role to act in (x-user-role).", "auditor")
    .argument("<index>", "Place of the record in the log.")
    .action(async (index: string, options: ClientOptions) => {
      const record = await connect(options, env).audit.getAuditRecord({ index: Number(index) });
      const { size, root } = parseCheckpoint(parseNote(record.checkpoint).text);
      const proof = record.proof.map((hash) => Buffer.from(hash, "base64"));
      const leaf = leafHash(Buffer.from(record.entry));
      if (rootOfInclusion(leaf, record.index, size, proof)?.equals(root) !== true) {
        throw new CliError(
          `The server's proof of record ${index} does not lead to its checkpoint`,
          {
            exitCode: EXIT.failed,
            code: "AUDIT_MISMATCH",
            fix: "export the log and run `steward audit verify` on it",
          },
        );
      }
      if (options.json) {
        terminal.printJson(record);
        return;
      }
      terminal.print(shownJson(JSON.stringify(JSON.parse(record.entry), null, 2)));
      for (const [place, value] of Object.entries(record.values ?? {})) {
        terminal.print(`${place}: ${value}`);
      }
      terminal.note(`in the log of ${String(size)} records, as its proof shows`);
    });
}
