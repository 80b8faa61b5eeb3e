import type { StateProof } from "@steward/client";
import { Command } from "commander";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { JSON_OPTION_HELP } from "../json-option.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import { DEFAULT_GRAPH, quad, type Quad, verifyQuad } from "@steward/state";
import { readDocument } from "./document.js";
import { showStatement, showTerm, termOf, typedTerm } from "./terms.js";

interface ProofOptions extends ClientOptions {
  readonly at: string;
  readonly graph?: string;
}

/** `steward state proof`: proves that a commit contains a quad, or that it does not. */
export function proofCommand({ env, terminal }: CliContext): Command {
  return clientCommand("proof", "Prints a proof, as JSON, that a commit contains or lacks a quad.")
    .argument("<subject>", "<iri> or _:label; an IRI may do without brackets.")
    .argument("<predicate>", "<iri>.")
    .argument("<object>", '<iri>, _:label, "text", "text"@en or "1"^^<iri>.')
    .option("--graph <iri>", "Graph that the quad is in.")
    .option("--at <commit>", "Branch, tag or content id.", "main")
    .action(async (subject: string, predicate: string, object: string, options: ProofOptions) => {
      const { at, graph } = options;
      const proof = await connect(options, env).state.proveState({
        ...{ at, subject: typedTerm(subject), predicate: typedTerm(predicate) },
        object: typedTerm(object),
        ...(graph === undefined ? {} : { graph: typedTerm(graph) }),
      });
      terminal.printJson(proof);
    });
}

interface VerifyOptions {
  readonly commit: string;
  readonly json?: true;
}

/** `steward state verify`: verifies a proof against a trusted commit id, without a server. */
export function verifyCommand({ stdin, terminal, exitWith }: CliContext): Command {
  return new Command("verify")
    .description(
      "Checks a proof against the id of a commit that you trust, without asking a server.",
    )
    .argument("<file>", "File with the output of `steward state proof`, or - for standard input.")
    .requiredOption("--commit <id>", "Content id of the commit, from where you trust it.")
    .option("--json", JSON_OPTION_HELP)
    .action(async (file: string, { commit, json }: VerifyOptions) => {
      const proof = parseProof(await readDocument(file, stdin), file);
      const { commit_block: commitBlock, nodes } = proof;
      const present = verifyQuad(commit, quadOf(proof), { commitBlock, nodes });
      const verdict = present === undefined ? "unproven" : present ? "present" : "absent";
      if (present === undefined) exitWith(EXIT.failed);
      if (json) terminal.printJson({ commit, quad: proof.quad, verdict });
      else
        terminal.print(`${verdict}: ${showTerm(proof.quad.subject)} ${showStatement(proof.quad)}`);
    });
}

function parseProof(text: string, file: string): StateProof {
  try {
    const proof = JSON.parse(text) as Partial<StateProof>;
    const isProof =
      typeof proof.commit_block === "string" &&
      Array.isArray(proof.nodes) &&
      proof.nodes.every((node) => typeof node === "string") &&
      typeof proof.quad === "object";
    // The members' content is verified afterwards.
    if (isProof) return proof as StateProof;
  } catch {
    // Reported below like any other text that is no proof.
  }
  throw usageError(`${file} does not hold a proof`, "give the output of `steward state proof`");
}

function quadOf({ quad: stated }: StateProof): Quad {
  const { subject, predicate, object, graph } = stated;
  // A misplaced term is refused when the key is encoded.
  return quad(
    termOf(subject) as never,
    termOf(predicate) as never,
    termOf(object),
    graph === undefined ? DEFAULT_GRAPH : (termOf(graph) as never),
  );
}
