import type { Duplex } from "node:stream";
import pg from "pg";
import { AppError } from "../kernel/errors.js";
import { MessageCheck } from "./postgres-messages.js";

/** SQLSTATE classes 28, the role or its password, and 3D, the database (PostgreSQL manual, appendix A). */
const CONNECTION_REFUSED = /^(28|3D)/;

/**
 * What the server said when it refused the role, its password or the database.
 * @returns `undefined` for any other error.
 */
export function connectionRefusal(error: unknown): string | undefined {
  const isRefusal = error instanceof pg.DatabaseError && CONNECTION_REFUSED.test(error.code ?? "");
  return isRefusal ? error.message : undefined;
}

/** SQLSTATE of a connection that the server ends (PostgreSQL manual, appendix A). */
const CONNECTION_ENDED = /^(08...|57P0[123])$/;

/** What the driver says, and the sockets under it, when a connection has gone. */
const CONNECTION_GONE =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|(read|write) E[A-Z]+|connect E[A-Z]+)/;

/** Whether a statement failed because its connection was lost; what it was to do may have happened or not. */
export function isConnectionLost(error: unknown): boolean {
  const cause = error instanceof AppError ? error.cause : error;
  if (cause instanceof pg.DatabaseError) return CONNECTION_ENDED.test(cause.code ?? "");
  return cause instanceof Error && CONNECTION_GONE.test(cause.message);
}

/** What the driver's connection has but does not declare. */
interface DriverConnection {
  /** Has the messages of a stream read: the socket's, or that of the TLS session on it. */
  attachListeners(stream: Duplex): void;
}

/**
 * The driver's client, safe from a server that breaks the protocol. The driver reads messages in the
 * socket's `data` event, where nothing catches what it throws: on an authentication method that it does
 * not know, on a message that ends too early, on a negative length. That would end the process. Here the
 * connection ends instead, and the statement that waits for an answer fails.
 */
export class PostgresClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    containParser(this.connection);
  }
}

/** Has a connection that reads a malformed message end with the parser's error. */
export function containParser(connection: pg.Connection): void {
  // The driver's types leave `attachListeners` out, which reads both plain sockets and TLS.
  const driver = connection as unknown as DriverConnection;
  const attach = driver.attachListeners.bind(driver);
  driver.attachListeners = (stream) => {
    const before = new Set(stream.listeners("data"));
    attach(stream);
    for (const listener of stream.listeners("data")) {
      if (before.has(listener)) continue;
      // What the driver attached takes a chunk of bytes.
      const read = listener as (chunk: Buffer) => void;
      const check = new MessageCheck();
      stream.off("data", read);
      stream.on("data", (chunk: Buffer) => {
        try {
          check.push(chunk);
          read(chunk);
        } catch (error) {
          stream.destroy(error instanceof Error ? error : new Error("malformed message"));
        }
      });
    }
  };
}
