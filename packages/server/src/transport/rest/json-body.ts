import type { FastifyRequest } from "fastify";
import type { IncomingMessage } from "node:http";
import { AppError } from "@steward/kernel/errors.js";
import { askerOf } from "../answers/encoded-in-turns.js";
import { turnOfBody, turnOfPiece } from "../answers/large-turns.js";
import { requireModestJson } from "./json-bounds.js";
import { receiveBody, type ReceivedBody } from "./received-body.js";
import type { RestApp } from "./rest-app.js";

/**
 * Parses every body as JSON in UTF-8 (Contract §4), and strictly: anything else is
 * `INVALID_ARGUMENT`. A route without a body ignores it.
 */
export function readJsonBodies(app: RestApp): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (request, payload, done) => {
    if (takesBody(request)) receiveJson(request, payload, done);
    else receiveBody(request, payload, (error) => done(error));
  });
}

/** Receives the body of a request and parses it. */
export function receiveJson(
  request: FastifyRequest,
  payload: IncomingMessage,
  done: (error: Error | null, body?: unknown) => void,
): void {
  receiveBody(request, payload, (error, body) => {
    if (body === undefined) done(error);
    else parseInTurns(sentBy(request), body, done);
  });
}

/** Who has sent a body, and what as. */
interface Sender {
  readonly contentType: string | undefined;
  readonly orgId: string;
}

function sentBy(request: FastifyRequest): Sender {
  return { contentType: request.headers["content-type"], orgId: askerOf(request).orgId };
}

/**
 * Parses a body and passes it on. Joining the chunks of a large body, counting its values, decoding it,
 * parsing it and checking it take milliseconds each, so each has a turn of the event loop of its own.
 */
export function parseInTurns(
  sender: Sender,
  body: ReceivedBody,
  done: (error: Error | null, body?: unknown) => void,
): void {
  const turn = turnOfBody(body.bytes, sender.orgId);
  const fail = (error: unknown): void => done(AppError.from(error));
  if (turn === undefined) {
    try {
      const bytes = joined(body);
      requireModestBody(sender.contentType, bytes);
      done(null, parsed(decoded(bytes)));
    } catch (error) {
      fail(error);
    }
    return;
  }
  parsedInTurns(sender, body, turn).then((parsedBody) => done(null, parsedBody), fail);
}

/** @param turn resolves in the first of the turns. */
async function parsedInTurns(
  { contentType, orgId }: Sender,
  received: ReceivedBody,
  turn: Promise<void>,
): Promise<unknown> {
  await turn;
  const bytes = joined(received);
  await turnOfPiece(orgId);
  requireModestBody(contentType, bytes);
  await turnOfPiece(orgId);
  const text = decoded(bytes);
  await turnOfPiece(orgId);
  const body = parsed(text);
  await turnOfPiece(orgId);
  return body;
}

function joined({ chunks, bytes }: ReceivedBody): Buffer {
  return Buffer.concat(chunks, bytes);
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
