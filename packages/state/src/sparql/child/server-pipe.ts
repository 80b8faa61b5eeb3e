import { readSync, writeSync } from "node:fs";
import { AppError } from "@steward/kernel/errors.js";
import type { Hash } from "../../index.js";
import type { BlockReader } from "../../ports.js";
import {
  decodeMessage,
  encodeMessage,
  type FromProcess,
  HEAD_BYTES,
  payloadLength,
  type QueryRequest,
} from "../query-protocol.js";

const STDIN = 0;
const STDOUT = 1;

/**
 * The connection to the server, in the query process: requests arrive on standard input, responses
 * go to standard output. All I/O is synchronous, because trees are read synchronously and the
 * process has no other work.
 */
export class ServerPipe implements BlockReader {
  /** The next query; undefined when the server has closed the pipe. */
  next(): QueryRequest | undefined {
    const message = this.#read();
    return message?.kind === "query" ? message.request : undefined;
  }

  get(hash: Hash): Uint8Array | undefined {
    this.say({ kind: "need", hash });
    const message = this.#read();
    if (message?.kind === "block") return message.bytes;
    if (message?.kind === "no block") return undefined;
    throw new AppError("STORE_UNAVAILABLE", "The server has closed its block store");
  }

  say(message: FromProcess): void {
    const bytes = encodeMessage(message);
    for (let at = 0; at < bytes.length;) at += writeSync(STDOUT, bytes, at);
  }

  #read(): ReturnType<typeof decodeMessage> {
    const head = readExactly(HEAD_BYTES);
    const payload = head && readExactly(payloadLength(head));
    return head && payload && decodeMessage(head, payload);
  }
}

/** Reads that many bytes; undefined at the end of the input. */
function readExactly(length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let at = 0; at < length;) {
    const read = readSync(STDIN, bytes, at, length - at, null);
    if (read === 0) return undefined;
    at += read;
  }
  return bytes;
}
