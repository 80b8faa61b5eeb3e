import { EmbeddingError, HashProvider, ZeroProvider } from "../embedding/index.js";
import type { EmbeddingProvider } from "../embedding/index.js";
import type { Clock } from "@steward/kernel/clock.js";
import type { Ids } from "@steward/kernel/ids.js";
import {
  cohereWire,
  geminiWire,
  HttpEmbeddingProvider,
  openAiWire,
  type EmbeddingWire,
  type WireSettings,
} from "./embedding-http/index.js";

/**
 * Pause before the first retry of a request to an embedding service, in ms; it doubles with each
 * retry.
 */
const RETRY_BASE_MS = 250;

/** The provider and its settings. */
export interface EmbeddingSettings {
  readonly provider: "zero" | "hash" | "openai" | "cohere" | "gemini" | "local";
  /** Length of every vector. */
  readonly dimension: number;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly apiKey?: string;
  readonly requestDimension: boolean;
  readonly batchSizeMax?: number;
  readonly timeoutMs: number;
  readonly attemptsMax: number;
}

/**
 * Opens the configured provider (Contract §4.6).
 * @throws EmbeddingError `model_not_configured` when the provider is not available.
 */
export async function openEmbeddingProvider(
  settings: EmbeddingSettings,
  machine: { readonly clock: Clock; readonly ids: Ids },
): Promise<EmbeddingProvider> {
  const { provider, dimension } = settings;
  switch (provider) {
    case "zero":
      return new ZeroProvider(dimension);
    case "hash":
      return new HashProvider(dimension);
    case "local": {
      // Imported only here, because the module looks for a package that is usually not installed.
      const { LocalEmbeddingProvider } = await import("./embedding-local/index.js");
      return LocalEmbeddingProvider.open({ model: modelOf(settings), dimension });
    }
    case "openai":
    case "cohere":
    case "gemini":
      return httpProvider(WIRES[provider](wireSettings(settings)), settings, machine);
  }
}

/** Identifies the model that produced vectors. Vectors of different names are never compared. */
export function embeddingModelName({ provider, model, dimension }: EmbeddingSettings): string {
  return `${[provider, model].filter((part) => part !== undefined).join(":")}@${String(dimension)}`;
}

const WIRES = { openai: openAiWire, cohere: cohereWire, gemini: geminiWire } as const;

function httpProvider(
  wire: EmbeddingWire,
  settings: EmbeddingSettings,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
): HttpEmbeddingProvider {
  const { dimension, timeoutMs, attemptsMax, baseUrl, batchSizeMax } = settings;
  return new HttpEmbeddingProvider(wire, {
    dimension,
    timeoutMs,
    attemptsMax,
    retryBaseMs: RETRY_BASE_MS,
    clock,
    random: () => ids.random(),
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(batchSizeMax === undefined ? {} : { batchSizeMax }),
  });
}

function wireSettings(settings: EmbeddingSettings): WireSettings {
  const { apiKey, requestDimension, dimension } = settings;
  return {
    model: modelOf(settings),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(requestDimension ? { requestedDimension: dimension } : {}),
  };
}

function modelOf({ provider, model }: EmbeddingSettings): string {
  if (model !== undefined) return model;
  throw new EmbeddingError(
    "model_not_configured",
    `the provider ${provider} needs a model: set SERVICE_EMBEDDING_MODEL`,
  );
}
