import { EmbeddingError, type EmbeddingInputType } from "../../embedding/index.js";

/** One HTTP API that turns texts into vectors: how to ask, and how to read the answer. */
export interface EmbeddingWire {
  /** Default of the base URL, without a slash at its end. */
  readonly defaultBaseUrl: string;
  /** Path below the base URL. */
  readonly path: string;
  /** Headers that carry the key; empty without one. */
  readonly headers: Readonly<Record<string, string>>;
  /** Texts one request may carry. */
  readonly batchSizeMax: number;
  /** The request's body, to be sent as JSON. */
  body(texts: readonly string[], inputType: EmbeddingInputType): unknown;
  /**
   * The vectors of an answer, in the order of the texts.
   * @throws EmbeddingError `malformed_response`
   */
  vectors(answer: unknown): readonly Float32Array[];
}

/** What every wire is told of the model. */
export interface WireSettings {
  readonly model: string;
  /** Absent: no key is sent, as local servers want it. */
  readonly apiKey?: string;
  /** Asks the model for vectors of this length; only some models can choose. */
  readonly requestedDimension?: number;
}

/** The key as a bearer token (RFC 6750). */
export function bearer(settings: WireSettings): Readonly<Record<string, string>> {
  return settings.apiKey === undefined ? {} : { authorization: `Bearer ${settings.apiKey}` };
}

/** The member of a JSON object, or `undefined` for anything else. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** A JSON array. @throws EmbeddingError `malformed_response` naming what should have been one. */
export function arrayAt(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(`\`${name}\` is not an array`);
  return value;
}

/** A JSON array of numbers as float32. @throws EmbeddingError `malformed_response` */
export function vectorAt(value: unknown, name: string): Float32Array {
  const components = arrayAt(value, name);
  if (!components.every((component) => typeof component === "number")) {
    throw malformed(`\`${name}\` holds something that is no number`);
  }
  return Float32Array.from(components);
}

/** An answer that does not have the shape its API promises. */
export function malformed(what: string, cause?: unknown): EmbeddingError {
  const message = `the embedding service sent an answer that cannot be used: ${what}`;
  return new EmbeddingError("malformed_response", message, { cause });
}
