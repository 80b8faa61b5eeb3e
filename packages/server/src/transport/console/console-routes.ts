import { randomBytes } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import * as z from "zod";
import { AppError } from "@steward/kernel/errors.js";
import type { RestApp } from "../rest/rest-app.js";
import { pathOf } from "../rest/routed-paths.js";
import type { ConsoleFiles } from "./console-files.js";
import { contentPolicy } from "./content-policy.js";

/** First parts of paths that are never a view of the console: an unknown one stays a 404. */
const RESERVED = new Set(["api", "assets", "auth", "mcp", ".well-known"]);

/** The text in the built index that each answer replaces with a nonce of its own. */
const NONCE_MARK = /CSP_NONCE/g;
/** 128 bits, as recommended for nonces of a content security policy. */
const NONCE_BYTES = 16;

const CACHED_FOR_GOOD = { "cache-control": "public, max-age=31536000, immutable" } as const;
/** A name without a hash is asked for again after an hour. */
const CACHED_SHORTLY = { "cache-control": "public, max-age=3600" } as const;

/**
 * Answers every address of a view with the console's index, which shows the view. It has to be
 * called before unknown paths are refused.
 */
export function answerViews(app: RestApp, files: ConsoleFiles): void {
  app.addHook("onRequest", (request, reply, done) => {
    if (request.is404 && isView(request)) void sendIndex(reply, files);
    else done();
  });
}

/** Serves the files that the index loads. */
export function addConsoleFiles(app: RestApp, files: ConsoleFiles): void {
  const params = z.object({ file: z.string() });
  app.get("/assets/:file", { schema: { hide: true, params } }, async (request, reply) => {
    const { file } = request.params;
    if (files.assets.has(file)) {
      return send(reply.headers(CACHED_FOR_GOOD), request, files, `assets/${file}`);
    }
    throw new AppError(
      "NOT_FOUND",
      "The console has no such file; after an update of the server, load the page again",
    );
  });
  for (const name of files.others) {
    app.get(`/${name}`, { schema: { hide: true } }, (request, reply) =>
      send(reply.headers(CACHED_SHORTLY), request, files, name),
    );
  }
}

/** Whether a client asks for a page rather than for data. */
export function wantsPage({ headers }: Pick<FastifyRequest, "headers">): boolean {
  return /\btext\/html\b/.test(headers.accept ?? "");
}

/** Sends the page that starts the console. */
export function sendIndex(
  reply: FastifyReply,
  { index, hasStripeForm = false }: ConsoleFiles,
): FastifyReply {
  const nonce = randomBytes(NONCE_BYTES).toString("base64url");
  return reply
    .headers(pageHeaders(contentPolicy(nonce, pathOf(reply.request.url), hasStripeForm)))
    .type("text/html; charset=utf-8")
    .serializer((text: string) => text)
    .send(index.replace(NONCE_MARK, nonce));
}

function isView(request: FastifyRequest): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const [, first = ""] = pathOf(request.url).split("/");
  return wantsPage(request) && !RESERVED.has(first);
}

function pageHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    "content-security-policy": policy,
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy":
      "accelerometer=(), camera=(), geolocation=(), gyroscope=(), microphone=(), payment=(), usb=()",
    // The page names the files of one build and contains the nonce of one answer.
    "cache-control": "no-store",
    vary: "accept",
  };
}

async function send(
  reply: FastifyReply,
  { headers }: FastifyRequest,
  files: ConsoleFiles,
  name: string,
): Promise<FastifyReply> {
  const { type, coding, bytes } = await files.read(name, headers["accept-encoding"]);
  if (coding !== undefined) void reply.header("content-encoding", coding);
  return reply.header("vary", "accept-encoding").type(type).send(bytes);
}
