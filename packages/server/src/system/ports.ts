/** A process that works on the store. */
export interface NodeStatus {
  readonly nodeId: string;
  /** The version of its program; absent: a node from before versions were stored. */
  readonly version?: string;
  /** Whether it is the process that answers. */
  readonly isSelf: boolean;
  /** Its last heartbeat, in ms since the epoch by the store's clock. */
  readonly seenAtMs: number;
  /** Until when it may work on its plans and steps without another heartbeat. */
  readonly leaseUntilMs: number;
  /** Steps that it runs now; at most `QUEUE_COUNT_MAX` are counted over all nodes. */
  readonly stepsRunning: number;
}

/** Work of all organizations that is under way; each number is at most `QUEUE_COUNT_MAX`. */
export interface QueueStatus {
  /** Plans that have not ended. */
  readonly plansUnfinished: number;
  readonly stepsRunning: number;
  /** Tool calls without their usage row. */
  readonly usageCalls: number;
  /** Tool calls that the memory has not read. */
  readonly memoryCalls: number;
  /** Webhooks before their next attempt. */
  readonly webhooksWaiting: number;
  /** Webhooks that failed for good. */
  readonly webhooksDead: number;
}

/** The audit log, and how far it was exported. */
export interface AuditLogStatus {
  /** Records in the log. */
  readonly records: number;
  /** The index of the next record to send, by the name of the sink. */
  readonly positions: ReadonlyMap<string, number>;
}

/** The store as its operator sees it. */
export interface StoreStatus {
  /** Engine and version, such as `PostgreSQL 17.2`. */
  readonly database: string;
  /** The newest migration of the schema. */
  readonly schema: string;
  /** The present time by the store's clock, in ms since the epoch. */
  readonly nowMs: number;
  readonly nodes: readonly NodeStatus[];
  readonly queues: QueueStatus;
  readonly audit: AuditLogStatus;
}

/** Reads the state of the store, of all organizations. */
export interface StoreStatusReader {
  /** Reads a bounded number of rows. @throws AppError `STORE_UNAVAILABLE`. */
  read(): Promise<StoreStatus>;
}

/** A setting of the server as it may be shown: no part of its value is a secret. */
export interface ShownSetting {
  /** Name of the environment variable. */
  readonly name: string;
  /** Name of the flag, without dashes. */
  readonly flag?: string;
  /** The value as text, secrets masked; absent: unset. */
  readonly value?: string;
  readonly source: "flag" | "environment" | "file" | "default" | "unset";
  /** A sentence about the setting. */
  readonly help: string;
}
