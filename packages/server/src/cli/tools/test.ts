import type { Command } from "commander";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import {
  configOrExit,
  settingsCommand,
  type SettingsOptions,
} from "../settings/settings-command.js";
import { settingFlags } from "../settings/setting-options.js";

/** `steward tools test`: fails unless every test of a tool's own statement passes. */
export function testCommand({ env, terminal, exitWith }: CliContext): Command {
  const command = settingsCommand(
    "test",
    "Runs the tests of the tools with their own statement; nothing is changed.",
  );
  return command.action(async ({ json }: SettingsOptions) => {
    const config = await configOrExit({ env, flags: settingFlags(command) }, terminal);
    const { testTools } = await import("../../app/vetted-tests.js");
    const results = await testTools(config, new AbortController().signal);
    if (results.some(({ passed }) => !passed)) exitWith(EXIT.failed);
    if (json) {
      terminal.printJson(results);
      return;
    }
    if (results.length === 0) {
      terminal.note("the tools file has no tools with their own statement");
      return;
    }
    const columns = [{ title: "TOOL", whole: true }, { title: "TEST" }, { title: "RESULT" }];
    terminal.printTable(
      columns,
      results.map(({ tool, test, passed, problem }) => [
        tool,
        test === 0 ? "" : String(test),
        [...(test === 0 ? [] : [passed ? "passed" : "failed"]), problem]
          .filter((part) => part !== "")
          .join(": "),
      ]),
    );
  });
}
