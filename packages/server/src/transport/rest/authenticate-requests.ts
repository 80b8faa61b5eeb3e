import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import * as z from "zod";
import type { Action } from "../../identity/index.js";
import { assert } from "@steward/kernel/assert.js";
import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { AppError } from "@steward/kernel/errors.js";
import { type RequestContext, underApproval } from "../approvals/approved-operation.js";
import { actionOf, shareOf, askedOperation, recordOf, resolvesOf } from "../operations.js";
import type { Share } from "../organization-quotas.js";
import { type Gatekeepers, type IncomingRequest, requestContext } from "../request-context.js";
import { clientCertificateOf } from "../authentication/client-certificate.js";
import { withRepeatedHeaders } from "../repeated-headers.js";
import type { Access } from "./openapi/identity.js";
import type { Services, ShownOperation, SignIn } from "../services.js";
import type { RestApp } from "./rest-app.js";
import { requireOwnConsole } from "./session/own-console.js";
import { sessionIdOf } from "./session/session-cookies.js";

const NO_PARAMETERS: z.ZodType = z.strictObject({});

declare module "fastify" {
  interface FastifyContextConfig {
    /** The action of a request for the route; absent on routes that are open to everybody. */
    action?: Action;
    /** The quota that it counts against while it runs. */
    share?: Share | undefined;
  }
  interface FastifyRequest {
    /** The caller and its time limit, on the routes under `/api`. */
    context: RequestContext;
  }
}

/**
 * Authenticates and authorizes each request before its body is read, and aborts its signal when the
 * caller disconnects; started work continues. It also adds the identity headers of each route to
 * the API's description, and refuses unknown query parameters.
 */
export function authenticateRequests(
  app: RestApp,
  gatekeepers: Gatekeepers & Pick<Services, "signIn" | "countRefusal" | "recordOperation">,
  access: Exclude<Access, "anybody">,
): void {
  app.addHook("onRoute", (route) => {
    const operation = route.schema?.operationId ?? route.url;
    const [action, share] = [actionOf(operation), shareOf(operation)];
    route.config = { ...route.config, access, action, share };
    route.schema = { querystring: NO_PARAMETERS, ...route.schema };
    recordRequests(route, operation, gatekeepers);
    awaitApprovals(route, operation, gatekeepers);
  });
  app.addHook("onRequest", (request, reply, done) => {
    const { action, share } = request.routeOptions.config;
    try {
      const browserSession = browserSessionOf(request, gatekeepers.signIn);
      const incoming = { ...incomingRequest(request, reply), browserSession };
      requestContext(gatekeepers, { ...incoming, action, share, isApprovable: true }).then(
        (context) => {
          request.context = context;
          done();
        },
        done,
      );
    } catch (error) {
      done(AppError.from(error));
    }
  });
}

/** Makes each request of an operation that changes something leave its record. */
function recordRequests(
  route: RouteOptions,
  operation: string,
  { recordOperation }: Pick<Services, "recordOperation">,
): void {
  const record = recordOf(operation);
  if (record === undefined) return;
  const { handler } = route;
  route.handler = function (request, reply) {
    const asked = askedOperation(operation, record, parametersOf(request));
    return recordOperation(request.context, asked, async (recorded) => {
      request.context = { ...request.context, operation: recorded };
      const result: unknown = await handler.call(this, request, reply);
      // Otherwise the caller would have its answer before the end is recorded.
      const isBefore = record.time === "before" || record.time === "counted";
      assert(isBefore || !reply.sent, `${operation} returns its answer`);
      return result;
    });
  };
}

/** Lets each request wait for the approvals that policies demand of its operation. */
function awaitApprovals(
  route: RouteOptions,
  operation: string,
  gatekeepers: Pick<Services, "authorize" | "useApproval" | "countRefusal">,
): void {
  const { handler } = route;
  route.handler = function (request, reply) {
    const { context, body } = request;
    const isUpload = body instanceof Uint8Array || body instanceof Readable;
    const shown = (): ShownOperation =>
      isUpload
        ? undefined
        : { operation, request: parametersOf(request), resolves: resolvesOf(operation) };
    const actions = [actionOf(operation)];
    return underApproval(gatekeepers, { actions, context, shown }, async (approved) => {
      request.context = approved;
      const result: unknown = await handler.call(this, request, reply);
      return result;
    });
  };
}

/** Parameters of the path, the query and the body. A document is recorded by its length. */
function parametersOf({ params, query, body }: FastifyRequest): Record<string, JsonValue> {
  const isFields = typeof body === "object" && body !== null && !Array.isArray(body);
  const isDocument = body instanceof Uint8Array || body instanceof Readable;
  return {
    // Validated JSON and texts of the address.
    ...(params as Record<string, JsonValue>),
    ...(query as Record<string, JsonValue>),
    ...(isFields && !isDocument ? (body as Record<string, JsonValue>) : {}),
    ...(isFields || body === undefined || body === null ? {} : { body: body as JsonValue }),
    ...(body instanceof Uint8Array ? { document_bytes: body.length } : {}),
  };
}

/**
 * The id of the browser's session, when the request has no other credential.
 * @throws AppError `POLICY_DENIED` when another site may have sent the request.
 */
export function browserSessionOf(request: FastifyRequest, signIn: SignIn): string | undefined {
  const isPossible = signIn.apiKey !== undefined || signIn.openid !== undefined;
  if (!isPossible || request.headers.authorization !== undefined) return undefined;
  const id = sessionIdOf(request, signIn);
  if (id !== undefined) requireOwnConsole(request);
  return id;
}

/** The caller of a request and the request's deadline, known before the body is read. */
export function incomingRequest(request: FastifyRequest, reply: FastifyReply): IncomingRequest {
  const gone = new AbortController();
  let isOver = false;
  const listeners: (() => void)[] = [];
  reply.raw.once("close", () => {
    isOver = true;
    for (const listener of listeners) listener();
    if (!reply.raw.writableFinished) gone.abort();
  });
  return {
    headers: withRepeatedHeaders(request.headers, request.raw.rawHeaders),
    peerAddress: request.raw.socket.remoteAddress ?? "",
    certificate: () => clientCertificateOf(request.raw.socket),
    requestId: request.id,
    signal: gone.signal,
    whenOver: (listener) => {
      if (isOver) listener();
      else listeners.push(listener);
    },
  };
}
