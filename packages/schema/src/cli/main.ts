import { shownText } from "@steward/kernel/shown-text.js";
import { runSchemaCommand } from "./schema-command.js";

// The exit code is set without forcing the exit, so that pending output is flushed.
process.exitCode = await runSchemaCommand(process.argv.slice(2), {
  print: (text) => void process.stdout.write(shownText(text)),
  note: (text) => void process.stderr.write(shownText(text)),
});
