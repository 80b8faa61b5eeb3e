import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";

/** Answers that each adapter of an outside party is given. */
export const ODD_ANSWERS = 200;

/** An HTTP answer that no honest service would send. */
export interface OddHttpAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * HTTP answers, always the same ones for a seed: JSON of any kind, the right answers with one value
 * changed or left out, JSON that was cut, and bytes.
 */
export function oddHttpAnswers(right: readonly unknown[], seed: number): readonly OddHttpAnswer[] {
  const body = fc.oneof(
    fc.json(),
    fc.constantFrom('"text"', "1", "true", "null", "[]", "{}", '{"data":null}', '{"error":1}', ""),
    fc.jsonValue().map((error) => JSON.stringify({ error })),
    fc.constantFrom(...right).chain((value) => damaged(value).map((odd) => JSON.stringify(odd))),
    fc.tuple(fc.constantFrom(...right), fc.nat()).map(([value, cut]) => {
      const text = JSON.stringify(value);
      return text.slice(0, cut % text.length);
    }),
    fc.string({ unit: "binary" }),
  );
  const status = fc.oneof(
    { weight: 4, arbitrary: fc.constant(200) },
    fc.constantFrom(201, 202, 204, 205, 226, 300, 302, 304, 400, 401, 402, 404, 409, 429, 500, 599),
    fc.integer({ min: 200, max: 999 }),
  );
  return fc.sample(fc.record({ status, body }), { numRuns: ODD_ANSWERS, seed });
}

/** A value with one of its parts changed or left out. */
function damaged(value: unknown): fc.Arbitrary<unknown> {
  return fc.tuple(fc.nat(), fc.option(fc.jsonValue(), { nil: undefined })).map(([place, part]) => {
    const paths = pathsIn(value);
    return replaced(value, paths[place % paths.length] ?? [], part);
  });
}

type Path = readonly string[];

function pathsIn(value: unknown): readonly Path[] {
  if (typeof value !== "object" || value === null) return [[]];
  const inside = Object.entries(value).flatMap(([key, part]) =>
    pathsIn(part).map((path) => [key, ...path]),
  );
  return [[], ...inside];
}

function replaced(value: unknown, [key, ...rest]: Path, part: unknown): unknown {
  if (key === undefined || typeof value !== "object" || value === null) return part;
  const entries = Object.entries(value).map(([name, old]): [string, unknown] => [
    name,
    name === key ? replaced(old, rest, part) : old,
  ]);
  return Array.isArray(value)
    ? entries.map(([, element]) => element)
    : Object.fromEntries(entries.filter(([, element]) => element !== undefined));
}

/** An HTTP server that gives every request the answer that is set. */
export class OddHttpServer implements AsyncDisposable {
  answer: OddHttpAnswer = { status: 200, body: "" };
  readonly #server = createServer((request, response) => this.#serve(request, response));

  static async start(): Promise<OddHttpServer> {
    const server = new OddHttpServer();
    server.#server.listen(0, "127.0.0.1");
    await once(server.#server, "listening");
    return server;
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${String(port)}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    // Asking again would only take its time.
    const headers = { "content-type": "application/json", "stripe-should-retry": "false" };
    response.writeHead(this.answer.status, headers).end(this.answer.body);
  }
}
