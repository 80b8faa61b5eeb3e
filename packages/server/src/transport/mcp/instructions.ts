/** How to work with the tools, for the LLM: sent with `server/discover` and `initialize`. */
export const INSTRUCTIONS: string = `Steward runs SQL for you on a company's databases. It checks every statement, records it, and keeps its result.

1. Look at the data first: explore_data finds and describes tables. search_memory finds statements that worked before.
2. For one question, call query with one SQL statement. It answers at once.
3. For several statements that depend on each other, call submit_plan, then execute_step for each step. A step uses
   the output of an earlier step as {{step.<id>.output[0].<column>}}, which is bound as a value: never paste values
   into SQL yourself. When a result shows that more steps are needed, call submit_plan with append_to_plan_id, also
   after the last step; when none are needed any more, with finish_plan_id.
4. A step that fails waits for you: call execute_step again with a corrected query_template. Completed steps keep
   their results, so do not submit the plan anew.
5. Read "hints" in every answer before you go on. They name the table or column that you probably meant, and say when
   a result was cut. "next_offset" leads to the rest.
6. A statement must match its intent. Only read_select is assumed; name the intent of a write.
7. When an answer is an error, its message says what to change. Do not repeat the same call unchanged, except after
   retry_after_ms.`;
