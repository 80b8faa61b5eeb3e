import { HttpWebhookSender } from "../../adapters/http-webhook-sender.js";
import { inDataDirectory, type Config, sqliteFile } from "../../config/index.js";
import type { DisposalStack } from "../../kernel/disposal.js";
import type { Store } from "../../storage/store.js";
import {
  noWebhookStore,
  WebhookDelivery,
  WebhookNotices,
  WebhookOutbox,
  WebhookService,
} from "../../webhooks/index.js";
import type { Basics } from "./basics.js";

/** The store, and the service of the webhooks that it records. */
export interface OpenedStore {
  /** Absent when no database is configured. */
  readonly store: Store | undefined;
  readonly webhooks: WebhookService;
  readonly notices: WebhookNotices;
}

/** Opens the store, and the delivery of the webhooks that it has recorded. */
export async function openStore(
  config: Config,
  basics: Basics,
  opened: DisposalStack,
): Promise<OpenedStore> {
  const targets = config.tools.webhooks ?? [];
  const outbox = new WebhookOutbox(targets);
  const parts = { ...basics, targets, outbox, sender: new HttpWebhookSender() };
  if (config.databaseUrl === undefined) {
    return { store: undefined, ...toldBy({ ...parts, store: noWebhookStore }) };
  }
  const store = opened.use(await openEngine(config.databaseUrl, config, basics, outbox));
  opened.use(new WebhookDelivery({ ...parts, store: store.webhooks }));
  return { store, ...toldBy({ ...parts, store: store.webhooks }) };
}

function toldBy(
  parts: ConstructorParameters<typeof WebhookService>[0] &
    ConstructorParameters<typeof WebhookNotices>[0],
): Pick<OpenedStore, "webhooks" | "notices"> {
  return { webhooks: new WebhookService(parts), notices: new WebhookNotices(parts) };
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
    return openPostgresStore({
      url,
      ...basics,
      outbox,
      nodeFile: inDataDirectory(dataDir, "node"),
    });
  }
  const { openSqliteStore } = await import("../../storage/sqlite/store.js");
  return openSqliteStore(file, basics.clock, basics.telemetry, outbox);
}
