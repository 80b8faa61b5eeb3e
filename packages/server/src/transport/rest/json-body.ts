import type { FastifyRequest } from "fastify";
import { AppError } from "@steward/kernel/errors.js";
import { turnOfBody } from "../stream-limits.js";
import { requireModestJson } from "./json-bounds.js";
import type { RestApp } from "./rest-app.js";

/**
 * Parses every body as JSON in UTF-8 (Contract §4), and strictly: anything else is
 * `INVALID_ARGUMENT`. A route without a body ignores it.
 */
export function readJsonBodies(app: RestApp): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, bytes: Buffer, done) => {
    if (takesBody(request)) parseInTurns(request.headers["content-type"], bytes, done);
    else done(null, undefined);
  });
}

/**
 * Parses a body and passes it on. Counting the values of a large body, decoding it, parsing it and
 * checking it take milliseconds each, so each has a turn of the event loop of its own.
 */
export function parseInTurns(
  contentType: string | undefined,
  bytes: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const turn = turnOfBody(bytes.length);
  const fail = (error: unknown): void => done(AppError.from(error));
  if (turn === undefined) {
    try {
      requireModestBody(contentType, bytes);
      done(null, parsed(decoded(bytes)));
    } catch (error) {
      fail(error);
    }
    return;
  }
  parsedInTurns(contentType, bytes, turn).then((body) => done(null, body), fail);
}

/** @param turn resolves in the first of the turns. */
async function parsedInTurns(
  contentType: string | undefined,
  bytes: Buffer,
  turn: Promise<void>,
): Promise<unknown> {
  await turn;
  requireModestBody(contentType, bytes);
  await turnOfBody(bytes.length);
  const text = decoded(bytes);
  await turnOfBody(bytes.length);
  const body = parsed(text);
  await turnOfBody(bytes.length);
  return body;
}

/** JSON, or a type built on it such as `application/cloudevents-batch+json` (RFC 6839 §3.1). */
const JSON_TYPE = /^application\/([\w.-]{1,64}\+)?json\s*(;|$)/i;

function takesBody(request: FastifyRequest): boolean {
  return request.routeOptions.schema?.body !== undefined;
}

/** @throws AppError `INVALID_ARGUMENT`; `LIMIT_EXCEEDED` when parsing it would take too long. */
function requireModestBody(contentType: string | undefined, bytes: Buffer): void {
  if (!JSON_TYPE.test(contentType ?? "")) {
    throw new AppError("INVALID_ARGUMENT", "Send the body with content-type: application/json");
  }
  requireModestJson(bytes);
}

/** A text as JSON; `undefined` when it is empty. @throws AppError `INVALID_ARGUMENT`. */
function parsed(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new AppError("INVALID_ARGUMENT", `The body is not valid JSON: ${messageOf(error)}`);
  }
}

/** @throws AppError `INVALID_ARGUMENT` when the body is not UTF-8. */
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
