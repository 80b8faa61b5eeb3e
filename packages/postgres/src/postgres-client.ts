import type { Duplex } from "node:stream";
import pg from "pg";
import { LoginFailure } from "./postgres-errors.js";
import { MessageCheck } from "./postgres-messages.js";

/** Members of the driver's connection that its types do not declare. */
interface DriverConnection {
  /** Reads messages from a stream: the socket, or the TLS session on it. */
  attachListeners(stream: Duplex): void;
}

/** The driver's events for a server that asks for credentials. */
const LOGIN_REQUESTS = [
  "authenticationCleartextPassword",
  "authenticationMD5Password",
  "authenticationSASL",
];

/**
 * The driver's client, protected against servers that violate the protocol. The driver parses
 * messages in the socket's `data` event, where an exception would crash the process. It throws for
 * an unknown authentication method, a truncated message, or a negative length. This class closes
 * the connection instead, so that the running statement fails.
 *
 * A failed attempt to connect always closes its socket. The driver leaves it open when it fails to
 * log in by itself, for example because it has no password for SCRAM, and the server would keep a
 * process for it until its authentication_timeout.
 */
export class PostgresClient extends pg.Client {
  #isLoggingIn = false;

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    containParser(this.connection);
    for (const event of LOGIN_REQUESTS) {
      this.connection.on(event, () => (this.#isLoggingIn = true));
    }
  }

  /** @throws LoginFailure when the driver cannot log in with what the configuration holds. */
  override connect(): Promise<this>;
  override connect(callback: (error: Error | null) => void): void;
  override connect(callback?: (error: Error | null) => void): Promise<this> | void {
    if (callback !== undefined) {
      super.connect((error: Error | null | undefined) => {
        callback(error ? this.#closedAfter(error) : null);
      });
      return;
    }
    return new Promise((resolve, reject) => {
      this.connect((error) => {
        if (error === null) resolve(this);
        else reject(error);
      });
    });
  }

  #closedAfter(error: Error): Error {
    const { stream } = this.connection;
    // Errors of the server and of the socket have their own classes; what remains is the driver's own.
    const isDriversOwn =
      !stream.destroyed && !(error instanceof pg.DatabaseError) && !("code" in error);
    stream.destroy();
    if (!this.#isLoggingIn || !isDriversOwn) return error;
    const hasPassword = typeof this.password === "string" && this.password !== "";
    const reason = hasPassword
      ? error.message
      : "the server asks for a password, and the URL has no password";
    return new LoginFailure(reason, { cause: error });
  }
}

/** Closes a connection with the parser's error when it reads a malformed message. */
export function containParser(connection: pg.Connection): void {
  // The driver's types lack `attachListeners`, which handles both plain and TLS sockets.
  const driver = connection as unknown as DriverConnection;
  const attach = driver.attachListeners.bind(driver);
  driver.attachListeners = (stream) => {
    const before = new Set(stream.listeners("data"));
    attach(stream);
    for (const listener of stream.listeners("data")) {
      if (before.has(listener)) continue;
      // The driver's listener takes a chunk of bytes.
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
