import { Option, type Command } from "commander";
import type { StateImport, StateImported } from "@steward/client";
import type { CliContext } from "../context.js";
import { clientCommand, connect, type ClientOptions } from "../connection/server-connection.js";
import { BASE_HELP } from "./changed-lines.js";
import { FORMATS, formatOf, mebibytes, openDocument, readDocument } from "./document.js";
import { progressBar } from "../terminal/progress-bar.js";

interface ImportOptions extends ClientOptions {
  readonly branch: string;
  readonly format?: string;
  readonly mode: NonNullable<StateImport["mode"]>;
  readonly message?: string;
  readonly base?: string;
  readonly remove?: string;
}

/** `steward state import`: imports a document as one commit. */
export function importCommand({ env, stdin, terminal }: CliContext): Command {
  const stream = async (
    file: string,
    send: (content: ReadableStream<Uint8Array>) => Promise<StateImported>,
  ): Promise<StateImported> => {
    const bar = progressBar(terminal, "MiB");
    const content = openDocument(file, stdin, (done, total) => {
      bar.show(mebibytes(done), total === undefined ? undefined : mebibytes(total));
    });
    try {
      return await send(content);
    } finally {
      bar.end();
    }
  };
  return clientCommand("import", "Imports an RDF document as one commit.")
    .argument("<file>", "The document, or - for standard input.")
    .option("--branch <branch>", "The branch that moves.", "main")
    .option("--format <format>", `${FORMATS.join(", ")} (default: as the file's name tells).`)
    .addOption(
      new Option("--mode <mode>", "What happens to the present quads.")
        .choices(["add", "remove", "replace"])
        .default("add"),
    )
    .option("--message <text>", "Message of the commit.")
    .option(
      "--remove <file>",
      "A document of the same format whose quads the same commit removes first.",
    )
    .option("--base <id>", BASE_HELP)
    .action(async (file: string, options: ImportOptions) => {
      const { branch, mode, message, base, remove } = options;
      const { state } = connect(options, env);
      const order = {
        ...{ branch, mode, format: formatOf(options.format, file) },
        message: message ?? `Import ${file === "-" ? "a document" : file}`,
        ...(base === undefined ? {} : { expected: base }),
      };
      const imported =
        remove === undefined
          ? await stream(file, (content) => state.importStateDocument({ ...order, content }))
          : await state.importState({
              ...order,
              content: await readDocument(file, stdin),
              remove: await readDocument(remove, stdin),
            });
      if (options.json) {
        terminal.printJson(imported);
        return;
      }
      const { added, deleted, size, commit } = imported;
      terminal.print(`${commit}  +${added} -${deleted}, ${size} in all`);
    });
}
