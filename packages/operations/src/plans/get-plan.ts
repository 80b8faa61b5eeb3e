import { operation } from "../operation.js";
import { onePlan, plan } from "./plan.js";

export const getPlan = operation({
  name: "getPlan",
  action: "plans:read",
  summary: "Read a plan and its steps",
  description: "The plan and all its steps as last committed to the store.",
  tag: "Plans",
  input: onePlan,
  output: plan,
  errors: [404],
  rest: {
    method: "GET",
    path: "/api/plans/{plan_id}",
    impossibleIds: "unknown",
    answered: "The plan as committed",
  },
  grpc: { method: "ControlPlaneService/GetPlanStatus" },
});
