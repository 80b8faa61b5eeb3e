import { isWebhookSecret, WEBHOOK_EVENTS, type WebhookTarget } from "../../webhooks/index.js";
import { WEBHOOK_TARGETS_MAX } from "../../webhooks/limits.js";
import { missingIn, withVariables, type Environment } from "../env.js";
import { isTrustedUrl } from "../setting-types.js";
import { entry, entryName, listOf, text, type ToolsMistake, wordOf } from "./schema-parts.js";

const SECRETS = "one or two secrets";

/** The key `webhooks` of the tools file. */
export const webhooksSchema = listOf(
  entry({
    name: entryName,
    url: text("a URL"),
    secrets: listOf(text("a secret"), SECRETS)
      .min(1, `must be a list of ${SECRETS}`)
      .max(2, `must be a list of ${SECRETS}`),
    events: listOf(wordOf(WEBHOOK_EVENTS), "events").min(
      1,
      `must name an event: ${WEBHOOK_EVENTS.join(", ")}`,
    ),
  }),
  "webhooks",
).max(WEBHOOK_TARGETS_MAX, `must not have more than ${String(WEBHOOK_TARGETS_MAX)} entries`);

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
    return [{ path, reason }];
  }
  const filled = toWebhook(webhook, env);
  const mistakes: ToolsMistake[] = [];
  if (!isTrustedUrl(filled.url)) {
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
export function toWebhook(webhook: WebhookTarget, env: Environment): WebhookTarget {
  const secrets = webhook.secrets.map((secret) => withVariables(secret, env));
  return { ...webhook, url: withVariables(webhook.url, env), secrets };
}
