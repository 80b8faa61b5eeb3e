import { PROVIDER_URLS } from "../../embedding/index.js";
import {
  arrayAt,
  bearer,
  malformed,
  member,
  vectorAt,
  type EmbeddingWire,
  type WireSettings,
} from "./embedding-wire.js";

/**
 * OpenAI's `POST /v1/embeddings`, which Ollama, vLLM, TEI and LM Studio speak too. It knows no input
 * types: queries and documents are embedded alike.
 */
export function openAiWire(settings: WireSettings): EmbeddingWire {
  return {
    defaultBaseUrl: PROVIDER_URLS.openai,
    path: "/embeddings",
    headers: bearer(settings),
    // OpenAI takes 2048; the small servers that speak its language take far less.
    batchSizeMax: 64,
    body: (texts) => ({
      model: settings.model,
      input: texts,
      encoding_format: "float",
      dimensions: settings.requestedDimension,
    }),
    vectors: (answer) => inOrder(arrayAt(member(answer, "data"), "data")),
  };
}

/** Each item says which text it belongs to. */
function inOrder(items: readonly unknown[]): readonly Float32Array[] {
  const vectors = new Map(
    items.map((item, position) => [
      member(item, "index") ?? position,
      vectorAt(member(item, "embedding"), "data[].embedding"),
    ]),
  );
  return items.map((_item, position) => {
    const vector = vectors.get(position);
    if (vector === undefined) throw malformed("`data[].index` leaves a text without a vector");
    return vector;
  });
}
