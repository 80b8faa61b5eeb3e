import type { ShownSetting, StoreStatus, StoreStatusReader } from "./ports.js";

/** What a {@link SystemService} is made of. */
export interface SystemServiceParts {
  /** The version of the server's program. */
  readonly server: string;
  /** The version of Node.js. */
  readonly node: string;
  /** Absent when no database is configured. */
  readonly store: StoreStatusReader | undefined;
  /** The names of the configured receivers of the audit log. */
  readonly sinks: readonly string[];
  /** Absent when a program has started the server with options of its own. */
  readonly settings: readonly ShownSetting[] | undefined;
}

/** Records of the audit log that a receiver does not have yet. */
export interface ExportLag {
  readonly sink: string;
  readonly waiting: number;
}

/** The server as its operator sees it. */
export interface SystemStatus {
  readonly server: string;
  readonly node: string;
  /** Absent when no database is configured. */
  readonly store?: StoreStatus;
  readonly exports: readonly ExportLag[];
  /** Absent when a program has started the server with options of its own. */
  readonly settings?: readonly ShownSetting[];
}

/** Tells operators what runs, on what, and what waits. It concerns all organizations. */
export class SystemService {
  readonly #parts: SystemServiceParts;

  constructor(parts: SystemServiceParts) {
    this.#parts = parts;
  }

  /** @throws AppError `STORE_UNAVAILABLE`. */
  async status(): Promise<SystemStatus> {
    const { server, node, store: reader, sinks, settings } = this.#parts;
    const store = await reader?.read();
    return {
      ...{ server, node },
      ...(store === undefined ? {} : { store }),
      exports: store === undefined ? [] : sinks.map((sink) => lagOf(sink, store)),
      ...(settings === undefined ? {} : { settings }),
    };
  }
}

function lagOf(sink: string, { audit }: StoreStatus): ExportLag {
  // The position may have moved after the number of records was read.
  return { sink, waiting: Math.max(0, audit.records - (audit.positions.get(sink) ?? 0)) };
}
