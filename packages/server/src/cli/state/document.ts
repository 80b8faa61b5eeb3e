import { readFileSync } from "node:fs";
import { extname } from "node:path";
import type { StateFormat } from "@steward/client";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";

/** What stands for standard input where a file is asked for. */
const STDIN = "-";

/** Formats by the usual ends of files' names. */
const EXTENSIONS: Readonly<Record<string, StateFormat>> = {
  ".nt": "n-triples",
  ".nq": "n-quads",
  ".ttl": "turtle",
  ".trig": "trig",
  ".jsonld": "json-ld",
  ".json": "json-ld",
};

/** Every format there is. */
export const FORMATS: readonly StateFormat[] = [...new Set(Object.values(EXTENSIONS))];

/** A file's text, or standard input's. @throws CliError when there is no such file. */
export async function readDocument(file: string, stdin: CliContext["stdin"]): Promise<string> {
  if (file === STDIN) {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString("utf8");
  }
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(`Cannot read ${file}: ${reason}`, "give a path, or - for standard input");
  }
}

/** The format that was asked for, else the one that the file's name tells. @throws CliError. */
export function formatOf(format: string | undefined, file: string): StateFormat {
  const known = FORMATS.find((name) => name === format) ?? EXTENSIONS[extname(file)];
  const isUnknown = format !== undefined && known !== format;
  if (known !== undefined && !isUnknown) return known;
  const told = format ?? (file === STDIN ? "that of standard input" : `that of ${file}`);
  throw usageError(`Unknown format: ${told}`, `give --format: ${FORMATS.join(", ")}`);
}
