import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { progressBar } from "../terminal/progress-bar.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import { FORMATS, formatOf, mebibytes } from "./document.js";
import { typedTerm } from "./terms.js";

interface ExportOptions extends ClientOptions {
  readonly format?: string;
  readonly graph?: string;
  readonly output?: string;
}

/** `steward state export`: serializes a commit's dataset. */
export function exportCommand({ env, terminal }: CliContext): Command {
  return clientCommand("export", "Writes a commit's dataset as RDF.")
    .argument("[commit]", "Branch, tag or content id.", "main")
    .option(
      "--format <format>",
      `${FORMATS.join(", ")} (default: n-quads, or by the extension of the file).`,
    )
    .option("--graph <iri>", "Only this graph, without its name.")
    .option("--output <file>", "Write to a file.")
    .action(async (at: string, options: ExportOptions) => {
      const { output, graph } = options;
      const isPlain = options.format === undefined && output === undefined;
      const format = isPlain ? "n-quads" : formatOf(options.format, output ?? "");
      const text = await connect(options, env).state.exportState({
        ...{ at, format },
        ...(graph === undefined ? {} : { graph: typedTerm(graph) }),
      });
      const bar = progressBar(terminal, "MiB");
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        let done = 0;
        for await (const chunk of text) {
          yield chunk;
          done += chunk.length;
          // No progress is shown when the dataset itself is written to the terminal.
          if (output !== undefined) bar.show(mebibytes(done));
        }
        bar.end();
      };
      if (output !== undefined) await pipeline(counted, createWriteStream(output));
      else for await (const chunk of counted()) await terminal.write(chunk);
    });
}
