import { Option, type Command } from "commander";
import type { StateImport } from "@steward/client";
import type { CliContext } from "../context.js";
import { clientCommand, connect, type ClientOptions } from "../server-connection.js";
import { BASE_HELP } from "./changed-lines.js";
import { FORMATS, formatOf, readDocument } from "./document.js";

interface ImportOptions extends ClientOptions {
  readonly branch: string;
  readonly format?: string;
  readonly mode: NonNullable<StateImport["mode"]>;
  readonly message?: string;
  readonly base?: string;
}

/** `steward state import`: takes a document in, as one commit. */
export function importCommand({ env, stdin, terminal }: CliContext): Command {
  return clientCommand("import", "Takes a document of RDF in, as one commit.")
    .argument("<file>", "The document, or - for standard input.")
    .option("--branch <branch>", "The branch that moves.", "main")
    .option("--format <format>", `${FORMATS.join(", ")} (default: as the file's name tells).`)
    .addOption(
      new Option("--mode <mode>", "What becomes of what is there.")
        .choices(["add", "remove", "replace"])
        .default("add"),
    )
    .option("--message <text>", "Message of the commit.")
    .option("--base <id>", BASE_HELP)
    .action(async (file: string, options: ImportOptions) => {
      const { branch, mode, message, base } = options;
      const imported = await connect(options, env).state.import({
        ...{ branch, mode, format: formatOf(options.format, file) },
        content: await readDocument(file, stdin),
        message: message ?? `Import ${file === "-" ? "a document" : file}`,
        ...(base === undefined ? {} : { expected: base }),
      });
      if (options.json) {
        terminal.printJson(imported);
        return;
      }
      const { added, deleted, size, commit } = imported;
      terminal.print(`${commit}  +${added} -${deleted}, ${size} in all`);
    });
}
