import { describe, expect, it } from "vitest";
import { LocalEmbeddingProvider } from "./local-embedding-provider.js";

/** Stands for the package: each text's vector is its length, then zero. */
const transformers = {
  pipeline: (_task: string, model: string) =>
    model === "there"
      ? Promise.resolve((texts: readonly string[]) =>
          Promise.resolve({
            dims: [texts.length, 2],
            data: texts.flatMap((text) => [text.length, 0]),
          }),
        )
      : Promise.reject(new Error("404")),
};

describe("LocalEmbeddingProvider", () => {
  it("says which package to install when it is absent", async () => {
    await expect(
      LocalEmbeddingProvider.open({ model: "there", dimension: 2 }),
    ).rejects.toMatchObject({
      reason: "model_not_configured",
      message: expect.stringContaining("npm install @huggingface/transformers") as string,
    });
  });

  it("says which setting to check when the model is absent", async () => {
    await expect(
      LocalEmbeddingProvider.open({ model: "gone", dimension: 2 }, () =>
        Promise.resolve(transformers),
      ),
    ).rejects.toThrow("the local model gone could not be loaded: check SERVICE_EMBEDDING_MODEL");
  });

  it("embeds more texts than one batch holds, in their order", async () => {
    const provider = await LocalEmbeddingProvider.open({ model: "there", dimension: 2 }, () =>
      Promise.resolve(transformers),
    );
    const texts = Array.from({ length: 40 }, (_text, index) => "x".repeat(index));
    const vectors = await provider.embedMany(texts);
    expect(vectors.map((vector) => vector[0])).toEqual(texts.map((text) => text.length));
  });
});
