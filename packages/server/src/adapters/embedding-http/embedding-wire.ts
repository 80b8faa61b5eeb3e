import { EmbeddingError, type EmbeddingInputType } from "../../embedding/index.js";

/** The HTTP API of an embedding service: its requests and responses. */
export interface EmbeddingWire {
  /** Default base URL, without a trailing slash. */
  readonly defaultBaseUrl: string;
  /** Path below the base URL. */
  readonly path: string;
  /** Headers with the API key; empty without a key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Limit of texts per request. */
  readonly batchSizeMax: number;
  /** The request's JSON body. */
  body(texts: readonly string[], inputType: EmbeddingInputType): unknown;
  /**
   * The vectors of a response, in the order of the texts.
   * @throws EmbeddingError `malformed_response`
   */
  vectors(answer: unknown): readonly Float32Array[];
}

/** Settings common to all APIs. */
export interface WireSettings {
  readonly model: string;
  /** Absent: no key is sent, as for local servers. */
  readonly apiKey?: string;
  /** Requests vectors of this length, which only some models support. */
  readonly requestedDimension?: number;
}

/** An `Authorization` header with the key as a bearer token (RFC 6750). */
export function bearer(settings: WireSettings): Readonly<Record<string, string>> {
  return settings.apiKey === undefined ? {} : { authorization: `Bearer ${settings.apiKey}` };
}

/** A member of a JSON object; `undefined` for any other value. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/**
 * Requires a JSON array.
 * @throws EmbeddingError `malformed_response` naming the value.
 */
export function arrayAt(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw malformed(`\`${name}\` is not an array`);
  return value;
}

/**
 * Converts a JSON array of numbers to float32.
 * @throws EmbeddingError `malformed_response`
 */
export function vectorAt(value: unknown, name: string): Float32Array {
  const components = arrayAt(value, name);
  if (!components.every((component) => typeof component === "number")) {
    throw malformed(`\`${name}\` holds a value that is not a number`);
  }
  return Float32Array.from(components);
}

/** The error for a response that does not match the API. */
export function malformed(what: string, cause?: unknown): EmbeddingError {
  const message = `the embedding service sent an answer that cannot be used: ${what}`;
  return new EmbeddingError("malformed_response", message, { cause });
}
