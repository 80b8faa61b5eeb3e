import { Command } from "commander";
import { stringify } from "yaml";
import { ZodError } from "zod";
import { usageError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { JSON_OPTION_HELP } from "../json-option.js";
import { readTextFile } from "../text-file.js";
import { type DbtNotes, notesOfManifest } from "./dbt-notes.js";

interface DbtOptions {
  readonly dataSource: string;
  readonly json?: true;
}

/** `steward tools dbt`: prints what a dbt project says about its tables, for the tools file. */
export function dbtCommand({ terminal, stdin }: CliContext): Command {
  return new Command("dbt")
    .description("Prints the descriptions and metrics of a dbt project for the tools file.")
    .argument("<manifest>", "dbt's target/manifest.json, or - for standard input.")
    .requiredOption("--data-source <name>", "The data source that has the project's tables.")
    .option("--json", JSON_OPTION_HELP)
    .action(async (file: string, { dataSource, json }: DbtOptions) => {
      const { tables, skipped } = notesIn(await readTextFile(file, stdin, MANIFEST));
      const content = { data_sources: [{ name: dataSource, tables }] };
      if (json) terminal.printJson(content);
      else terminal.print(stringify(content).trimEnd());
      if (skipped.length === 0) return;
      terminal.note(
        `left out, because they are not one aggregate of one table: ${skipped.join(", ")}`,
      );
    });
}

const MANIFEST = "a manifest.json of dbt";

function notesIn(text: string): DbtNotes {
  try {
    return notesOfManifest(JSON.parse(text));
  } catch (error) {
    if (!(error instanceof SyntaxError) && !(error instanceof ZodError)) throw error;
    throw usageError("This is no manifest of dbt", `give ${MANIFEST}, which \`dbt parse\` writes`);
  }
}
