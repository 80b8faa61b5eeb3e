import { defineConfig } from "eslint/config";
import tseslint from "typescript-eslint";

/** Where chance, time and the environment come in, so that everything else can be replayed. */
const environment = {
  selector: "MemberExpression[object.name='process'][property.name='env']",
  message: "Read the environment only in config/env.ts.",
};
const time = {
  selector:
    "CallExpression[callee.object.name='Date'][callee.property.name='now'], NewExpression[callee.name='Date'][arguments.length=0]",
  message: "Take a Clock.",
};
const chance = {
  selector:
    "CallExpression[callee.object.name='Math'][callee.property.name='random'], CallExpression[callee.property.name='randomUUID'], CallExpression[callee.name='randomUUID']",
  message: "Take an Ids.",
};

/** A battery states what every implementation of a port must do; it is a test without the name. */
const batteries = ["packages/server/src/storage/contract.ts"];
const tests = ["**/*.test.ts", "**/testing/**", ...batteries, "test/**/*.ts", "bench/**/*.ts"];

export default defineConfig(
  { ignores: ["**/dist/**", "**/gen/**", "coverage/**"] },
  { linterOptions: { reportUnusedDisableDirectives: "error" } },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ["vitest.*.ts"] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Code points are what is meant where a string is spread.
      "@typescript-eslint/no-misused-spread": ["error", { allow: ["string"] }],
      // A reader of JSON is told the type by its caller.
      "@typescript-eslint/no-unnecessary-type-parameters": "off",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
      // A number has one spelling; an object has none.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      eqeqeq: "error",
      "no-console": "error",
      "prefer-const": ["error", { ignoreReadBeforeAssign: true }],
    },
  },
  {
    files: ["packages/**/*.ts", "packages/**/*.tsx"],
    ignores: tests,
    rules: { "@typescript-eslint/explicit-module-boundary-types": "error" },
  },
  {
    files: ["packages/{kernel,postgres,schema,server,state}/src/**/*.ts"],
    ignores: tests,
    rules: { "no-restricted-syntax": ["error", environment, time, chance] },
  },
  {
    files: ["packages/server/src/config/env.ts"],
    rules: { "no-restricted-syntax": ["error", time, chance] },
  },
  {
    files: ["packages/kernel/src/clock.ts"],
    rules: { "no-restricted-syntax": ["error", environment, chance] },
  },
  {
    files: ["packages/kernel/src/ids.ts"],
    rules: { "no-restricted-syntax": ["error", environment, time] },
  },
  { files: ["packages/server/src/cli/**", "bench/**"], rules: { "no-console": "off" } },
  {
    // A message is an interface that takes its fields from a zod schema and adds none.
    files: ["packages/protocol/src/**/*.ts"],
    rules: {
      "@typescript-eslint/no-empty-object-type": [
        "error",
        { allowInterfaces: "with-single-extends" },
      ],
    },
  },
  {
    // A test reads foreign JSON and hands odd values in on purpose.
    files: tests,
    rules: {
      "@typescript-eslint/no-unsafe-argument": "off",
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-call": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-return": "off",
      "@typescript-eslint/require-await": "off",
    },
  },
);
