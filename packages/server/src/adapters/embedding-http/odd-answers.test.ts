import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CheckedProvider, EmbeddingError } from "../../embedding/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { oddHttpAnswers, OddHttpServer } from "../testing/odd-answers.js";
import { cohereWire, geminiWire, HttpEmbeddingProvider, openAiWire } from "./index.js";

const VECTORS = [
  { data: [{ index: 0, embedding: [1, 0] }] },
  { embeddings: { float: [[1, 0]] } },
  { embeddings: [{ values: [1, 0] }] },
];

describe("an embedding service that answers oddly", () => {
  let server: OddHttpServer;

  beforeAll(async () => {
    server = await OddHttpServer.start();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it("gives a vector or an EmbeddingError, each of 200 times", async () => {
    const providers = [openAiWire, cohereWire, geminiWire].map(
      (wire) =>
        new CheckedProvider(
          new HttpEmbeddingProvider(wire({ model: "m" }), {
            baseUrl: server.url,
            dimension: 2,
            timeoutMs: 5000,
            attemptsMax: 1,
            retryBaseMs: 1,
            clock: systemClock,
            random: () => 0,
          }),
          2,
        ),
    );
    for (const [index, answer] of oddHttpAnswers(VECTORS, 3).entries()) {
      server.answer = answer;
      const result: unknown = await providers[index % providers.length]
        ?.embed("a")
        .catch((thrown: unknown) => thrown);
      // An unclassified error contains only the message that the provider failed.
      const isTold =
        result instanceof EmbeddingError && result.message !== "the embedding provider failed";
      expect(
        isTold || (result instanceof Float32Array && result.every(Number.isFinite)),
        `${String(index)}: ${JSON.stringify(answer)} ${String(result)}`,
      ).toBe(true);
    }
  });
});
