import { HttpWebhookSender } from "../../adapters/webhook-http/index.js";
import { type Config, nodeFile, sqliteFile } from "../../config/index.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { Store } from "../../storage/store.js";
import { WebhookDelivery, WebhookOutbox } from "../../webhooks/index.js";
import type { Basics } from "./basics.js";

/**
 * Opens the store, and the delivery of the webhooks that it has recorded.
 * @returns `undefined` when no database is configured.
 */
export async function openStore(
  config: Config,
  basics: Basics,
  opened: DisposalStack,
): Promise<Store | undefined> {
  if (config.databaseUrl === undefined) return undefined;
  const targets = config.tools.webhooks ?? [];
  const outbox = new WebhookOutbox(targets);
  const store = opened.use(await openEngine(config.databaseUrl, config, basics, outbox));
  const sender = new HttpWebhookSender();
  opened.use(new WebhookDelivery({ ...basics, targets, outbox, sender, store: store.webhooks }));
  return store;
}

/** Loads only the modules of the store's engine. */
async function openEngine(
  url: string,
  { dataDir }: Pick<Config, "dataDir">,
  basics: Basics,
  outbox: WebhookOutbox,
): Promise<Store> {
  const file = sqliteFile(url);
  if (file === undefined) {
    const { openPostgresStore } = await import("../../storage/postgres/store.js");
    return openPostgresStore({ url, ...basics, outbox, nodeFile: nodeFile(dataDir) });
  }
  const { openSqliteStore } = await import("../../storage/sqlite/store.js");
  return openSqliteStore(file, basics.clock, basics.telemetry, outbox);
}
