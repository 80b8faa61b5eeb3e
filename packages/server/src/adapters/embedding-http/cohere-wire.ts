import { PROVIDER_URLS } from "../../embedding/index.js";
import {
  arrayAt,
  bearer,
  member,
  vectorAt,
  type EmbeddingWire,
  type WireSettings,
} from "./embedding-wire.js";

/** Cohere's `POST /v2/embed`. */
export function cohereWire(settings: WireSettings): EmbeddingWire {
  return {
    defaultBaseUrl: PROVIDER_URLS.cohere,
    path: "/embed",
    headers: bearer(settings),
    batchSizeMax: 96,
    body: (texts, inputType) => ({
      model: settings.model,
      texts,
      input_type: inputType === "query" ? "search_query" : "search_document",
      embedding_types: ["float"],
      output_dimension: settings.requestedDimension,
    }),
    vectors: (answer) =>
      arrayAt(member(member(answer, "embeddings"), "float"), "embeddings.float").map((vector) =>
        vectorAt(vector, "embeddings.float[]"),
      ),
  };
}
