/**
 * Rules of our own for the linter: where chance, time and the environment come in, so that everything else can be
 * replayed.
 */

/** Whether a node is `object.property`. */
function isMember(node, object, property) {
  return (
    node.type === "MemberExpression" &&
    node.object.type === "Identifier" &&
    node.object.name === object &&
    node.property.name === property
  );
}

/** @param {Record<string, (node: any) => boolean>} offences by type of node. */
function rule(message, offences) {
  return {
    meta: { type: "problem" },
    create: (context) =>
      Object.fromEntries(
        Object.entries(offences).map(([type, isOffence]) => [
          type,
          (node) => {
            if (isOffence(node)) context.report({ node, message });
          },
        ]),
      ),
  };
}

export default {
  meta: { name: "replayable" },
  rules: {
    environment: rule("Read the environment only in config/env.ts.", {
      MemberExpression: (node) => isMember(node, "process", "env"),
    }),
    time: rule("Take a Clock.", {
      CallExpression: ({ callee }) => isMember(callee, "Date", "now"),
      NewExpression: ({ callee, arguments: values }) =>
        callee.name === "Date" && values.length === 0,
    }),
    chance: rule("Take an Ids.", {
      CallExpression: ({ callee }) =>
        isMember(callee, "Math", "random") ||
        (callee.name ?? callee.property?.name) === "randomUUID",
    }),
  },
};
