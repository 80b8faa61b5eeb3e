import type { Command } from "commander";
import { CliError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { connect, type ClientOptions } from "../connection/server-connection.js";
import { readTextFile } from "../text-file.js";
import { answerLines } from "./answer-lines.js";
import { readCases } from "./cases.js";
import { POLICY_FILE, policyAdminCommand } from "./policy-command.js";

interface TestOptions extends ClientOptions {
  readonly policies?: string;
}

/**
 * `steward policy test`: runs the test cases of a file against the policies in force, or against a
 * draft.
 */
export function testCommand({ env, terminal, stdin }: CliContext): Command {
  return policyAdminCommand(
    "test",
    "Tests the policies in force, or a draft, against a file of cases.",
  )
    .argument("<file>", "Cases in YAML or JSON, or - for standard input.")
    .option("--policies <file>", "A draft in Cedar to test instead; it is not put into force.")
    .action(async (file: string, options: TestOptions) => {
      const cases = readCases(await readTextFile(file, stdin, "a file of cases"), file);
      const { policies: draft } = options;
      const text = draft && (await readTextFile(draft, stdin, POLICY_FILE));
      const { policies } = connect(options, env);
      const { failed, results } = await policies.testPolicies({
        ...{ cases },
        ...(text === undefined ? {} : { text }),
      });
      for (const { name, expect, passed, answer } of results) {
        if (options.json) terminal.printJson({ name, expect, passed, answer });
        else if (passed) terminal.print(`ok    ${name}`);
        else [`FAIL  ${name}: expected ${expect}`, ...answerLines(answer)].forEach(terminal.print);
      }
      if (failed === 0) return;
      throw new CliError(`${String(failed)} of ${String(cases.length)} cases failed`, {
        ...{ exitCode: EXIT.failed, code: "FAILED" },
        fix: "change the policies, or what the cases expect",
      });
    });
}
