import { type ComponentType, lazy, type LazyExoticComponent } from "react";
import { isServerThere } from "./client.js";
import { whenReached } from "./connection.js";

/**
 * Loads a script of the console. While the server is away it waits for it, and the page that is shown stays.
 * @throws the browser's error when the server is there and lacks the script: it runs another version by now.
 */
export async function loadScript<Script>(load: () => Promise<Script>): Promise<Script> {
  // A browser that could not load a script fails each later try of the same page at once.
  await serverIsThere();
  try {
    return await load();
  } catch (error) {
    if (await isServerThere()) throw error;
    await serverIsThere();
    window.location.reload();
    return new Promise(() => undefined);
  }
}

async function serverIsThere(): Promise<void> {
  while (!(await isServerThere())) await whenReached();
}

/** A part of a page whose script is loaded when it is first shown. */
export function lazyPart<Props extends object>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(() => loadScript(load));
}
