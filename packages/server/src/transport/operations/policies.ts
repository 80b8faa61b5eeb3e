import { type InputOf, policies, type PolicyAnswer } from "@steward/operations";
import { isoTime } from "@steward/kernel/clock.js";
import type { Explained, Question } from "../../policies/index.js";
import { present } from "../../kernel/present.js";
import type { Services } from "../services.js";
import { implement, type Implemented } from "./implement.js";

/** What the operations on policies do. */
export function policyOperations({
  policies: service,
}: Pick<Services, "policies">): readonly Implemented[] {
  return [
    implement(policies.getPolicies, async ({ context }) => {
      const { own, shipped } = await service.show(context);
      return {
        version: own?.version ?? 0,
        text: own?.text ?? "",
        ...(own && { changed_by: own.changedBy, changed_at: isoTime(own.changedAtMs) }),
        shipped,
      };
    }),
    implement(policies.putPolicies, async ({ input: { text, version }, context }) => ({
      version: (await service.put(context, text, version)).version,
    })),
    implement(policies.checkPolicies, async ({ input }) => ({
      problems: await service.check(input.text),
    })),
    implement(policies.explainPolicies, async ({ input, context }) =>
      answerMessage(await service.explain(context, questionOf(input))),
    ),
    implement(policies.testPolicies, async ({ input: { cases, text }, context }) => {
      const asked = cases.map((each) => ({ question: questionOf(each), expect: each.expect }));
      const tried = await service.test(context, asked, text);
      const results = cases.flatMap(({ name, expect }, index) => {
        const result = tried[index];
        if (result === undefined) return [];
        return [{ name, expect, passed: result.passed, answer: answerMessage(result.answer) }];
      });
      return { failed: tried.filter(({ passed }) => !passed).length, results };
    }),
  ];
}

function answerMessage(answer: Explained): PolicyAnswer {
  const { permitted, refusal, rowsChangedMax } = answer;
  return {
    permitted,
    ...(refusal && { code: refusal.code, message: refusal.message }),
    because: [
      ...answer.policies.map(({ id, reason = "permits it" }) => ({ name: `policy ${id}`, reason })),
      ...(refusal?.details ?? []).map(({ field, reason }) => ({ name: field, reason })),
    ],
    ...present({ rows_changed_max: rowsChangedMax }),
  };
}

function questionOf(input: InputOf<typeof policies.explainPolicies>): Question {
  const { action, roles = [], permissions = [], tables = [], columns = [] } = input;
  return {
    ...{ action, roles, permissions, tables, columns },
    ...present({ user: input.user_id, agent: input.agent_id, dataSource: input.data_source }),
  };
}
