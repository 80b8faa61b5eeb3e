import { PROVIDER_URLS } from "../../embedding/index.js";
import {
  arrayAt,
  member,
  vectorAt,
  type EmbeddingWire,
  type WireSettings,
} from "./embedding-wire.js";

/** The Gemini API's `POST /v1beta/models/{model}:batchEmbedContents`. */
export function geminiWire(settings: WireSettings): EmbeddingWire {
  const model = `models/${settings.model}`;
  return {
    defaultBaseUrl: PROVIDER_URLS.gemini,
    path: `/models/${encodeURIComponent(settings.model)}:batchEmbedContents`,
    headers: settings.apiKey === undefined ? {} : { "x-goog-api-key": settings.apiKey },
    batchSizeMax: 100,
    body: (texts, inputType) => ({
      requests: texts.map((text) => ({
        model,
        content: { parts: [{ text }] },
        taskType: inputType === "query" ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT",
        outputDimensionality: settings.requestedDimension,
      })),
    }),
    vectors: (answer) =>
      arrayAt(member(answer, "embeddings"), "embeddings").map((embedding) =>
        vectorAt(member(embedding, "values"), "embeddings[].values"),
      ),
  };
}
