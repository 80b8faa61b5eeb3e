import { errorBodySchema, type ErrorBody } from "@steward/protocol/rest";
import type { z } from "zod";

/** The description of one status in the API's description. */
export interface DescribedReply<Body> {
  readonly description: string;
  readonly content: { readonly "application/json": { readonly schema: z.ZodType<Body> } };
}

/** Describes a JSON reply. */
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

/** An HTTP status of errors. */
export type ErrorStatus = keyof typeof ERROR_DESCRIPTIONS;

/** Errors that every operation may return. */
const EVERYWHERE = [400, 401, 429, 500, 503] as const;

/** The errors of an operation: its own and those of every operation. */
export function errors<Status extends ErrorStatus>(
  ...statuses: readonly Status[]
): Record<Status | (typeof EVERYWHERE)[number], DescribedReply<ErrorBody>> {
  const all = [...EVERYWHERE, ...statuses];
  // Object.fromEntries loses the type of the keys.
  return Object.fromEntries(
    all.map((status) => [status, json(ERROR_DESCRIPTIONS[status], errorBodySchema)]),
  ) as Record<(typeof all)[number], DescribedReply<ErrorBody>>;
}
