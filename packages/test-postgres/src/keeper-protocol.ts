/**
 * Between whoever wants a server and its keeper: lines of JSON over the keeper's standard input and
 * output, one answer per request. The end of the input means that nobody wants the server any more.
 */
export type KeeperRequest =
  /** Starts the server, the first time on an empty cluster. */
  | { readonly do: "start"; readonly settings: Readonly<Record<string, string>> }
  | { readonly do: "stop"; readonly mode: StopMode };

/**
 * How a server ends. `fast`: transactions are rolled back, clients told. `immediate`: as if the
 * power had gone; the next start recovers.
 */
export type StopMode = "fast" | "immediate";

export type KeeperAnswer =
  | { readonly is: "started"; readonly port: number; readonly password: string }
  | { readonly is: "stopped" }
  | { readonly is: "failed"; readonly message: string };
