import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { FastifyReply } from "fastify";
import { acceptedCodings, type ContentCoding } from "../../content-codings.js";

/** A document of hundreds of kilobytes, the same for all callers; it is compressed once. */
export interface LargeDocument {
  readonly text: string;
  /** Weak, because it stands for every coding of the text (RFC 9110 §8.8.1). */
  readonly etag: string;
  readonly coded: Readonly<Record<ContentCoding, Buffer>>;
}

export async function largeDocument(text: string): Promise<LargeDocument> {
  const [br, gz] = await Promise.all([promisify(brotliCompress)(text), promisify(gzip)(text)]);
  const digest = createHash("sha256").update(text).digest("base64url").slice(0, 22);
  return { text, etag: `W/"${digest}"`, coded: { br, gzip: gz } };
}

/** Sends the document in a coding that the client accepts, or 304 when the client has it already. */
export function sendDocument(reply: FastifyReply, document: LargeDocument): FastifyReply {
  const { headers } = reply.request;
  const { text, etag, coded } = document;
  void reply.headers({ etag, "cache-control": "no-cache", vary: "accept-encoding" });
  if (isKnown(headers["if-none-match"], etag)) return reply.code(304).send();
  const [coding] = acceptedCodings(headers["accept-encoding"]);
  if (coding === undefined) return reply.send(text);
  return reply.header("content-encoding", coding).send(coded[coding]);
}

/** The weak comparison of If-None-Match (RFC 9110 §13.1.2). */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const strong = (tag: string): string => tag.trim().replace(/^W\//, "");
  const tags = (ifNoneMatch ?? "").split(",").map(strong);
  return tags.includes("*") || tags.includes(strong(etag));
}
