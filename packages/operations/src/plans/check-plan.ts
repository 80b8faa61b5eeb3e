import { operation } from "../operation.js";
import { planCheck } from "./plan-check.js";
import { submitPlanRequest } from "./submitted-plan.js";

export const checkPlan = operation({
  name: "checkPlan",
  action: "plans:submit",
  audit: "nothing",
  summary: "Tell what a plan would do",
  description:
    "What each step touches, what the policies decide about it, and what it costs. Nothing is stored.",
  tag: "Plans",
  input: submitPlanRequest,
  output: planCheck,
  retry: true,
});
