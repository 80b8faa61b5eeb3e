import { errorBodySchema, type ErrorBody } from "@steward/protocol/rest";
import type { z } from "zod";

/** How the description of the API says what one status carries. */
export interface DescribedReply<Body> {
  readonly description: string;
  readonly content: { readonly "application/json": { readonly schema: z.ZodType<Body> } };
}

/** An answer of this shape. */
export function json<Body>(description: string, schema: z.ZodType<Body>): DescribedReply<Body> {
  return { description, content: { "application/json": { schema } } };
}

const ERROR_DESCRIPTIONS = {
  400: "The request is malformed; details name the fields",
  401: "No credential, or a credential that is not accepted",
  403: "A policy, a missing permission, or the guard of statements refuses the request",
  404: "Your organization has nothing with that id",
  409: "Its present state, or a request in progress, does not allow the operation",
  413: "The body is larger than 4 MiB",
  422: "The idempotency key was used for another request",
  429: "Too many requests of your organization, or over a quota; see Retry-After",
  500: "A fault of the server",
  501: "This server is not configured for it; the message names what is missing",
  502: "The payment provider failed",
  503: "The store cannot be reached; try again",
  504: "The payment provider's answer or a SPARQL query took too long",
} as const;

/** A status that errors are answered with. */
export type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS;

/** What every operation may answer, whatever it does. */
const EVERYWHERE = [400, 401, 429, 500, 503] as const;

/** The errors of an operation: those it names and those every one has. */
export function errors<Status extends ErrorStatus>(
  ...statuses: readonly Status[]
): Record<Status | (typeof EVERYWHERE)[number], DescribedReply<ErrorBody>> {
  const all = [...EVERYWHERE, ...statuses];
  // Object.fromEntries forgets which statuses there are.
  return Object.fromEntries(
    all.map((status) => [status, json(ERROR_DESCRIPTIONS[status], errorBodySchema)]),
  ) as Record<(typeof all)[number], DescribedReply<ErrorBody>>;
}
