import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type * as z from "zod";
import { askerOf, encodedInTurns } from "../answers/encoded-in-turns.js";
import { jsonPieces } from "../answers/json-pieces.js";
import { isLarge } from "../answers/large-turns.js";
import type { RestApp } from "./rest-app.js";

/**
 * Encodes large answers piece by piece, in turns of the event loop in which organizations alternate. The pieces are
 * written as the client takes them.
 */
export function encodeLargeReplies(app: RestApp): void {
  app.addHook("preSerialization", (request, reply, payload, done) => {
    if (!isLarge(payload)) {
      done(null, payload);
      return;
    }
    const pieces = jsonPieces(payload, schemaOf(request, reply));
    encodedInTurns(pieces, askerOf(request)).then(
      (encoded) => {
        const bytes = encoded.reduce((sum, { length }) => sum + length, 0);
        void reply.header("content-length", bytes);
        // Fastify also takes streams and bytes, of which its type does not tell.
        void reply.serializer(() => Readable.from(encoded) as unknown as string);
        done(null, payload);
      },
      (error: unknown) => done(error as Error),
    );
  });
}

/** The schema of an answer with this status; `undefined` when the route describes none. */
function schemaOf(
  { routeOptions: { schema } }: FastifyRequest,
  { statusCode }: FastifyReply,
): z.ZodType | undefined {
  // Of the routes that describe their replies, all do it with the functions of described-replies.ts.
  const replies = (schema?.response ?? {}) as Readonly<Record<string, Described | undefined>>;
  return replies[statusCode]?.content["application/json"].schema;
}

interface Described {
  readonly content: { readonly "application/json": { readonly schema: z.ZodType } };
}
