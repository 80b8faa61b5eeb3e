import { createReadStream, readFileSync, statSync } from "node:fs";
import { extname } from "node:path";
import { Readable } from "node:stream";
import type { StateFormat } from "@steward/client";
import { type CliError, usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";

/** Stands for standard input in place of a file name. */
const STDIN = "-";

/** Formats by file extension. */
const EXTENSIONS: Readonly<Record<string, StateFormat>> = {
  ".nt": "n-triples",
  ".nq": "n-quads",
  ".ttl": "turtle",
  ".trig": "trig",
  ".jsonld": "json-ld",
  ".json": "json-ld",
};

/** All formats. */
export const FORMATS: readonly StateFormat[] = [...new Set(Object.values(EXTENSIONS))];

/**
 * The text of a file or of standard input.
 * @throws CliError when the file does not exist.
 */
export async function readDocument(file: string, stdin: CliContext["stdin"]): Promise<string> {
  if (file === STDIN) {
    const chunks: Buffer[] = [];
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
    return Buffer.concat(chunks).toString("utf8");
  }
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw unreadable(file, error);
  }
}

/**
 * Opens a file or standard input as a stream.
 * @param sent called with the number of bytes read so far, and the size of a file.
 * @throws CliError when the file does not exist.
 */
export function openDocument(
  file: string,
  stdin: CliContext["stdin"],
  sent: (bytes: number, total: number | undefined) => void,
): ReadableStream<Uint8Array> {
  const bytes = file === STDIN ? undefined : sizeOf(file);
  const source = file === STDIN ? stdin : createReadStream(file, { highWaterMark: READ_BYTES });
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    let done = 0;
    for await (const chunk of source) {
      const part = Buffer.from(chunk);
      done += part.length;
      sent(done, bytes);
      yield part;
    }
  };
  // Node's and the DOM's types of the same stream class differ.
  return Readable.toWeb(Readable.from(counted())) as ReadableStream<Uint8Array>;
}

/** Bytes per read of a file. */
const READ_BYTES = 256 * 1024;

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch (error) {
    throw unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): CliError {
  const reason = error instanceof Error ? error.message : String(error);
  return usageError(`Cannot read ${file}: ${reason}`, "give a path, or - for standard input");
}

/**
 * The requested format, else the format of the file's extension.
 * @throws CliError when neither is known.
 */
export function formatOf(format: string | undefined, file: string): StateFormat {
  const known = FORMATS.find((name) => name === format) ?? EXTENSIONS[extname(file)];
  const isUnknown = format !== undefined && known !== format;
  if (known !== undefined && !isUnknown) return known;
  const told = format ?? (file === STDIN ? "that of standard input" : `that of ${file}`);
  throw usageError(`Unknown format: ${told}`, `give --format: ${FORMATS.join(", ")}`);
}

/** Bytes in MiB, for display. */
export function mebibytes(bytes: number): number {
  return Math.ceil(bytes / (1024 * 1024));
}
