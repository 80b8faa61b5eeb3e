import { readFile } from "node:fs/promises";
import { Command, InvalidArgumentError } from "commander";
import {
  parseVerifierKey,
  verifiedCheckpoint,
  verifyExport,
  type VerifierKey,
} from "../../audit/index.js";
import {
  newestCosigned,
  witnessedPath,
  type VerifiedCosignature,
} from "../../audit/witnesses/index.js";
import { CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { JSON_OPTION_HELP } from "../json-option.js";
import { exportFilesOf, type ExportFiles } from "./export-files.js";
import { progressBar } from "../terminal/progress-bar.js";
import type { Terminal } from "../terminal/terminal.js";

interface VerifyOptions {
  readonly key: readonly string[];
  readonly checkpoint?: string;
  readonly witness: readonly string[];
  readonly quorum?: number;
  readonly json?: true;
}

/** `steward audit verify`: checks an export, without a server or a database. */
export function verifyCommand({ env, terminal }: CliContext): Command {
  return new Command("verify")
    .description("Verifies an export, without a server or a database.")
    .argument("<export>", "Directory or s3://BUCKET/PREFIX of `steward audit export`.")
    .option(
      "--key <key>",
      "Public key of the log, of `steward audit key`; may be repeated.",
      more,
      [],
    )
    .option("--checkpoint <file>", "A checkpoint that was kept elsewhere at an earlier time.")
    .option(
      "--witness <key>",
      "Public key of a witness that must have cosigned the log; may be repeated.",
      more,
      [],
    )
    .option(
      "--quorum <number>",
      "How many of the witnesses suffice (default: all of them).",
      wholeNumber,
    )
    .option("--json", JSON_OPTION_HELP)
    .action(async (target: string, options: VerifyOptions) => {
      await verify(exportFilesOf(target, env), options, terminal);
    });
}

async function verify(
  files: ExportFiles,
  options: VerifyOptions,
  terminal: Terminal,
): Promise<void> {
  const keys = options.key.map(parseVerifierKey);
  if (keys.length === 0) {
    throw usageError(
      "An export proves nothing without the public key of its log",
      "give it with --key; the operator gets it with `steward audit key`",
    );
  }
  const witnesses = options.witness.map(witnessKeyOf);
  const { quorum = witnesses.length } = options;
  if (quorum > witnesses.length) {
    throw usageError(
      `--quorum ${String(quorum)} is more than the ${String(witnesses.length)} given witnesses`,
      "name each witness with --witness",
    );
  }
  const note = await checkpointOf(files);
  const kept = options.checkpoint === undefined ? [] : [await readCheckpoint(options.checkpoint)];
  const cosigned = newestCosigned(
    [note, ...kept, ...(await witnessedNotes(files, witnesses))],
    keys,
    witnesses,
  );
  const bar = progressBar(terminal, "records");
  const verdict = await verifyExport(files, {
    checkpoint: verifiedCheckpoint(note, keys),
    earlier: [
      ...kept.map((each) => ({
        checkpoint: verifiedCheckpoint(each, keys),
        name: "the earlier checkpoint",
      })),
      ...cosigned.map(({ checkpoint, witness }) => ({
        checkpoint,
        name: `the checkpoint that ${witness.name} has cosigned`,
      })),
    ],
    onProgress: (done, total) => {
      bar.show(done, total);
    },
  });
  bar.end();
  if (!verdict.isIntact) {
    throw new CliError(verdict.problem, { exitCode: EXIT.failed, code: "AUDIT_MISMATCH" });
  }
  requireQuorum(witnesses, cosigned, quorum);
  if (options.json) {
    terminal.printJson({ ...verdict, ...(quorum === 0 ? {} : witnessedMessage(cosigned, quorum)) });
    return;
  }
  terminal.print(`All ${String(verdict.records)} records are those that were signed.`);
  for (const line of witnessLines(witnesses, cosigned)) terminal.print(line);
}

function more(key: string, keys: readonly string[]): readonly string[] {
  return [...keys, key];
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It is a whole number from 1 on.");
}

function witnessKeyOf(text: string): VerifierKey {
  const key = parseVerifierKey(text);
  if (key.type === "cosignature/v1") return key;
  throw usageError(
    `--witness ${key.name}: this is the key of a log, not of a witness`,
    "give a key of C2SP tlog-cosignature, whose last part begins with B",
  );
}

/** The checkpoints of an export that witnesses have cosigned. */
async function witnessedNotes(
  files: ExportFiles,
  witnesses: readonly VerifierKey[],
): Promise<readonly string[]> {
  const notes = await Promise.all(witnesses.map((key) => files.read(witnessedPath(key))));
  return notes.flatMap((note) => note?.toString("utf8") ?? []);
}

function requireQuorum(
  witnesses: readonly VerifierKey[],
  cosigned: readonly VerifiedCosignature[],
  quorum: number,
): void {
  if (cosigned.length >= quorum) return;
  const found = new Set(cosigned.map(({ witness }) => witness));
  const missing = witnesses.filter((key) => !found.has(key)).map(({ name }) => name);
  throw new CliError(
    `All records are those that the log has signed, but only ${String(cosigned.length)} of the ${String(quorum)} wanted witnesses ` +
      `have cosigned them; there is no cosignature of ${missing.join(", ")}`,
    {
      exitCode: EXIT.failed,
      code: "AUDIT_NOT_WITNESSED",
      fix: "`SERVICE_AUDIT_WITNESSES` names the witnesses that the server asks; export again when they have answered",
    },
  );
}

/** How many records at least `quorum` witnesses vouch for. */
function witnessedMessage(cosigned: readonly VerifiedCosignature[], quorum: number): object {
  const sizes = cosigned.map(({ checkpoint }) => checkpoint.size).toSorted((a, b) => b - a);
  return {
    witnessed_records: sizes[quorum - 1],
    witnesses: cosigned.map(({ witness, checkpoint, atSeconds }) => ({
      name: witness.name,
      records: checkpoint.size,
      cosigned_at: timeOf(atSeconds),
    })),
  };
}

function witnessLines(
  witnesses: readonly VerifierKey[],
  cosigned: readonly VerifiedCosignature[],
): readonly string[] {
  return witnesses.map((key) => {
    const own = cosigned.find(({ witness }) => witness === key);
    if (own === undefined) return `${key.name} has cosigned none of them.`;
    const { checkpoint, atSeconds } = own;
    return `${key.name} has cosigned the first ${String(checkpoint.size)}, at ${timeOf(atSeconds)}.`;
  });
}

/** Times beyond those of JavaScript are shown as the last one. */
function timeOf(seconds: number): string {
  return new Date(Math.min(seconds * 1000, 8.64e15)).toISOString();
}

async function checkpointOf(files: ExportFiles): Promise<string> {
  const note = await files.read("checkpoint");
  if (note !== undefined) return note.toString("utf8");
  throw usageError(
    "There is no export here: it has no file named checkpoint",
    "name the directory or s3://BUCKET/PREFIX that `steward audit export` has written",
  );
}

async function readCheckpoint(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(
      `Cannot read the checkpoint: ${reason}`,
      "name with --checkpoint a file named checkpoint of an earlier `steward audit export`",
    );
  });
}
