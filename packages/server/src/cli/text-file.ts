import { readFileSync } from "node:fs";
import { usageError } from "./cli-error.js";
import type { CliContext } from "./context.js";

/** Stands for standard input in place of a file name. */
export const STDIN = "-";

/**
 * Reads a file or standard input.
 * @param what description of the expected file for errors, such as "a plan file".
 * @throws CliError when the file cannot be read.
 */
export async function readTextFile(
  file: string,
  stdin: CliContext["stdin"],
  what: string,
): Promise<string> {
  return file === STDIN ? readAll(stdin) : readText(file, what);
}

function readText(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw usageError(
      `Cannot read ${file}: ${reason}`,
      `give the path of ${what}, or - for standard input`,
    );
  }
}

async function readAll(input: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
