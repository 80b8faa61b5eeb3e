import type { JsonValue } from "@steward/kernel/canonical-json.js";
import { AppError } from "@steward/kernel/errors.js";
import {
  type Dialect,
  isListType,
  isOfType,
  type ToolParameter,
  type VettedStatement,
} from "../../../governance/index.js";
import { nearMiss } from "../../../kernel/near-miss.js";
import { type Bind, type CompiledStatement, GIVEN, type OutputRef } from "../compiled-statement.js";
import { readJsonTemplate } from "./json-template.js";
import { findPlaceholder, placeholderText } from "../placeholder.js";
import { POSTGRES } from "../postgres-types.js";
import type { OutputMetadata } from "../step-output.js";
import { compileTemplate } from "../template.js";

/** Compiles the arguments of a call. @throws AppError `INVALID_PLAN`, `BAD_PLACEHOLDER`. */
export type CompileArguments = (template: string) => CompiledStatement;

const PARAMETER = /\{\{\s*([A-Za-z_]\w*)\s*\}\}/g;

/**
 * Compiles a vetted statement once. Its parameters stand where placeholders may stand, and are bound
 * in the same way, so that its text is the same for every call.
 * @returns what compiles the arguments of a call: a JSON object in which a placeholder may stand in
 *   place of a value.
 * @throws AppError `INVALID_PLAN` or `BAD_PLACEHOLDER` for a statement that cannot be compiled.
 */
export function vettedStatement(
  { statement, parameters }: Pick<VettedStatement, "statement" | "parameters">,
  dialect: Dialect,
): CompileArguments {
  const compiled = compileOnce(statement, parameters, dialect);
  return (template) => {
    const given = readJsonTemplate(template, (bind) => new StepValue(bind));
    const values = new Map(Object.entries(given));
    for (const name of values.keys()) requireKnown(name, parameters);
    const row = new Map<string, JsonValue>();
    const refs = new Map<string, OutputRef>();
    for (const parameter of parameters) {
      const { name, type } = parameter;
      const value = values.get(name) ?? parameter.default;
      if (value instanceof StepValue) refs.set(name, checkedRef(value.bind, parameter));
      else {
        const isDefault = value === parameter.default;
        if (value === undefined) throw invalid(`needs ${JSON.stringify(name)}, ${spoken(type)}`);
        if (!isDefault && !isOfType(value, type)) {
          throw invalid(`has ${JSON.stringify(name)}, which must be ${spoken(type)}`);
        }
        // A value of the type of its parameter is JSON.
        row.set(name, value as JsonValue);
        const each = isListType(type) && value !== null ? [{ kind: "each" } as const] : [];
        const path = [{ kind: "index", index: 0 }, { kind: "member", name }, ...each] as const;
        refs.set(name, { stepId: GIVEN, path });
      }
    }
    const binds = compiled.binds.map((bind): Bind => {
      const ref = refs.get(bind.stepId);
      return ref === undefined ? bind : { ...ref, form: bind.form };
    });
    const json = JSON.stringify([Object.fromEntries(row)]);
    return { sql: compiled.sql, binds, given: { json, metadata: typesOf(parameters, dialect) } };
  };
}

/** The template that gives exactly these arguments, whatever their texts contain. */
export function argumentsTemplate(given: object): string {
  return JSON.stringify(given).replaceAll("{{", "{\\u007b");
}

/** A placeholder in place of an argument. */
class StepValue {
  readonly bind: Bind;

  constructor(bind: Bind) {
    this.bind = bind;
  }

  /** Called where the placeholder is a part of a text. */
  toString(): never {
    throw invalid(`has ${placeholderText(this.bind)} inside a text: give it as the whole value`);
  }
}

/** Compiles the statement as if a step with the name of each parameter had its value. */
function compileOnce(
  statement: string,
  parameters: readonly ToolParameter[],
  dialect: Dialect,
): CompiledStatement {
  const start = findPlaceholder(statement);
  if (start !== undefined) {
    throw new AppError(
      "BAD_PLACEHOLDER",
      "names an output of a step: make it a parameter, for which a step gives the placeholder",
    );
  }
  const used = new Set<string>();
  const template = statement.replaceAll(PARAMETER, (_markup, name: string) => {
    const parameter = requireKnown(name, parameters);
    used.add(name);
    return `{{step.${name}.output[${isListType(parameter.type) ? "*" : "0"}].value}}`;
  });
  const unused = parameters.find(({ name }) => !used.has(name));
  if (unused !== undefined) {
    throw new AppError("INVALID_PLAN", `has no {{${unused.name}}}, which is a parameter`);
  }
  try {
    return compileTemplate(template, dialect);
  } catch (error) {
    const { code, message } = AppError.from(error);
    const own = message.replaceAll(/\{\{step\.(\w+)\.output\[[*0]\]\.value\}\}/g, "{{$1}}");
    throw new AppError(code, own, { cause: error });
  }
}

function requireKnown(name: string, parameters: readonly ToolParameter[]): ToolParameter {
  const found = parameters.find((parameter) => parameter.name === name);
  if (found !== undefined) return found;
  const names = parameters.map((parameter) => parameter.name);
  const meant = nearMiss(name, names);
  const known = names.length === 0 ? "it has none" : `they are ${names.join(", ")}`;
  throw invalid(
    `has ${JSON.stringify(name.slice(0, NAME_SHOWN_MAX))}, which is no parameter: ${meant === undefined ? known : `did you mean ${meant}?`}`,
  );
}

/** Characters of an unknown name that a message repeats. */
const NAME_SHOWN_MAX = 64;

function checkedRef(bind: Bind, { name, type }: ToolParameter): OutputRef {
  const { stepId, path, mayBeCut } = bind;
  const hasEach = path.some(({ kind }) => kind === "each");
  if (path.length < 2 || hasEach !== isListType(type)) {
    const form = isListType(type) ? "[*].column" : "[0].column";
    throw new AppError(
      "BAD_PLACEHOLDER",
      `${placeholderText(bind)} is not ${spoken(type)}, as ${JSON.stringify(name)} must be: write {{step.${stepId}.output${form}}}`,
    );
  }
  return { stepId, path, ...(mayBeCut === undefined ? {} : { mayBeCut }) };
}

/** JSON does not tell 4.0 from 4, which divides as an integer. The other types are told by their values. */
function typesOf(parameters: readonly ToolParameter[], dialect: Dialect): OutputMetadata {
  const type = dialect === "sqlite" ? POSTGRES.float8 : POSTGRES.numeric;
  const numbers = parameters.filter((parameter) => parameter.type === "number");
  return { types: numbers.map(({ name }) => ({ name, type })) };
}

function spoken(type: ToolParameter["type"]): string {
  return isListType(type)
    ? `a list of values of the type ${type.replace("[]", "")}`
    : `a value of the type ${type}`;
}

function invalid(reason: string): AppError {
  return new AppError("INVALID_PLAN", reason);
}
