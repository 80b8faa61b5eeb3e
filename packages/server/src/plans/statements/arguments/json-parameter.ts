import type { Bind } from "../compiled-statement.js";
import { nullInLiteral } from "../parameter.js";
import type { Cell, Selected } from "../select-output.js";

/** The value of a parameter in the arguments of a tool, as JSON text. */
export function jsonParameter(selected: Selected, bind: Bind): string {
  switch (selected.kind) {
    case "rows":
      return asForm(selected.json.text, bind);
    case "list":
      return asForm(`[${selected.cells.map(({ json }) => json.text).join(",")}]`, bind);
    case "cell":
      return bind.form === "text" ? textJson(selected.cell, bind) : selected.cell.json.text;
  }
}

/** Inside a string, rows and lists are their JSON text. */
function asForm(json: string, { form }: Bind): string {
  return form === "text" ? JSON.stringify(json) : json;
}

function textJson({ json }: Cell, bind: Bind): string {
  if (json.kind === "null") throw nullInLiteral(bind);
  return JSON.stringify(json.plainText);
}
