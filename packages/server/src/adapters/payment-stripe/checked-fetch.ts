import { z } from "zod";
import { PAYMENT_ANSWER_BYTES_MAX } from "../../kernel/limits.js";
import { limitedText } from "../limited-text.js";

/** What the code of an error says when the provider's answer could not be read. */
export const MALFORMED_ANSWER = "malformed_answer";

/** Of an answer's headers, those that the SDK or this adapter reads. */
const HEADERS = ["request-id", "retry-after", "stripe-should-retry"];

const successSchema = z.looseObject({ error: z.never().optional() });
/** What is not text is left out: the status says what matters. */
const word = z.string().optional().catch(undefined);
const refusalSchema = z
  .object({ type: word, code: word, param: word })
  .catch({ type: undefined, code: undefined, param: undefined });

/**
 * Stands between the SDK and the network. The SDK takes any JSON for an object of Stripe's, and does so
 * in a callback outside the promise that it returned: a body that is a string or a number ends the
 * process there. So the SDK is only shown a JSON object, or an error with the fields that Stripe
 * describes. A body that is too large is not read to its end.
 */
export async function checkedFetch(
  url: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  // A redirect would carry the key to a host that nobody configured.
  const response = await fetch(url, { ...init, redirect: "manual" });
  const body = jsonIn(await limitedText(response, PAYMENT_ANSWER_BYTES_MAX));
  const headers = new Headers();
  for (const name of HEADERS) {
    const value = response.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  if (response.status >= 400 && response.status <= 599) {
    const error = z.object({ error: refusalSchema }).safeParse(body).data?.error ?? {};
    return Response.json({ error }, { status: response.status, headers });
  }
  const success = response.ok ? successSchema.safeParse(body).data : undefined;
  return success === undefined ? malformedAnswer(headers) : Response.json(success, { headers });
}

function jsonIn(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** Asking again would bring the same answer. */
function malformedAnswer(headers: Headers): Response {
  headers.set("stripe-should-retry", "false");
  return Response.json({ error: { code: MALFORMED_ANSWER } }, { status: 502, headers });
}
