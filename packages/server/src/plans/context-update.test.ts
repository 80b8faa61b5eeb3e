import { describe, expect, it } from "vitest";
import { hintsOf } from "./context-update.js";

describe("the hints of a step that is over", () => {
  const failed = {
    stepId: "a",
    status: "failed",
    error: { code: "STEP_FAILED", message: "no such column: nme" },
  } as const;

  it("begin with the error, whether anybody knows how to repair it or not", () => {
    expect(hintsOf(failed, [])).toEqual(["no such column: nme"]);
    expect(hintsOf(failed, ["Columns of t: id, name"])).toEqual([
      "no such column: nme",
      "Columns of t: id, name",
    ]);
  });

  it("tell the error once where a hint begins with it", () => {
    const repaired = "no such column: nme; did you mean name?";
    expect(hintsOf(failed, ["Table t has changed", repaired])).toEqual([
      repaired,
      "Table t has changed",
    ]);
  });

  it("say that a step was cancelled", () => {
    expect(hintsOf({ stepId: "a", status: "cancelled" }, [])).toEqual(["Step a was cancelled"]);
  });

  it("stay as they are where the step completed", () => {
    expect(hintsOf({ stepId: "a", status: "completed" }, ["Table t now exists"])).toEqual([
      "Table t now exists",
    ]);
  });
});
