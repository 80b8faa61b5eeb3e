import { useSyncExternalStore } from "react";

/** A value of this browser, kept in `localStorage` and shared with its other tabs. */
export interface LocalValue<Value> {
  get(): Value;
  set(value: Value): void;
  use(): Value;
}

/** @param read makes a value of what was kept, which an older or newer console may have written. */
export function localValue<Value>(name: string, read: (kept: unknown) => Value): LocalValue<Value> {
  const key = `steward.${name}`;
  const listeners = new Set<() => void>();
  let value = read(keptUnder(key));
  const announce = () => {
    for (const each of listeners) each();
  };
  window.addEventListener("storage", (event) => {
    if (event.key !== key) return;
    value = read(keptUnder(key));
    announce();
  });
  const get = () => value;
  return {
    get,
    set: (next) => {
      value = next;
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // Storage is full or forbidden; the value lasts as long as the page.
      }
      announce();
    },
    use: () =>
      useSyncExternalStore((listener) => {
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      }, get),
  };
}

function keptUnder(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
