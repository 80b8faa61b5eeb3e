import { Worker } from "node:worker_threads";
import { assert } from "@steward/kernel/assert.js";
import { failureOf } from "@steward/kernel/concurrency/worker-protocol.js";
import { encodeDocument } from "../document-bytes.js";
import { headOf, type Message, type MessageKind, MessageReader } from "../messages.js";
import { type DocumentParser, documentParser } from "../read-document.js";

/**
 * A child process that parses documents, so that a document that takes too long or needs too much
 * memory does not affect the server. Documents arrive on standard input, one after the other;
 * results are written to standard output.
 */
const [, , parentPid] = process.argv;
assert(parentPid !== undefined, "the server's process id is given");
// The parent is watched in a separate thread, because this thread does not notice the end of its
// input while it parses.
new Worker(new URL("./parent-watch-worker.js", import.meta.url), {
  workerData: { parentPid: Number(parentPid) },
});
const messages = new MessageReader();
/** The parser of the current document; undefined after the document was refused. */
let parser: DocumentParser | undefined;
process.stdin.on("data", (chunk: Buffer) => {
  for (const message of messages.push(chunk)) take(message);
});
process.stdin.on("end", () => process.exit(0));

function take({ kind, payload }: Message): void {
  switch (kind) {
    case "part":
      takePart(payload);
      return;
    case "end":
      void finish();
      return;
    default:
      assert(kind !== "read" && kind !== "failed", "the server sends documents");
      parser = documentParser(kind);
  }
}

function takePart(bytes: Buffer): void {
  try {
    parser?.push(bytes);
  } catch (error) {
    refuse(error);
  }
}

async function finish(): Promise<void> {
  try {
    const document = await parser?.finish();
    if (document !== undefined) say("read", encodeDocument(document));
  } catch (error) {
    refuse(error);
  }
}

function refuse(thrown: unknown): void {
  parser = undefined;
  say("failed", [Buffer.from(JSON.stringify(failureOf(thrown)))]);
}

function say(kind: MessageKind, pieces: readonly Uint8Array[]): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  for (const piece of [headOf(kind, length), ...pieces]) process.stdout.write(piece);
}
