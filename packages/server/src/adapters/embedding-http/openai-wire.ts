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
 * OpenAI's `POST /v1/embeddings`, which Ollama, vLLM, TEI and LM Studio also support. The API has
 * no input types: queries and documents are embedded in the same way.
 */
export function openAiWire(settings: WireSettings): EmbeddingWire {
  return {
    defaultBaseUrl: PROVIDER_URLS.openai,
    path: "/embeddings",
    headers: bearer(settings),
    // OpenAI accepts 2048 texts, but small compatible servers accept far fewer.
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

/** Sorts the items by their index in the request. */
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
