/**
 * The protocol between a client and its keeper: lines of JSON over the keeper's standard input and
 * output, one answer per request. The end of the input means that the server is no longer needed.
 */
export type KeeperRequest =
  /** Starts the server; the first start creates an empty cluster. */
  | { readonly do: "start"; readonly settings: Readonly<Record<string, string>> }
  | { readonly do: "stop"; readonly mode: StopMode };

/**
 * How to stop a server. `fast`: transactions are rolled back and clients notified. `immediate`:
 * like a power failure; the next start recovers.
 */
export type StopMode = "fast" | "immediate";

export type KeeperAnswer =
  | { readonly is: "started"; readonly port: number; readonly password: string }
  | { readonly is: "stopped" }
  | { readonly is: "failed"; readonly message: string };
