import type { Config } from "../../config/index.js";
import { PROVIDER_URLS } from "../../embedding/index.js";
import { isLoopbackHost } from "../../transport/authentication/headers-authenticator.js";

/** The remote host that receives texts to embed; `undefined` when texts stay on this machine. */
export function remoteProviderHost({
  provider,
  baseUrl,
}: Pick<Config["embedding"], "provider" | "baseUrl">): string | undefined {
  const urls: Readonly<Record<string, string>> = PROVIDER_URLS;
  const url = baseUrl ?? urls[provider];
  if (url === undefined) return undefined;
  const host = new URL(url).hostname;
  return isLoopbackHost(host.replace(/^\[|\]$/g, "")) ? undefined : host;
}
