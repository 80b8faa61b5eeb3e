import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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
import { CliError } from "../cli-error.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { progressBar } from "../terminal/progress-bar.js";
import { exportEvents } from "./export-events.js";

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
      "Directory to write to, where an earlier export is continued; with ocsf, the file to write.",
    )
    .action(async (directory: string, options: ExportOptions) => {
      const { audit } = connect(options, env);
      if (options.format === "ocsf") {
        const events = await exportEvents(audit, directory, terminal);
        if (options.json) terminal.printJson({ events });
        else terminal.print(`${String(events)} events in ${directory}`);
        return;
      }
      // Before the checkpoint, so that the export reaches as far as each witness.
      const witnessed = await audit.witnesses();
      const note = await audit.checkpoint();
      const { size } = parseCheckpoint(parseNote(note).text);
      await requireConsistent(audit, directory, note);
      const bar = progressBar(terminal, "files");
      const paths = pathsOf(size);
      for (const [index, path] of paths.entries()) {
        const file = join(directory, path);
        // A file never changes, because the name of an incomplete tile contains the number of its
        // hashes.
        if (!existsSync(file)) await write(file, await audit.tile(path));
        bar.show(index + 1, paths.length);
      }
      bar.end();
      for (const { verifier_key: key, checkpoint } of witnessed) {
        if (checkpoint === undefined) continue;
        await write(join(directory, witnessedPath(parseVerifierKey(key))), Buffer.from(checkpoint));
      }
      await write(join(directory, "checkpoint"), Buffer.from(note));
      if (options.json) terminal.printJson({ records: size, checkpoint: note });
      else terminal.print(`${String(size)} records in ${directory}`);
    });
}

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

/** A log that does not begin with the one that was exported before would mix two histories. */
async function requireConsistent(
  audit: StewardClient["audit"],
  directory: string,
  note: string,
): Promise<void> {
  const file = join(directory, "checkpoint");
  if (!existsSync(file)) return;
  const older = parseCheckpoint(parseNote(await readFile(file, "utf8")).text);
  const newer = parseCheckpoint(parseNote(note).text);
  const hashes =
    older.size > newer.size
      ? []
      : (await audit.consistency({ older: older.size, newer: newer.size })).proof;
  const proof = hashes.map((hash) => Buffer.from(hash, "base64"));
  if (isConsistent({ older, newer }, proof)) return;
  throw new CliError(
    `The log of the server does not begin with the ${String(older.size)} records that were exported to ${directory} before`,
    {
      exitCode: EXIT.failed,
      code: "AUDIT_MISMATCH",
      fix: "keep that export as evidence, export to another directory, and compare the records",
    },
  );
}

async function write(file: string, content: Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
}
