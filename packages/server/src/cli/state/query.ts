import type { StateAnswer } from "@steward/client";
import type { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import type { Terminal } from "../terminal/terminal.js";
import { readDocument } from "./document.js";
import { showStatement, showTerm, typedTerm } from "./terms.js";

interface QueryOptions extends ClientOptions {
  readonly at: string;
  readonly pattern: readonly string[];
  readonly file?: string;
}

/** `steward state query`: evaluates SPARQL or quad patterns. */
export function queryCommand({ env, stdin, terminal }: CliContext): Command {
  return clientCommand("query", "Queries a commit by SPARQL, or by patterns.")
    .argument("[sparql]", "SELECT, ASK, CONSTRUCT or DESCRIBE.")
    .option("--file <path>", "Read the SPARQL from a file, or - for standard input.")
    .option("--pattern <terms...>", "Instead: three terms each, with variables such as ?x.", [])
    .option("--at <commit>", "Branch, tag or content id.", "main")
    .action(async (sparql: string | undefined, options: QueryOptions) => {
      const { at, file, pattern } = options;
      const text = file === undefined ? sparql : await readDocument(file, stdin);
      const query = text === undefined ? { patterns: patternsOf(pattern) } : { sparql: text };
      const answer = await connect(options, env).state.queryState({ at, ...query });
      if (options.json) terminal.printJson(answer);
      else print(answer, terminal);
    });
}

function patternsOf(terms: readonly string[]): readonly Record<string, string>[] {
  if (terms.length === 0 || terms.length % 3 !== 0) {
    throw usageError("There is no query", "give SPARQL, or --pattern with three terms each");
  }
  return Array.from({ length: terms.length / 3 }, (_, index) => {
    const [subject = "", predicate = "", object = ""] = terms.slice(3 * index).map(typedTerm);
    return { subject, predicate, object };
  });
}

function print({ head, results, boolean, quads }: StateAnswer, terminal: Terminal): void {
  if (boolean !== undefined) terminal.print(String(boolean));
  for (const quad of quads ?? [])
    terminal.print(`${showTerm(quad.subject)} ${showStatement(quad)}`);
  if (results === undefined) return;
  const names = head?.vars ?? [];
  const rows = results.bindings.map((row) =>
    names.map((name) => (row[name] === undefined ? "" : showTerm(row[name]))),
  );
  terminal.printTable(
    names.map((name) => ({ title: `?${name}` })),
    rows,
  );
  terminal.note(`${rows.length} ${rows.length === 1 ? "solution" : "solutions"}`);
}
