import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startRestServer, type TestRestServer } from "../testing/rest-server.js";

let server: TestRestServer;
beforeAll(async () => {
  server = await startRestServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Node's fetch decompresses by itself, so the bytes are read without it. */
async function raw(path: string, headers: Readonly<Record<string, string>>) {
  const { request } = await import("node:http");
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>(
    (resolve, reject) => {
      const asked = request(`${server.url}${path}`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const { statusCode: status = 0 } = response;
          resolve({ status, headers: response.headers, bytes: Buffer.concat(chunks) });
        });
      });
      asked.once("error", reject).end();
    },
  );
}

describe.each(["/docs", "/openapi.json"])("%s", (path) => {
  it("is sent compressed to who accepts it, and whole to others", async () => {
    const plain = await raw(path, {});
    expect(plain.headers["content-encoding"]).toBeUndefined();
    const br = await raw(path, { "accept-encoding": "gzip, br" });
    expect(br.headers).toMatchObject({ "content-encoding": "br", vary: "accept-encoding" });
    expect(brotliDecompressSync(br.bytes)).toEqual(plain.bytes);
    expect(br.bytes.length * 5).toBeLessThan(plain.bytes.length);
    const gzip = await raw(path, { "accept-encoding": "gzip" });
    expect(gunzipSync(gzip.bytes)).toEqual(plain.bytes);
    expect(gzip.headers["content-type"]).toBe(plain.headers["content-type"]);
  });

  it("is not sent again to who has it", async () => {
    const { headers } = await raw(path, {});
    const etag = String(headers["etag"]);
    const again = await raw(path, { "if-none-match": `"other", ${etag}` });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect(again.headers["etag"]).toBe(etag);
    expect((await raw(path, { "if-none-match": '"other"' })).status).toBe(200);
  });
});
