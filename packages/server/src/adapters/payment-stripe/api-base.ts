import { AppError } from "@steward/kernel/errors.js";

/** An API's address in the format of Stripe's SDK. */
export interface ApiEndpoint {
  readonly protocol: "http" | "https";
  readonly host: string;
  readonly port: string;
}

const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Parses a base URL. A path is refused because the SDK does not support one, and plain HTTP because
 * it would reveal the key.
 * @throws AppError `INVALID_ARGUMENT` with the fix.
 */
export function readApiBase(text: string): ApiEndpoint {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol)) {
    throw invalid("must be a URL such as https://payments.example.com");
  }
  if (url.protocol === "http:" && !LOOPBACK.has(url.hostname)) {
    throw invalid("must use https: over http the secret key could be read on the way");
  }
  if (url.pathname !== "/" || url.search !== "" || url.username !== "") {
    throw invalid("must have a host and a port and nothing after them");
  }
  const secure = url.protocol === "https:";
  return {
    protocol: secure ? "https" : "http",
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (secure ? "443" : "80") : url.port,
  };
}

function invalid(reason: string): AppError {
  return new AppError("INVALID_ARGUMENT", `PAYMENT_API_BASE ${reason}`);
}
