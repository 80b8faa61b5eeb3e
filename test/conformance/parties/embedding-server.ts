import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A received embedding request. */
export interface EmbeddingRequest {
  readonly authorization: string | undefined;
  readonly model: unknown;
  readonly texts: readonly string[];
}

/**
 * Simulates an embedding service with OpenAI's API. A text's vector is the first list of numbers in
 * the text, filled up with zeros, so a test chooses vectors through texts.
 */
export class EmbeddingServer implements AsyncDisposable {
  readonly requests: EmbeddingRequest[] = [];
  /** Delay of an answer, in ms. */
  delayMs = 0;
  /** An answer to give instead of vectors. */
  misbehaviour: { readonly status: number; readonly body: string } | undefined;
  readonly #server: Server;
  readonly #dimension: number;

  private constructor(server: Server, dimension: number) {
    this.#server = server;
    this.#dimension = dimension;
  }

  static async start(dimension: number): Promise<EmbeddingServer> {
    const http = createServer();
    const server = new EmbeddingServer(http, dimension);
    http.on("request", (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.on("end", () => {
        const { model, input } = JSON.parse(body) as { model: unknown; input: string[] };
        const { authorization } = request.headers;
        server.requests.push({ authorization, model, texts: input });
        const answer = server.misbehaviour ?? { status: 200, body: server.#answer(input) };
        const headers = { "content-type": "application/json" };
        setTimeout(
          () => response.writeHead(answer.status, headers).end(answer.body),
          server.delayMs,
        );
      });
    });
    await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
    return server;
  }

  /** The settings of a server that uses this one. */
  get settings(): Readonly<Record<string, string>> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      SERVICE_EMBEDDING_PROVIDER: "openai",
      SERVICE_EMBEDDING_BASE_URL: `http://127.0.0.1:${String(port)}/v1`,
      SERVICE_EMBEDDING_MODEL: "a-model",
      SERVICE_EMBEDDING_DIMENSION: String(this.#dimension),
      SERVICE_EMBEDDING_ATTEMPTS: "1",
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(texts: readonly string[]): string {
    const data = texts.map((text, index) => ({ index, embedding: this.#vectorOf(text) }));
    return JSON.stringify({ data });
  }

  #vectorOf(text: string): readonly number[] {
    const numbers = /\[([-\d.,e ]*)\]/.exec(text)?.[1] ?? "";
    const given = numbers === "" ? [] : numbers.split(",").map(Number);
    return Array.from({ length: this.#dimension }, (_component, index) => given[index] ?? 0);
  }
}
