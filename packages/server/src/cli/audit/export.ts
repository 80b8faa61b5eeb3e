import type { StewardClient } from "@steward/client";
import { Option, type Command } from "commander";
import {
  isConsistent,
  parseCheckpoint,
  parseNote,
  parseVerifierKey,
  TILE_WIDTH,
  tilePath,
  tileWidth,
} from "../../audit/index.js";
import { witnessedPath } from "../../audit/witnesses/index.js";
import { CliError, usageError } from "../cli-error.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { progressBar } from "../terminal/progress-bar.js";
import { exportEvents } from "./export-events.js";
import { exportFilesOf, type ExportFiles } from "./export-files.js";
import { OBJECT_STORE_SCHEME } from "./object-store-files.js";

interface ExportOptions extends ClientOptions {
  readonly format: "tiles" | "ocsf";
}

/** `steward audit export`: the whole log as files of C2SP tlog-tiles, or as OCSF events. */
export function exportCommand({ env, terminal }: CliContext): Command {
  return clientCommand("export", "Writes the log of all organizations to files.")
    .option("--role <role>", "Role to act in (x-user-role).", "operator")
    .addOption(
      new Option(
        "--format <format>",
        "tiles: files that `steward audit verify` reads; ocsf: one file of OCSF events, as JSON lines.",
      )
        .choices(["tiles", "ocsf"])
        .default("tiles"),
    )
    .argument(
      "<path>",
      "Directory or s3://BUCKET/PREFIX to write to, where an earlier export is continued; with ocsf, the file to write.",
    )
    .action(async (target: string, options: ExportOptions) => {
      if (options.format === "ocsf") {
        requireFile(target);
        const events = await exportEvents(connect(options, env).audit, target, terminal);
        if (options.json) terminal.printJson({ events });
        else terminal.print(`${String(events)} events in ${target}`);
        return;
      }
      const files = exportFilesOf(target, env);
      const bar = progressBar(terminal, "files");
      const { audit } = connect(options, env);
      const note = await exportTiles(audit, { target, files }, (done, all) => bar.show(done, all));
      bar.end();
      const { size } = parseCheckpoint(parseNote(note).text);
      if (options.json) terminal.printJson({ records: size, checkpoint: note });
      else terminal.print(`${String(size)} records in ${target}`);
    });
}

function requireFile(target: string): void {
  if (!target.startsWith(OBJECT_STORE_SCHEME)) return;
  throw usageError(
    "OCSF events are written to a file, not to an object store",
    "export to a file and copy it, or leave out --format to export tiles",
  );
}

interface Destination {
  /** As the user wrote it. */
  readonly target: string;
  readonly files: ExportFiles;
}

/**
 * Writes the files that an earlier export does not have. The checkpoint comes last, so that it
 * never promises a file that is missing after an interruption.
 * @returns the checkpoint.
 */
async function exportTiles(
  audit: StewardClient["audit"],
  { target, files }: Destination,
  onProgress: (done: number, all: number) => void,
): Promise<string> {
  // Before the checkpoint, so that the export reaches as far as each witness.
  const witnessed = await audit.listAuditWitnesses();
  const note = await audit.checkpoint();
  const { size } = parseCheckpoint(parseNote(note).text);
  const exported = await exportedSize(audit, { target, files }, note);
  // A file never changes, because the name of an incomplete tile contains the number of its hashes.
  const known = new Set(pathsOf(exported));
  const paths = pathsOf(size).filter((path) => !known.has(path));
  const left = paths.values();
  let done = 0;
  const writeRest = async (): Promise<void> => {
    for (const path of left) {
      await files.write(path, await audit.tile(path));
      done += 1;
      onProgress(done, paths.length);
    }
  };
  await Promise.all(Array.from({ length: FILES_AT_ONCE }, writeRest));
  for (const { verifier_key: key, checkpoint } of witnessed) {
    if (checkpoint === undefined) continue;
    await files.write(witnessedPath(parseVerifierKey(key)), Buffer.from(checkpoint));
  }
  await files.write(CHECKPOINT, Buffer.from(note));
  return note;
}

/** Hides the time that an object store takes for each answer. */
const FILES_AT_ONCE = 8;

const CHECKPOINT = "checkpoint";

/** All files of a log of this size, bottom up. */
function pathsOf(size: number): readonly string[] {
  const paths: string[] = [];
  for (let level = 0, count = size; count > 0; level += 1, count = Math.floor(count / TILE_WIDTH)) {
    for (let index = 0; index * TILE_WIDTH < count; index += 1) {
      const width = tileWidth(level, index, size);
      if (level === 0) paths.push(tilePath({ level: "entries", index, width }));
      paths.push(tilePath({ level, index, width }));
    }
  }
  return paths;
}

/**
 * The number of records that were exported before.
 * @throws CliError when the log does not begin with these records: it would mix two histories.
 */
async function exportedSize(
  audit: StewardClient["audit"],
  { target, files }: Destination,
  note: string,
): Promise<number> {
  const found = await files.read(CHECKPOINT);
  if (found === undefined) return 0;
  const older = parseCheckpoint(parseNote(found.toString("utf8")).text);
  const newer = parseCheckpoint(parseNote(note).text);
  const hashes =
    older.size > newer.size
      ? []
      : (await audit.proveAuditConsistency({ older: older.size, newer: newer.size })).proof;
  const proof = hashes.map((hash) => Buffer.from(hash, "base64"));
  if (isConsistent({ older, newer }, proof)) return older.size;
  throw new CliError(
    `The log of the server does not begin with the ${String(older.size)} records that were exported to ${target} before`,
    {
      exitCode: EXIT.failed,
      code: "AUDIT_MISMATCH",
      fix: "keep that export as evidence, export to another place, and compare the records",
    },
  );
}
