import type { Command } from "commander";
import { CliError } from "../cli-error.js";
import type { CliContext } from "../context.js";
import { EXIT } from "../exit-code.js";
import { connect, type ClientOptions } from "../server-connection.js";
import { readTextFile } from "../text-file.js";
import { answerLines, verdictOf } from "./answer-lines.js";
import { readCases } from "./cases.js";
import { policyAdminCommand } from "./policy-command.js";

/** `steward policy test`: asks the policies in force the questions of a file. */
export function testCommand({ env, terminal, stdin }: CliContext): Command {
  return policyAdminCommand("test", "Tries a file of cases on the policies in force.")
    .argument("<file>", "Cases in YAML or JSON, or - for standard input.")
    .action(async (file: string, options: ClientOptions) => {
      const cases = readCases(await readTextFile(file, stdin, "a file of cases"), file);
      const { policies } = connect(options, env);
      let failed = 0;
      for (const { name, question, expect } of cases) {
        const answer = await policies.explain(question);
        const isRight = verdictOf(answer) === expect;
        if (!isRight) failed += 1;
        if (options.json) terminal.printJson({ name, expect, passed: isRight, answer });
        else if (isRight) terminal.print(`ok    ${name}`);
        else [`FAIL  ${name}: expected ${expect}`, ...answerLines(answer)].forEach(terminal.print);
      }
      if (failed === 0) return;
      throw new CliError(`${String(failed)} of ${String(cases.length)} cases failed`, {
        ...{ exitCode: EXIT.failed, code: "FAILED" },
        fix: "change the policies, or what the cases expect",
      });
    });
}
