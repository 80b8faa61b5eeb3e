import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";
import { operationLines } from "./migration-lines.js";
import { schemaAdminCommand } from "./schema-admin-command.js";

/** `steward migrate-db verify`: exits with 1 when the proof fails. */
export function verifyCommand({ env, terminal, exitWith }: CliContext): Command {
  return schemaAdminCommand("verify", "Tries a migration on a scratch database, up and down.")
    .argument("<id>", "Id of the migration.")
    .action(async (id: string, options: ClientOptions) => {
      const proof = await connect(options, env).migrations.verifyMigration({ migration_id: id });
      if (options.json) terminal.printJson(proof);
      else {
        for (const { name, expected_root, reached_root, missing } of proof.stretches) {
          const word = expected_root === reached_root ? "equal" : "different";
          terminal.print(`${name.padEnd(4)}  ${reached_root}  ${word}`);
          operationLines(missing, terminal.outColors).forEach(terminal.print);
        }
      }
      if (!proof.proven) exitWith(EXIT.failed);
    });
}
