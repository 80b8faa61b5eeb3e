import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CheckedProvider, type EmbeddingError, type EmbedOptions } from "../../embedding/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import {
  cohereWire,
  geminiWire,
  HttpEmbeddingProvider,
  openAiWire,
  type EmbeddingWire,
  type HttpEmbeddingOptions,
} from "./index.js";

/** A request as the service saw it. */
interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: unknown;
}

type Respond = (seen: Seen, response: ServerResponse) => void;

const KEY = "sk-very-secret";

/**
 * A real HTTP server; the next function answers each request, and the last one answers all further
 * ones.
 */
let server: Server;
let responses: Respond[];
let requests: Seen[];

beforeEach(async () => {
  responses = [];
  requests = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const seen = {
        url: request.url,
        headers: request.headers,
        body: JSON.parse(text) as unknown,
      };
      requests.push(seen);
      const respond = responses.length > 1 ? responses.shift() : responses[0];
      respond?.(seen, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe("HttpEmbeddingProvider", () => {
  it("asks an OpenAI-compatible service and puts its vectors into the order of the texts", async () => {
    responses = [
      json({
        data: [
          { index: 1, embedding: [0, 1] },
          { index: 0, embedding: [1, 0] },
        ],
      }),
    ];
    const vectors = await provider(openAiWire).embedMany(["a", "b"]);
    expect(vectors).toEqual([Float32Array.of(1, 0), Float32Array.of(0, 1)]);
    expect(requests[0]?.url).toBe("/v1/embeddings");
    expect(requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(requests[0]?.body).toEqual({
      model: "m",
      input: ["a", "b"],
      encoding_format: "float",
      dimensions: 2,
    });
  });

  it("tells Cohere what a text is embedded for", async () => {
    responses = [json({ embeddings: { float: [[1, 2]] } })];
    const vector = await provider(cohereWire).embed("a", { inputType: "query" });
    expect(vector).toEqual(Float32Array.of(1, 2));
    expect(requests[0]?.url).toBe("/v1/embed");
    expect(requests[0]?.body).toEqual({
      model: "m",
      texts: ["a"],
      input_type: "search_query",
      embedding_types: ["float"],
      output_dimension: 2,
    });
  });

  it("tells Gemini what a text is embedded for", async () => {
    responses = [json({ embeddings: [{ values: [1, 2] }] })];
    const vector = await provider(geminiWire).embed("a");
    expect(vector).toEqual(Float32Array.of(1, 2));
    expect(requests[0]?.url).toBe("/v1/models/m:batchEmbedContents");
    expect(requests[0]?.headers["x-goog-api-key"]).toBe(KEY);
    expect(requests[0]?.body).toEqual({
      requests: [
        {
          model: "models/m",
          content: { parts: [{ text: "a" }] },
          taskType: "RETRIEVAL_DOCUMENT",
          outputDimensionality: 2,
        },
      ],
    });
  });

  it("splits many texts into batches", async () => {
    responses = [
      (seen, response) => {
        const { input } = seen.body as { input: string[] };
        json({ data: input.map((text, index) => ({ index, embedding: [Number(text), 0] })) })(
          seen,
          response,
        );
      },
    ];
    const texts = ["1", "2", "3", "4", "5"];
    const vectors = await provider(openAiWire, { batchSizeMax: 2 }).embedMany(texts);
    expect(vectors.map((vector) => vector[0])).toEqual([1, 2, 3, 4, 5]);
    expect(requests).toHaveLength(3);
  });

  it("waits as long as Retry-After says, then tries again", async () => {
    responses = [status(429, { "retry-after": "1" }), openAiVector([1, 0])];
    const startedAt = performance.now();
    await expect(provider(openAiWire).embed("a")).resolves.toEqual(Float32Array.of(1, 0));
    expect(performance.now() - startedAt).toBeGreaterThan(900);
    expect(requests).toHaveLength(2);
  });

  it("does not wait for a Retry-After that is too long", async () => {
    responses = [status(429, { "retry-after": "3600" })];
    await expect(failure()).resolves.toMatchObject({
      reason: "transport",
      retryable: true,
      message: expect.stringMatching(
        /answered 429: it accepts no more requests now; try again in 3600 s$/,
      ) as unknown,
    });
    expect(requests).toHaveLength(1);
  });

  it("tries a broken connection and a server error again", async () => {
    responses = [
      (_seen, response) => response.socket?.resetAndDestroy(),
      status(503),
      openAiVector([0, 1]),
    ];
    await expect(provider(openAiWire).embed("a")).resolves.toEqual(Float32Array.of(0, 1));
    expect(requests).toHaveLength(3);
  });

  it("gives up after the last attempt and names the status", async () => {
    responses = [status(500)];
    const error = await failure();
    expect(error).toMatchObject({ reason: "transport", retryable: true });
    expect(error.message).toMatch(/^the embedding service at 127\.0\.0\.1:\d+ answered 500$/);
    expect(requests).toHaveLength(3);
  });

  it("gives up on a slow service after the time-out of each attempt", async () => {
    responses = [() => undefined];
    const error = await failure({ timeoutMs: 50 });
    expect(error).toMatchObject({ reason: "transport" });
    expect(error.message).toContain("did not answer within 50 ms");
    expect(requests).toHaveLength(3);
  });

  it("counts an answer that starts and then stalls as slow too", async () => {
    responses = [(_seen, response) => response.write('{"data":')];
    const error = await failure({ timeoutMs: 50, attemptsMax: 1 });
    expect(error.message).toContain("did not answer within 50 ms");
  });

  it("rejects with the signal's reason when the caller leaves", async () => {
    responses = [() => undefined];
    const leaving = new AbortController();
    const waiting = provider(openAiWire).embed("a", { signal: leaving.signal });
    const reason = new Error("gone");
    setTimeout(() => leaving.abort(reason), 30);
    await expect(waiting).rejects.toBe(reason);
  });

  it("rejects with the signal's reason when the caller leaves during a pause", async () => {
    responses = [status(429, { "retry-after": "20" })];
    const leaving = new AbortController();
    const waiting = provider(openAiWire).embed("a", { signal: leaving.signal });
    const reason = new Error("gone");
    setTimeout(() => leaving.abort(reason), 50);
    await expect(waiting).rejects.toBe(reason);
  });

  it.each([
    ["truncated JSON", raw('{"data":[{"embed')],
    ["another shape", json({ data: {} })],
    ["a vector that is none", json({ data: [{ index: 0, embedding: "AAAA" }] })],
    ["a component that is no number", json({ data: [{ index: 0, embedding: [1, null] }] })],
    ["NaN", raw('{"data":[{"index":0,"embedding":[NaN,1]}]}')],
    ["a number beyond float32", raw('{"data":[{"index":0,"embedding":[1e300,1]}]}')],
    ["an index out of range", json({ data: [{ index: 7, embedding: [1, 2] }] })],
    ["too few vectors", json({ data: [] })],
  ])("calls %s a malformed response and does not ask again", async (_name, respond) => {
    responses = [respond];
    await expect(failure()).resolves.toMatchObject({ reason: "malformed_response" });
    expect(requests).toHaveLength(1);
  });

  it("calls a vector of another length a dimension mismatch and names the fix", async () => {
    responses = [openAiVector([1, 2, 3])];
    const error = await failure();
    expect(error).toMatchObject({ reason: "dimension_mismatch", retryable: false });
    expect(error.message).toContain("SERVICE_EMBEDDING_DIMENSION");
    expect(error.message).toContain("set it to 3");
  });

  it.each([401, 403, 404])("calls status %i a model that is not configured", async (code) => {
    responses = [status(code)];
    await expect(failure()).resolves.toMatchObject({
      reason: "model_not_configured",
      retryable: false,
    });
    expect(requests).toHaveLength(1);
  });

  it("does not try a refused request again", async () => {
    responses = [status(400)];
    await expect(failure()).resolves.toMatchObject({ reason: "transport", retryable: false });
    expect(requests).toHaveLength(1);
  });

  it("follows no redirect, which would carry the key elsewhere", async () => {
    responses = [status(307, { location: "/elsewhere" })];
    await expect(failure({ attemptsMax: 1 })).resolves.toMatchObject({ reason: "transport" });
    expect(requests).toHaveLength(1);
  });

  it("keeps the key out of every error, even when the service repeats it", async () => {
    responses = [
      (_seen, response) => {
        response.writeHead(401).end(`{"error":"Incorrect API key provided: ${KEY}"}`);
      },
    ];
    const error = await failure();
    expect(`${error.message} ${String(error.cause)} ${error.stack ?? ""}`).not.toContain(KEY);
  });

  it.each(["", "not a url", "ftp://host/v1"])("refuses the base URL %j at once", (baseUrl) => {
    expect(() => provider(openAiWire, { baseUrl })).toThrow("SERVICE_EMBEDDING_BASE_URL");
  });
});

function provider(
  wire: (settings: Parameters<typeof openAiWire>[0]) => EmbeddingWire,
  options: Partial<HttpEmbeddingOptions> = {},
): CheckedProvider {
  const port = (server.address() as AddressInfo).port;
  const http = new HttpEmbeddingProvider(wire({ model: "m", apiKey: KEY, requestedDimension: 2 }), {
    baseUrl: `http://127.0.0.1:${port}/v1/`,
    dimension: 2,
    timeoutMs: 2000,
    attemptsMax: 3,
    retryBaseMs: 1,
    clock: systemClock,
    random: Math.random,
    ...options,
  });
  return new CheckedProvider(http, 2);
}

/** The error of embedding one text. */
async function failure(
  options: Partial<HttpEmbeddingOptions> = {},
  embedOptions: EmbedOptions = {},
): Promise<EmbeddingError> {
  return provider(openAiWire, options)
    .embed("a", embedOptions)
    .then(
      () => expect.unreachable("the call should fail"),
      (error: unknown) => error as EmbeddingError,
    );
}

function raw(text: string): Respond {
  return (_seen, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  };
}

function json(value: unknown): Respond {
  return raw(JSON.stringify(value));
}

function status(code: number, headers: Record<string, string> = {}): Respond {
  return (_seen, response) => {
    response.writeHead(code, headers).end();
  };
}

function openAiVector(embedding: readonly number[]): Respond {
  return json({ data: [{ index: 0, embedding }] });
}
