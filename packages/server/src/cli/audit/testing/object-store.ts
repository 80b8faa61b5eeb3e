import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SignatureV4 } from "@smithy/signature-v4";

const CREDENTIALS = { accessKeyId: "AKIDTEST", secretAccessKey: "a-secret/key" };
const REGION = "eu-central-1";

/** An object store that accepts only requests which AWS's own signer would have signed alike. */
export class ObjectStore implements AsyncDisposable {
  /** By path, which begins with the bucket. */
  readonly objects: Map<string, Buffer> = new Map();
  /** Paths in the order in which they were written. */
  readonly written: string[] = [];
  /** The answers to the next requests: statuses that stand for a busy or failing store. */
  readonly failures: number[] = [];
  readonly #server: Server = createServer(
    (request, response) => void this.#answer(request, response),
  );

  static async open(): Promise<ObjectStore> {
    const store = new ObjectStore();
    await new Promise<void>((listening) => store.#server.listen(0, "127.0.0.1", listening));
    return store;
  }

  /** The variables of a client with this store's credentials. */
  get env(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${String(port)}/`,
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((closed) => this.#server.close(closed));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const path = decodeURIComponent((request.url ?? "").slice(1));
    const failure = this.failures.shift();
    if (failure !== undefined) end(response, failure, "SlowDown");
    else if (!(await isSigned(request, body))) end(response, 403, "SignatureDoesNotMatch");
    else if (request.method === "PUT") {
      this.objects.set(path, body);
      this.written.push(path);
      response.end();
    } else {
      const found = this.objects.get(path);
      if (found === undefined) end(response, 404, "NoSuchKey");
      else response.end(found);
    }
  }
}

function end(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { "content-type": "application/xml" });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`);
}

async function isSigned(request: IncomingMessage, body: Buffer): Promise<boolean> {
  const { authorization = "" } = request.headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? [];
  const headers = Object.fromEntries(names.map((name) => [name, String(request.headers[name])]));
  const digest = createHash("sha256").update(body).digest("hex");
  if (headers["x-amz-content-sha256"] !== digest) return false;
  const [year, month, day, hour, minute, second] =
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(headers["x-amz-date"] ?? "")?.slice(1) ?? [];
  const signer = new SignatureV4({
    ...{ credentials: CREDENTIALS, region: REGION, service: "s3", sha256: Sha256 },
    ...{ uriEscapePath: false, applyChecksum: false },
  });
  const signed = await signer.sign(
    {
      ...{ method: request.method ?? "", protocol: "http:", hostname: "127.0.0.1" },
      ...{ path: request.url ?? "", headers, body },
    },
    {
      signingDate: new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`),
      signableHeaders: new Set(names),
    },
  );
  const signatureOf = (text = "") => /Signature=([0-9a-f]{64})/.exec(text)?.[1];
  return signatureOf(signed.headers["authorization"]) === signatureOf(authorization);
}

/** SHA-256 with the interface that the signer asks for; with a secret, HMAC. */
class Sha256 {
  readonly #hash: { update(data: Uint8Array): unknown; digest(): Buffer };

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    if (secret === undefined) this.#hash = createHash("sha256");
    else this.#hash = createHmac("sha256", bytesOf(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(bytesOf(data));
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new Error("a digest is made once");
  }
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Uint8Array {
  if (typeof data === "string") return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
