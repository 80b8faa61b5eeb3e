import type { Config } from "../config/index.js";
import { PROVIDER_URLS } from "../embedding/index.js";
import { isLoopbackHost } from "../transport/headers-authenticator.js";
import type { Terminal } from "./terminal.js";

/** Says where the texts of tool calls go, when they leave this machine to be embedded. */
export function tellOfEmbedding({ embedding, databaseUrl }: Config, terminal: Terminal): void {
  const { provider, baseUrl } = embedding;
  const urls: Readonly<Record<string, string>> = PROVIDER_URLS;
  const url = baseUrl ?? urls[provider];
  if (url === undefined || databaseUrl === undefined) return;
  const host = new URL(url).hostname;
  if (isLoopbackHost(host.replace(/^\[|\]$/g, ""))) return;
  terminal.note(
    terminal.errorColors.yellow(
      `statements and results of tool calls are sent to ${host}, which makes their vectors; SERVICE_EMBEDDING_PROVIDER=local keeps them here`,
    ),
  );
}
