import { generateKeyPairSync, sign } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  isConsistent,
  noteText,
  parseCheckpoint,
  parseNote,
  rawKey,
  signersOf,
  verifierKey,
  verifierKeyText,
  type Checkpoint,
  type VerifierKey,
} from "../../audit/tree/index.js";

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly contentType?: string;
}

/** A witness of one log that follows C2SP tlog-witness, in the process of a test. */
export class WitnessServer implements AsyncDisposable {
  readonly key: VerifierKey;
  readonly #privateKey;
  readonly #server: Server;
  /** The key of the log that it knows; absent: none. */
  log: VerifierKey | undefined;
  /** What it has cosigned last. */
  latest: Checkpoint | undefined;
  /** The statuses of its answers. */
  readonly statuses: number[] = [];
  /** Answers like this instead of as it should. */
  faulty: Answer | undefined;

  private constructor(name: string) {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    this.#privateKey = privateKey;
    this.key = verifierKey(name, "cosignature/v1", rawKey(publicKey));
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const isKnown = request.method === "POST" && request.url === "/w/add-checkpoint";
        const body = Buffer.concat(chunks).toString("utf8");
        const answer = isKnown ? (this.faulty ?? this.#answer(body)) : { status: 405, body: "" };
        this.statuses.push(answer.status);
        response.writeHead(answer.status, { "content-type": answer.contentType ?? "text/plain" });
        response.end(answer.body);
      });
    });
  }

  static async start(name: string): Promise<WitnessServer> {
    const witness = new WitnessServer(name);
    await new Promise<void>((resolve) => witness.#server.listen(0, "127.0.0.1", resolve));
    return witness;
  }

  get keyText(): string {
    return verifierKeyText(this.key);
  }

  get url(): string {
    // A server that listens on a port has an address of this type.
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}/w`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(body: string): Answer {
    const split = body.indexOf("\n\n");
    if (split === -1) return { status: 400, body: "malformed\n" };
    const [old = "", ...hashes] = body.slice(0, split).split("\n");
    const note = parseNote(body.slice(split + 2));
    const checkpoint = parseCheckpoint(note.text);
    const size = Number(/^old (0|[1-9]\d*)$/.exec(old)?.[1]);
    if (this.log?.name !== checkpoint.origin) return { status: 404, body: "unknown log\n" };
    if (signersOf(note, [this.log]).length === 0) return { status: 403, body: "unknown key\n" };
    if (!(size <= checkpoint.size)) return { status: 400, body: "old size\n" };
    const known = this.latest?.size ?? 0;
    if (size !== known) {
      return { status: 409, body: `${String(known)}\n`, contentType: "text/x.tlog.size" };
    }
    const proof = hashes.map((hash) => Buffer.from(hash, "base64"));
    const older = this.latest ?? { size: 0, root: Buffer.alloc(0) };
    if (!isConsistent({ older, newer: checkpoint }, proof)) {
      return { status: size === checkpoint.size ? 409 : 422, body: "proof\n" };
    }
    this.latest = checkpoint;
    return { status: 200, body: this.cosignatureOf(note.text) };
  }

  /** The line of a cosignature. */
  cosignatureOf(text: string, seconds: number = Math.floor(Date.now() / 1000)): string {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(BigInt(seconds));
    const message = `cosignature/v1\ntime ${String(seconds)}\n${text}`;
    const own = sign(null, Buffer.from(message), this.#privateKey);
    const { name, keyId } = this.key;
    const signature = Buffer.concat([time, own]);
    return noteText({ text, signatures: [{ name, keyId, signature }] }).slice(text.length + 1);
  }
}
