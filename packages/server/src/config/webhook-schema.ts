import { z } from "zod";
import { isWebhookSecret, WEBHOOK_EVENTS, type WebhookTarget } from "../webhooks/index.js";
import { WEBHOOK_TARGETS_MAX } from "../webhooks/limits.js";
import { missingIn, withVariables, type Environment } from "./env.js";
import type { ToolsMistake } from "./tools-schema.js";
import { unknownKey } from "./unknown-key.js";

const text = (what: string): z.ZodString => z.string({ error: `must be ${what}` });

/** An entry of `webhooks` in the tools file. */
const webhookSchema: z.ZodType<WebhookTarget> = z.strictObject(
  {
    name: text("a name").regex(
      /^[\w-]{1,64}$/,
      "must be a name of letters, digits, _ and -, 64 at most",
    ),
    url: text("a URL"),
    secrets: z
      .array(text("a secret"), { error: "must be a list of one or two secrets" })
      .min(1, "must be a list of one or two secrets")
      .max(2, "must be a list of one or two secrets"),
    events: z
      .array(z.enum(WEBHOOK_EVENTS, { error: `must be one of ${WEBHOOK_EVENTS.join(", ")}` }), {
        error: "must be a list of events",
      })
      .min(1, `must name an event: ${WEBHOOK_EVENTS.join(", ")}`),
  },
  { error: unknownKey(["name", "url", "secrets", "events"]) },
);

/** The key `webhooks` of the tools file. */
export const webhooksSchema: z.ZodType<readonly WebhookTarget[]> = z
  .array(webhookSchema, { error: "must be a list of webhooks" })
  .max(WEBHOOK_TARGETS_MAX, `must not have more than ${String(WEBHOOK_TARGETS_MAX)} entries`);

/** Mistakes in an entry that the schema does not detect. URLs and secrets are never repeated. */
export function checkWebhook(
  webhook: WebhookTarget,
  path: readonly [string, number],
  env: Environment,
): readonly ToolsMistake[] {
  const { url, secrets } = webhook;
  const missing = [url, ...secrets].flatMap((value) => missingIn(value, env));
  if (missing.length > 0) {
    const reason = `names the environment variable ${missing.join(" and ")}, which is not set`;
    return [{ path: [...path], reason }];
  }
  const filled = toWebhook(webhook, env);
  const mistakes: ToolsMistake[] = [];
  if (!isTargetUrl(filled.url)) {
    const reason =
      "must be an https URL without a user name or password; http is for this machine only";
    mistakes.push({ path: [...path, "url"], reason });
  }
  filled.secrets.forEach((secret, index) => {
    if (isWebhookSecret(secret)) return;
    const reason = "must be whsec_ and the base64 of 24 to 64 bytes";
    mistakes.push({ path: [...path, "secrets", index], reason });
  });
  return mistakes;
}

/** The valid entry, with the environment's values. */
export function toWebhook(
  { name, url, secrets, events }: WebhookTarget,
  env: Environment,
): WebhookTarget {
  const filled = secrets.map((secret) => withVariables(secret, env));
  return { name, url: withVariables(url, env), secrets: filled, events };
}

function isTargetUrl(target: string): boolean {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") return false;
  const isLoopback = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback);
}
