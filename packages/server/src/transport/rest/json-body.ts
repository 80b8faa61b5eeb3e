import type { FastifyRequest } from "fastify";
import { AppError } from "@steward/kernel/errors.js";
import { requireModestJson } from "./json-bounds.js";
import type { RestApp } from "./rest-app.js";

/**
 * Parses every body as JSON in UTF-8 (Contract §4), and strictly: anything else is
 * `INVALID_ARGUMENT`. A route without a body ignores it.
 */
export function readJsonBodies(app: RestApp): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes: Buffer, done) => {
    try {
      const body = takesBody(request)
        ? parsedJson(request.headers["content-type"], bytes)
        : undefined;
      // Parsing and checking a large body take time, so the event loop gets a turn in between.
      if (bytes.length > LARGE_BYTES) setImmediate(done, null, body);
      else done(null, body);
    } catch (error) {
      done(AppError.from(error));
    }
  });
}

/** A body of this size takes milliseconds to parse. */
const LARGE_BYTES = 256 * 1024;

/** JSON, or a type built on it such as `application/cloudevents-batch+json` (RFC 6839 §3.1). */
const JSON_TYPE = /^application\/([\w.-]{1,64}\+)?json\s*(;|$)/i;

function takesBody(request: FastifyRequest): boolean {
  return request.routeOptions.schema?.body !== undefined;
}

/**
 * A body as JSON; `undefined` when it is empty.
 * @throws AppError `INVALID_ARGUMENT`; `LIMIT_EXCEEDED` when parsing it would take too long.
 */
export function parsedJson(contentType: string | undefined, bytes: Buffer): unknown {
  if (!JSON_TYPE.test(contentType ?? "")) {
    throw new AppError("INVALID_ARGUMENT", "Send the body with content-type: application/json");
  }
  if (bytes.length === 0) return undefined;
  requireModestJson(bytes);
  const text = decoded(bytes);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError("INVALID_ARGUMENT", `The body is not valid JSON: ${messageOf(error)}`);
  }
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw new AppError("INVALID_ARGUMENT", "The body is not valid UTF-8", { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
