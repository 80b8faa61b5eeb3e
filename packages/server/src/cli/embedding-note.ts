import type { Config } from "../config/index.js";
import { isLoopbackHost } from "../transport/headers-authenticator.js";
import type { Terminal } from "./terminal.js";

/** Where each provider is when no other address is set. */
const HOSTS: Readonly<Record<string, string>> = {
  openai: "api.openai.com",
  cohere: "api.cohere.com",
  gemini: "generativelanguage.googleapis.com",
};

/** Says where the texts of tool calls go, when they leave this machine to be embedded. */
export function tellOfEmbedding({ embedding, databaseUrl }: Config, terminal: Terminal): void {
  const { provider, baseUrl } = embedding;
  const host = baseUrl === undefined ? HOSTS[provider] : new URL(baseUrl).hostname;
  if (host === undefined || databaseUrl === undefined) return;
  if (isLoopbackHost(host.replace(/^\[|\]$/g, ""))) return;
  terminal.note(
    terminal.errorColors.yellow(
      `statements and results of tool calls are sent to ${host}, which makes their vectors; SERVICE_EMBEDDING_PROVIDER=local keeps them here`,
    ),
  );
}
