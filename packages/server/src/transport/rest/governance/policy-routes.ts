import {
  dataOf,
  newPoliciesSchema,
  policiesSchema,
  policyAnswerSchema,
  policyCheckSchema,
  policyQuestionSchema,
  policyTestResultSchema,
  policyTestSchema,
  policyTextSchema,
  putPoliciesSchema,
  type PolicyAnswer,
  type PolicyQuestion,
} from "@steward/protocol/rest";
import { isoTime } from "@steward/kernel/clock.js";
import type { Explained, PolicyService, Question } from "../../../policies/index.js";
import { errors, json } from "../described-replies.js";
import type { RestApp } from "../rest-app.js";
import { present } from "../../present.js";

const tags = ["Policies"];
const PATH = "/api/policies";

/** The policies of the caller's organization (Decision §16). */
export function addPolicyRoutes(app: RestApp, policies: PolicyService): void {
  addShow(app, policies);
  addPut(app, policies);
  addCheck(app, policies);
  addExplain(app, policies);
  addTest(app, policies);
}

function addShow(app: RestApp, policies: PolicyService): void {
  const schema = {
    operationId: "getPolicies",
    summary: "Show the policies in force",
    description:
      "Your organization's own policies, and the shipped policies, which every organization has.",
    tags,
    response: { 200: json("The policies", dataOf(policiesSchema)), ...errors(403) },
  };
  app.get(PATH, { schema }, async ({ context }) => {
    const { own, shipped } = await policies.show(context);
    return {
      data: {
        version: own?.version ?? 0,
        text: own?.text ?? "",
        ...(own && { changed_by: own.changedBy, changed_at: isoTime(own.changedAtMs) }),
        shipped,
      },
    };
  });
}

function addPut(app: RestApp, policies: PolicyService): void {
  const schema = {
    operationId: "putPolicies",
    summary: "Put your organization's own policies into force",
    description:
      "These policies can only forbid. They are checked first; within a second every server applies them. " +
      "The version names the policies that you read and changed: when another change came first, nothing " +
      "changes and the answer is 409.",
    tags,
    body: newPoliciesSchema,
    response: { 200: json("They are in force", dataOf(putPoliciesSchema)), ...errors(403, 409) },
  };
  app.put(PATH, { schema }, async ({ body, context }) => {
    const { version } = await policies.put(context, body.text, body.version);
    return { data: { version } };
  });
}

function addCheck(app: RestApp, policies: PolicyService): void {
  const schema = {
    operationId: "checkPolicies",
    summary: "Check policies without putting them into force",
    description: "Lists every mistake with its line and column. Nothing is stored.",
    tags,
    body: policyTextSchema,
    response: { 200: json("What was found", dataOf(policyCheckSchema)), ...errors(403) },
  };
  app.post(`${PATH}/check`, { schema }, async ({ body }) => ({
    data: { problems: await policies.check(body.text) },
  }));
}

function addExplain(app: RestApp, policies: PolicyService): void {
  const schema = {
    operationId: "explainPolicies",
    summary: "Explain whether a request would be allowed",
    description: "Decides by the policies in force for your organization. Nothing is executed.",
    tags,
    body: policyQuestionSchema,
    response: {
      200: json("The decision, with its reasons", dataOf(policyAnswerSchema)),
      ...errors(403),
    },
  };
  app.post(`${PATH}/explain`, { schema }, async ({ body, context }) => {
    return { data: answerMessage(await policies.explain(context, questionOf(body))) };
  });
}

function addTest(app: RestApp, policies: PolicyService): void {
  const schema = {
    operationId: "testPolicies",
    summary: "Test policies, or a draft of them, against cases",
    description:
      "Each case is a question with its expected answer. With a text of policies, the cases are decided by " +
      "that draft and the shipped policies, as if the draft were in force. Nothing is stored.",
    tags,
    body: policyTestSchema,
    response: {
      200: json("The result of each case", dataOf(policyTestResultSchema)),
      ...errors(403),
    },
  };
  app.post(`${PATH}/test`, { schema }, async ({ body: { cases, text }, context }) => {
    const asked = cases.map((each) => ({ question: questionOf(each), expect: each.expect }));
    const tried = await policies.test(context, asked, text);
    const results = cases.flatMap(({ name, expect }, index) => {
      const result = tried[index];
      if (result === undefined) return [];
      return [{ name, expect, passed: result.passed, answer: answerMessage(result.answer) }];
    });
    return { data: { failed: tried.filter(({ passed }) => !passed).length, results } };
  });
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

function questionOf(body: PolicyQuestion): Question {
  const { action, roles = [], permissions = [], tables = [], columns = [] } = body;
  return {
    ...{ action, roles, permissions, tables, columns },
    ...present({ user: body.user_id, agent: body.agent_id, dataSource: body.data_source }),
  };
}
