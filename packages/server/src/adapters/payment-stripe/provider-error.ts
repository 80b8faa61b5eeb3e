import Stripe from "stripe";
import { AppError } from "@steward/kernel/errors.js";
import { unusableAnswer } from "./answers.js";
import { MALFORMED_ANSWER } from "./checked-fetch.js";

/** Default wait when the provider is busy, in ms. */
const RETRY_AFTER_MS = 1000;
/** Longest wait that is passed on, in ms. */
const RETRY_AFTER_MAX_MS = 60 * 60 * 1000;

/**
 * Maps a provider's error to an AppError (Decision §8). The provider's texts are discarded, because
 * some of them quote the key or the request.
 * @param sought the requested object, which the provider does not always name in a "not found"
 * error.
 */
export function providerError(thrown: unknown, sought: "customer" | "payment method"): AppError {
  if (!(thrown instanceof Stripe.errors.StripeError)) return AppError.from(thrown);
  const cause = new Error(summaryOf(thrown));
  if (thrown.code === MALFORMED_ANSWER) return unusableAnswer(cause);
  if (thrown.code === "resource_missing") {
    return new AppError("NOT_FOUND", `The payment provider has no such ${sought}`, { cause });
  }
  if (thrown instanceof Stripe.errors.StripeConnectionError) return connectionError(thrown, cause);
  switch (thrown.statusCode) {
    case 400:
    case 402:
      return thrown instanceof Stripe.errors.StripeIdempotencyError
        ? conflict(cause)
        : new AppError("INVALID_ARGUMENT", rejectionOf(thrown), { cause });
    case 401:
    case 403:
      return failed("refused the key of this server: check PAYMENT_SECRET_KEY", cause);
    case 409:
      return conflict(cause);
    case 429:
      return new AppError(
        "PAYMENT_RATE_LIMITED",
        "The payment provider limits requests now; try again in a moment",
        {
          cause,
          retryAfterMs: retryAfterOf(thrown),
        },
      );
    default:
      return failed("failed: try again later", cause);
  }
}

function connectionError(thrown: Stripe.errors.StripeError, cause: Error): AppError {
  const { detail } = thrown as { readonly detail?: unknown };
  const timedOut = detail instanceof Error && "code" in detail && detail.code === "ETIMEDOUT";
  return timedOut
    ? new AppError("PAYMENT_TIMEOUT", "The payment provider did not answer in time", { cause })
    : failed("cannot be reached", cause);
}

function conflict(cause: Error): AppError {
  return new AppError(
    "PAYMENT_CONFLICT",
    "The idempotency key was used for another request, or that request is still under way",
    { cause },
  );
}

function failed(what: string, cause: Error): AppError {
  return new AppError("PAYMENT_PROVIDER_FAILED", `The payment provider ${what}`, { cause });
}

function rejectionOf({ param, code }: Stripe.errors.StripeError): string {
  const about = isName(param) ? ` because of ${param}` : "";
  return `The payment provider rejected the request${about}${isName(code) ? ` (${code})` : ""}`;
}

/**
 * Only codes and parameter names of the provider's API are passed on; other texts are not trusted.
 */
function isName(text: string | undefined): text is string {
  return text !== undefined && /^[a-z_]{1,64}$/.test(text);
}

function summaryOf({ type, statusCode, code, requestId }: Stripe.errors.StripeError): string {
  const parts = [type, statusCode, isName(code) ? code : undefined, requestId];
  return parts.filter((part) => part !== undefined).join(" ");
}

function retryAfterOf({ headers }: Stripe.errors.StripeError): number {
  const seconds = Number(headers?.["retry-after"]);
  return seconds > 0 ? Math.min(seconds * 1000, RETRY_AFTER_MAX_MS) : RETRY_AFTER_MS;
}
