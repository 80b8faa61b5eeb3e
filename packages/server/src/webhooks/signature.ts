import { createHmac } from "node:crypto";

/** The prefix of a secret in the form of Standard Webhooks. */
const SECRET_PREFIX = "whsec_";
/** Bytes of a secret, by Standard Webhooks. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;

/** Whether a text is a secret in the form of Standard Webhooks: `whsec_` and base64 of 24 to 64 bytes. */
export function isWebhookSecret(text: string): boolean {
  const base64 = text.slice(SECRET_PREFIX.length);
  const bytes = Buffer.from(base64, "base64");
  return (
    text.startsWith(SECRET_PREFIX) &&
    bytes.toString("base64").replace(/=+$/, "") === base64.replace(/=+$/, "") &&
    bytes.length >= SECRET_BYTES_MIN &&
    bytes.length <= SECRET_BYTES_MAX
  );
}

/**
 * The headers of a message (Standard Webhooks 1.0, https://www.standardwebhooks.com): its id, the
 * time of this attempt, and a signature by each secret.
 */
export function signedHeaders(
  { messageId, body }: { readonly messageId: string; readonly body: string },
  secrets: readonly string[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
    const signed = `${messageId}.${timestamp}.${body}`;
    return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
  });
  return {
    "content-type": "application/json",
    "webhook-id": messageId,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
