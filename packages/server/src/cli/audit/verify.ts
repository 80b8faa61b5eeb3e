import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Command } from "commander";
import {
  parseVerifierKey,
  verifiedCheckpoint,
  verifyExport,
  type AuditFiles,
  type VerifierKey,
} from "../../audit/index.js";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { JSON_OPTION_HELP } from "../json-option.js";
import { progressBar } from "../terminal/progress-bar.js";

interface VerifyOptions {
  readonly key: readonly string[];
  readonly checkpoint?: string;
  readonly json?: true;
}

/** `steward audit verify`: checks an export, without a server or a database. */
export function verifyCommand({ terminal }: CliContext): Command {
  return new Command("verify")
    .description("Verifies an export, without a server or a database.")
    .argument("<directory>", "Directory of `steward audit export`.")
    .option(
      "--key <key>",
      "Public key of the log, of `steward audit key`; may be repeated.",
      more,
      [],
    )
    .option("--checkpoint <file>", "A checkpoint that was kept elsewhere at an earlier time.")
    .option("--json", JSON_OPTION_HELP)
    .action(async (directory: string, options: VerifyOptions) => {
      const keys = options.key.map(parseVerifierKey);
      if (keys.length === 0) {
        throw usageError(
          "An export proves nothing without the public key of its log",
          "give it with --key; the operator gets it with `steward audit key`",
        );
      }
      const bar = progressBar(terminal, "records");
      const verdict = await verifyExport(filesIn(directory), {
        checkpoint: await checkpointIn(join(directory, "checkpoint"), keys),
        earlier:
          options.checkpoint === undefined
            ? undefined
            : await checkpointIn(options.checkpoint, keys),
        onProgress: (done, total) => {
          bar.show(done, total);
        },
      });
      bar.end();
      if (!verdict.isIntact) {
        throw new CliError(verdict.problem, { exitCode: EXIT.failed, code: "AUDIT_MISMATCH" });
      }
      if (options.json) terminal.printJson(verdict);
      else terminal.print(`All ${String(verdict.records)} records are those that were signed.`);
    });
}

function more(key: string, keys: readonly string[]): readonly string[] {
  return [...keys, key];
}

async function checkpointIn(
  file: string,
  keys: readonly VerifierKey[],
): Promise<ReturnType<typeof verifiedCheckpoint>> {
  const note = await readFile(file, "utf8").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(
      `Cannot read the checkpoint: ${reason}`,
      "name a directory of `steward audit export`",
    );
  });
  return verifiedCheckpoint(note, keys);
}

function filesIn(directory: string): AuditFiles {
  return {
    read: async (path) => {
      try {
        return await readFile(join(directory, path));
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
        throw error;
      }
    },
  };
}
