import { type Settings, Steward } from "./steward.js";

/** What scenarios share, by its key. */
const opened = new Map<string, Promise<AsyncDisposable>>();

/** Opens something with the first scenario that needs it; the others with the same key get it too. */
export function shared<T extends AsyncDisposable>(key: string, open: () => Promise<T>): Promise<T> {
  const found = opened.get(key) ?? open();
  opened.set(key, found);
  // Every caller passes the same function for a key.
  return found as Promise<T>;
}

/**
 * A server that all scenarios with these settings share. Each has an organization of its own there, and restarts
 * nothing.
 */
export function sharedSteward(settings: Settings = {}): Promise<Steward> {
  const key = JSON.stringify(Object.entries(settings).sort());
  return shared(key, () => Steward.start(settings));
}

/** Closes what was shared, after the last scenario. */
export async function closeShared(): Promise<void> {
  for (const each of opened.values()) await (await each)[Symbol.asyncDispose]();
  opened.clear();
}
