import type { InputOf, memory } from "@steward/operations";
import { Option } from "commander";
import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { hitOf } from "./hit.js";
import { clientCommand, connect } from "../connection/server-connection.js";
import type { ClientOptions } from "../connection/server-connection.js";

interface SearchOptions extends ClientOptions {
  readonly top?: string;
  readonly mode?: "vector" | "hybrid";
  readonly tool?: string;
  readonly minScore?: string;
}

/**
 * `steward memory search`: finds the entries most similar to a text; with --org only that
 * organization's.
 */
export function searchCommand({ env, terminal }: CliContext): Command {
  const mode = new Option("--mode <mode>", "hybrid ranks by words too.");
  return clientCommand(
    "search",
    "Finds the entries most similar to a text; --org and --session narrow the search.",
  )
    .argument("<query>", "What to look for.")
    .option("--top <n>", "Results at most, 1 to 100.")
    .addOption(mode.choices(["vector", "hybrid"]))
    .option("--tool <name>", "Only entries that record calls of this tool.")
    .option("--min-score <score>", "Only results of at least this score, -1 to 1.")
    .action(async (query: string, options: SearchOptions) => {
      const results = await connect(options, env).memory.searchMemory(requestOf(query, options));
      if (options.json) {
        terminal.printJson(results);
        return;
      }
      const columns = [
        { title: "SCORE", align: "right" as const },
        { title: "ENTRY", whole: true },
        { title: "CREATED" },
        { title: "HIT" },
      ];
      const rows = results.map((result) => [
        result.score.toFixed(4),
        result.entry_id,
        result.created_at,
        hitOf(result.content, query),
      ]);
      if (rows.length === 0) terminal.note("no entries");
      else terminal.printTable(columns, rows);
    });
}

function requestOf(query: string, options: SearchOptions): InputOf<typeof memory.searchMemory> {
  const { top, mode, tool, minScore, org, session } = options;
  const filter = {
    ...(session === undefined ? {} : { session_id: session }),
    ...(tool === undefined ? {} : { tool_name: tool }),
  };
  return {
    query,
    ...(org === undefined ? {} : { org_id: org }),
    ...(top === undefined ? {} : { top_k: numberOf("--top", top) }),
    ...(minScore === undefined ? {} : { min_score: numberOf("--min-score", minScore) }),
    ...(mode === undefined ? {} : { mode }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
  };
}

function numberOf(flag: string, text: string): number {
  const value = text.trim() === "" ? NaN : Number(text);
  if (Number.isFinite(value)) return value;
  throw usageError(`${flag} ${text} is not a number`, `give ${flag} a number`);
}
