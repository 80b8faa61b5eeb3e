import {
  dataOf,
  sessionSchema,
  signedInSchema,
  signedOutSchema,
  signInSchema,
  type Session,
} from "@steward/protocol/rest";
import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { assert } from "@steward/kernel/assert.js";
import { isoTime } from "@steward/kernel/clock.js";
import type { Caller, RequestOrigin } from "@steward/kernel/caller.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  ACTIONS,
  type Action,
  type Principal,
  type StartedSession,
} from "../../../identity/index.js";
import { askedOperation } from "../../operations.js";
import { present } from "../../../kernel/present.js";
import type { Services, SignIn } from "../../services.js";
import { browserSessionOf, incomingRequest } from "../authenticate-requests.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import { requireOwnConsole } from "./own-console.js";
import { clearSession, sessionIdOf, setSession } from "./session-cookies.js";
import type { RecordedWork } from "../../../audit/index.js";

const tags = ["Session"];
/** In the API's description: every credential is accepted, and none is needed. */
const access = "caller";
const NO_PARAMETERS: z.ZodType = z.strictObject({});

/**
 * The session of a person who uses a browser. The routes are open to everybody: two begin and end
 * an identity, and the first answers callers without one too.
 */
export function addSessionRoutes(app: RestApp, services: Services, version: string): void {
  addRead(app, services, version);
  addSignIn(app, services);
  addSignOut(app, services);
}

function addRead(app: RestApp, services: Services, version: string): void {
  const schema = {
    operationId: "getSession",
    summary: "Tell who you are, what you may do, and how to sign in",
    description:
      "For consoles: with any credential, with a browser's session, or without either. A session that has ended is taken out of the browser.",
    tags,
    querystring: NO_PARAMETERS,
    response: { 200: json("The caller", dataOf(sessionSchema)), ...errors() },
  };
  app.get("/api/session", { schema, config: { access } }, async (request, reply) => {
    void reply.header("cache-control", "no-store");
    const { signIn } = services;
    const caller = await callerOf(request, reply, services);
    const id = sessionIdOf(request, signIn);
    const expiresAtMs = id === undefined ? undefined : await signIn.sessions.expiry(id);
    return {
      data: {
        ...(caller === undefined ? {} : { caller: callerMessage(caller) }),
        actions: caller === undefined ? [] : await allowedActions(caller, services),
        ...(expiresAtMs === undefined || caller === undefined
          ? {}
          : { expires_at: isoTime(expiresAtMs) }),
        chooses_organization: caller?.authenticatedBy === "headers",
        sign_in_methods: methodsOf(signIn),
        version,
      },
    };
  });
}

function addSignIn(app: RestApp, services: Services): void {
  const { signIn } = services;
  const schema = {
    operationId: "signIn",
    summary: "Exchange an API key for a session of this browser",
    description:
      "The session is in a cookie that scripts cannot read, and ends with the key. Send the header x-steward-console: 1. Programs send the key with every request instead.",
    tags,
    querystring: NO_PARAMETERS,
    body: signInSchema,
    response: { 201: json("Signed in", dataOf(signedInSchema)), ...errors(403) },
  };
  app.post("/api/session", { schema, config: { access } }, async (request, reply) => {
    requireOwnConsole(request);
    const verify = signIn.apiKey;
    if (verify === undefined) {
      throw new AppError(
        "UNAUTHENTICATED",
        "Nobody can sign in with an API key: this server does not accept API keys",
      );
    }
    const { api_key: text } = request.body;
    const { principal } = await verify(text, originOf(request, services).peerAddress);
    const started = await beginSession(request, reply, services, principal, (recorded) =>
      signIn.sessions.startForKey(principal, text, recorded),
    );
    return reply.code(201).send({ data: { expires_at: isoTime(started.expiresAtMs) } });
  });
}

function addSignOut(app: RestApp, services: Services): void {
  const { signIn, recordOperation } = services;
  const schema = {
    operationId: "signOut",
    summary: "End the session of this browser",
    description:
      "No server accepts the session any more, within a second. Send the header x-steward-console: 1. Without a session the answer is the same.",
    tags,
    querystring: NO_PARAMETERS,
    response: { 200: json("Signed out", dataOf(signedOutSchema)), ...errors(403) },
  };
  app.delete("/api/session", { schema, config: { access } }, async (request, reply) => {
    requireOwnConsole(request);
    const id = sessionIdOf(request, signIn);
    if (id !== undefined) {
      const caller = await callerOf(request, reply, services);
      const end: RecordedWork<void> = (recorded) => signIn.sessions.end(id, recorded);
      if (caller === undefined) await end(undefined);
      else await recordOperation({ ...caller, request: originOf(request, services) }, signOut, end);
    }
    clearSession(request, reply, signIn);
    return { data: { signed_out: true as const } };
  });
}

/** Starts the session of somebody who has signed in, which leaves its record, and gives it to the browser. */
export async function beginSession(
  request: FastifyRequest,
  reply: FastifyReply,
  services: Pick<Services, "signIn" | "clock" | "clientAddress" | "recordOperation">,
  principal: Principal,
  start: RecordedWork<StartedSession>,
): Promise<StartedSession> {
  const caller = { ...principal, request: originOf(request, services) };
  const started = await services.recordOperation(caller, signIn, start);
  await replaceSession(request, reply, { ...services, started });
  return started;
}

/** Both have no parameters: a session's id is a secret. */
const signIn = askedOperation("signIn", { kind: "session.begin", time: "withEffect" }, {});
const signOut = askedOperation("signOut", { kind: "session.end", time: "withEffect" }, {});

function originOf(
  { id, headers, raw }: FastifyRequest,
  { clientAddress }: Pick<Services, "clientAddress">,
): RequestOrigin {
  const peerAddress = raw.socket.remoteAddress ?? "";
  return { requestId: id, peerAddress: clientAddress({ headers, peerAddress }) };
}

/**
 * Gives the browser a session and ends the one that it had. The id is always new, so that nobody
 * can prepare a session for somebody else (session fixation).
 */
async function replaceSession(
  request: FastifyRequest,
  reply: FastifyReply,
  parts: Pick<Services, "signIn" | "clock"> & { readonly started: StartedSession },
): Promise<void> {
  const { signIn, clock, started } = parts;
  const before = sessionIdOf(request, signIn);
  if (before !== undefined) await signIn.sessions.end(before);
  const maxAgeMs = started.expiresAtMs - clock.nowMs();
  setSession(request, reply, { isSecure: signIn.isSecure, id: started.id, maxAgeMs });
}

/** @returns `undefined` without a credential that is accepted. */
async function callerOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { authenticate, signIn }: Services,
): Promise<Caller | undefined> {
  const browserSession = browserSessionOf(request, signIn);
  try {
    return await authenticate({ ...incomingRequest(request, reply), browserSession });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
    if (browserSession !== undefined) clearSession(request, reply, signIn);
    return undefined;
  }
}

async function allowedActions(
  caller: Caller,
  { mayDo }: Pick<Services, "mayDo">,
): Promise<readonly Action[]> {
  const allowed = await Promise.all(ACTIONS.map((action) => mayDo(caller, action)));
  return ACTIONS.filter((_action, index) => allowed[index]);
}

function methodsOf({ isOpen, apiKey, openid }: SignIn): Session["sign_in_methods"] {
  return [
    ...(isOpen ? (["none"] as const) : []),
    ...(apiKey === undefined ? [] : (["api_key"] as const)),
    ...(openid === undefined ? [] : (["openid"] as const)),
  ];
}

function callerMessage(caller: Caller): NonNullable<Session["caller"]> {
  const { orgId, kind, authenticatedBy, userId, agentId, keyId, roles, permissions } = caller;
  assert(authenticatedBy !== "program", "callers within the process send no requests");
  return {
    ...{ org_id: orgId, kind, authenticated_by: authenticatedBy, roles, permissions },
    ...present({ user_id: userId, agent_id: agentId, key_id: keyId, scopes: caller.scopes }),
  };
}
