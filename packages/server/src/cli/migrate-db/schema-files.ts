import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SchemaFile } from "@steward/client";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { readTextFile, STDIN } from "../text-file.js";

const WHAT = "a file of SQL";

/**
 * The files that a wanted schema is written in, in their order: those that are named, every *.sql of a
 * folder by its name, and - for standard input.
 * @throws CliError when one cannot be read, or a folder has none.
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

/** A folder's *.sql in the order of their names, compared code unit by code unit; another path itself. */
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
