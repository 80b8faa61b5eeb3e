import { existsSync } from "node:fs";
import { embeddingModelName } from "../adapters/embedding-provider.js";
import { openProvider } from "./rooms/memory.js";
import { sqliteFile, type Config } from "../config/index.js";
import { EmbeddingError } from "../embedding/index.js";
import { systemClock } from "@steward/kernel/clock.js";
import { AppError } from "@steward/kernel/errors.js";
import { systemIds } from "@steward/kernel/ids.js";
import { silentLog } from "@steward/kernel/log.js";
import { silentTelemetry } from "../kernel/telemetry.js";
import { reembed, type ReembeddingProgress } from "../memory/index.js";
import type { OnUnreadable, ReembeddingStore } from "../memory/ports.js";
import { PostgresReembedding } from "../storage/postgres/memory/memory-reembedding.js";
import { openSqliteStore } from "../storage/sqlite/store.js";

/** Options of re-embedding. */
export interface ReembedOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ReembeddingProgress) => void;
  readonly onRefused: (entryId: string) => void;
  readonly onUnreadable: OnUnreadable;
}

export interface Reembedded extends ReembeddingProgress {
  /** The model whose vectors are searched from now on. */
  readonly model: string;
}

/**
 * Changes the configured store to the configured model. It owns an SQLite store meanwhile, so no
 * server can run on it; servers on PostgreSQL continue with the old model until the switch.
 * @throws AppError with the fix; the signal's reason.
 */
export async function reembedStore(config: Config, options: ReembedOptions): Promise<Reembedded> {
  const clock = systemClock;
  const machine = { clock, ids: systemIds(clock), log: silentLog, provider: undefined };
  const provider = await openProvider(config.embedding, machine);
  const { dimension } = config.embedding;
  const model = { name: embeddingModelName(config.embedding), dimension };
  await using store = await openReembedding(config.databaseUrl);
  try {
    const done = await reembed({ store: store.reembedding, provider, model, ...options });
    return { ...done, model: model.name };
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof EmbeddingError)) throw error;
    throw new AppError("EMBEDDING_FAILED", `Embedding failed: ${error.message}`, { cause: error });
  }
}

/** The part of an open store that re-embedding needs. */
type OpenReembedding = AsyncDisposable & { readonly reembedding: ReembeddingStore };

async function openReembedding(url: string | undefined): Promise<OpenReembedding> {
  if (url === undefined) {
    throw new AppError("INVALID_ARGUMENT", "SERVICE_DATABASE_URL: there is no store");
  }
  const path = sqliteFile(url);
  if (path === undefined) {
    const reembedding = await PostgresReembedding.open(url);
    return {
      reembedding,
      [Symbol.asyncDispose]: () => reembedding[Symbol.asyncDispose](),
    };
  }
  if (existsSync(path)) return openSqliteStore(path, systemClock, silentTelemetry);
  throw new AppError("INVALID_ARGUMENT", `SERVICE_DATABASE_URL: ${path} does not exist`);
}
