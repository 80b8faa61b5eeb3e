import { z } from "zod";
import { PAYMENT_ANSWER_BYTES_MAX } from "../limits.js";
import { limitedText } from "../limited-text.js";

/** Error code for an unreadable response of the provider. */
export const MALFORMED_ANSWER = "malformed_answer";

/** Response headers that the SDK or this adapter reads. */
const HEADERS = ["request-id", "retry-after", "stripe-should-retry"];

const successSchema = z.looseObject({ error: z.never().optional() });
/** A value of another type is dropped; the status is sufficient. */
const word = z.string().optional().catch(undefined);
const refusalSchema = z
  .object({ type: word, code: word, param: word })
  .catch({ type: undefined, code: undefined, param: undefined });

/**
 * A `fetch` for the SDK that validates responses. The SDK accepts any JSON as one of Stripe's
 * objects, and processes it in a callback outside its promise, so a body that is a string or a
 * number would crash the process. This function only passes on JSON objects, and errors with the
 * documented fields. It stops reading a body that exceeds the limit.
 */
export async function checkedFetch(
  url: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  // Following a redirect would send the key to a host that nobody has configured.
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

/** A response that is not retried, because it would be the same again. */
function malformedAnswer(headers: Headers): Response {
  headers.set("stripe-should-retry", "false");
  return Response.json({ error: { code: MALFORMED_ANSWER } }, { status: 502, headers });
}
