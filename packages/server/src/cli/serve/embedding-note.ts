import { remoteProviderHost } from "../../app/rooms/embedding.js";
import type { Config } from "../../config/index.js";
import type { Terminal } from "../terminal/terminal.js";

/**
 * Warns that texts of tool calls leave this machine to be embedded, and names their destination.
 */
export function tellOfEmbedding({ embedding, databaseUrl }: Config, terminal: Terminal): void {
  const host = remoteProviderHost(embedding);
  if (host === undefined || databaseUrl === undefined) return;
  terminal.note(
    terminal.errorColors.yellow(
      `statements and results of tool calls are sent to ${host}, which makes their vectors; SERVICE_EMBEDDING_PROVIDER=local keeps them here`,
    ),
  );
}
