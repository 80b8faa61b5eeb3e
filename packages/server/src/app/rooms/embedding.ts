import type { Config } from "../../config/index.js";
import { PROVIDER_URLS } from "../../embedding/index.js";
import { isLoopback } from "../../kernel/loopback.js";

/** The remote host that receives texts to embed; `undefined` when texts stay on this machine. */
export function remoteProviderHost({
  provider,
  baseUrl,
}: Pick<Config["embedding"], "provider" | "baseUrl">): string | undefined {
  const urls: Readonly<Record<string, string>> = PROVIDER_URLS;
  const url = baseUrl ?? urls[provider];
  if (url === undefined) return undefined;
  const host = new URL(url).hostname;
  return isLoopback(host) ? undefined : host;
}
