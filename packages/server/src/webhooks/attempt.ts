import type { Clock } from "@steward/kernel/clock.js";
import { WEBHOOK_ERROR_LENGTH_MAX, WEBHOOK_TIMEOUT_MS } from "./limits.js";
import type { WebhookSender } from "./ports.js";
import { signedHeaders } from "./signature.js";
import type { WebhookTarget } from "./webhook-target.js";

/** What an attempt needs. */
export interface AttemptParts {
  readonly sender: WebhookSender;
  readonly clock: Clock;
  /** Time limit of one attempt, in ms; absent: the usual one. */
  readonly timeoutMs?: number;
}

/** How a target answered; `error` says in words why the message does not count as accepted. */
export type AttemptAnswer =
  | { readonly kind: "accepted"; readonly status: number }
  | { readonly kind: "refused"; readonly status: number; readonly error: string }
  | { readonly kind: "no answer"; readonly error: string };

/** Signs a message and sends it once. */
export async function attemptMessage(
  { url, secrets }: WebhookTarget,
  message: { readonly messageId: string; readonly body: string },
  { sender, clock, timeoutMs = WEBHOOK_TIMEOUT_MS }: AttemptParts,
  signal: AbortSignal,
): Promise<AttemptAnswer> {
  const limit = AbortSignal.timeout(timeoutMs);
  const headers = signedHeaders(message, secrets, clock.nowMs());
  try {
    const posted = { headers, body: message.body };
    const status = await sender.post(url, posted, AbortSignal.any([signal, limit]));
    if (status >= 200 && status < 300) return { kind: "accepted", status };
    return { kind: "refused", status, error: `the target answered ${String(status)}` };
  } catch (error) {
    const text = error instanceof Error ? error.message : "no answer";
    const reason = limit.aborted ? `no answer within ${String(timeoutMs)} ms` : text;
    return { kind: "no answer", error: reason.slice(0, WEBHOOK_ERROR_LENGTH_MAX) };
  }
}
