import { useSyncExternalStore } from "react";

/** Whether the last request reached the server. */
let reached = true;
const listeners = new Set<() => void>();

export function noteReached(now: boolean): void {
  if (now === reached) return;
  reached = now;
  for (const listener of listeners) listener();
}

export function isReached(): boolean {
  return reached;
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

/** Whether the server can be reached; the component is drawn again when that changes. */
export function useConnection(): boolean {
  return useSyncExternalStore(onConnectionChange, isReached);
}

/** Resolves when the server can be reached. */
export function whenReached(): Promise<void> {
  if (reached) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = onConnectionChange(() => {
      stop();
      resolve();
    });
  });
}
