import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SchemaFile } from "@steward/client";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { readTextFile, STDIN } from "../text-file.js";

const WHAT = "a file of SQL";

/**
 * Reads the files of a wanted schema in order: named files, all *.sql files of a folder sorted by
 * name, and `-` for standard input.
 * @throws CliError when a file cannot be read, or a folder contains none.
 */
export async function readSchemaFiles(
  paths: readonly string[],
  stdin: CliContext["stdin"],
): Promise<readonly SchemaFile[]> {
  if (paths.indexOf(STDIN) !== paths.lastIndexOf(STDIN)) {
    throw usageError("Standard input can be read once only", `name ${STDIN} once`);
  }
  const files: SchemaFile[] = [];
  for (const path of paths.flatMap(sqlFilesOf)) {
    const name = path === STDIN ? "standard input" : path;
    files.push({ name, sql: await readTextFile(path, stdin, WHAT) });
  }
  return files;
}

/** A folder's *.sql files, sorted by UTF-16 code units; any other path itself. */
function sqlFilesOf(path: string): readonly string[] {
  const isFolder =
    path !== STDIN && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return [path];
  const names = readdirSync(path).filter((name) => name.endsWith(".sql"));
  if (names.length > 0) return names.sort().map((name) => join(path, name));
  throw usageError(
    `${path} has no file whose name ends with .sql`,
    `give a folder that has, or the path of ${WHAT}`,
  );
}
