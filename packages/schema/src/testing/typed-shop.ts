import { type PostgresObject, type PostgresSchema, Schema } from "../model/schema.js";

const COLUMNS: readonly PostgresObject<"Column">[] = [
  {
    id: "orders.id",
    kind: "Column",
    name: "id",
    parent: "orders",
    values: {
      position: 1,
      type: "bigint",
      notNull: true,
      identity: "always",
      sequenceOptions:
        "AS bigint START WITH 1 INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 CACHE 1 NO CYCLE",
    },
  },
  {
    id: "orders.state",
    kind: "Column",
    name: "state",
    parent: "orders",
    values: { position: 2, type: "public.state", default: "'open'::public.state" },
  },
];

/** A small PostgreSQL schema, written down without a server. */
export const SHOP: PostgresSchema = new Schema<"postgres">([
  {
    id: "shop",
    kind: "Database",
    name: undefined,
    parent: undefined,
    values: { dialect: "postgres" },
  },
  { id: "public", kind: "Schema", name: "public", parent: "shop", values: {} },
  {
    id: "state",
    kind: "EnumType",
    name: "state",
    parent: "public",
    values: { labels: [{ label: "open" }, { label: "it's gone" }] },
  },
  {
    id: "orders",
    kind: "Table",
    name: "orders",
    parent: "public",
    values: {
      comment: "What was bought",
      rowSecurity: "enabled",
      grants: [{ grantee: "PUBLIC", privilege: "SELECT", isGrantable: true }],
    },
  },
  ...COLUMNS,
  {
    id: "orders_pkey",
    kind: "PrimaryKey",
    name: "orders_pkey",
    parent: "orders",
    values: { columns: [{ column: { ref: "orders.id" } }], definition: "PRIMARY KEY (id)" },
  },
  {
    id: "by_state",
    kind: "Index",
    name: "by_state",
    parent: "orders",
    values: {
      parts: [{ column: { ref: "orders.state" } }],
      definition: "btree (state) WHERE (id > 0)",
      where: "(id > 0)",
      options: "fillfactor=90",
    },
  },
  {
    id: "own_orders",
    kind: "Policy",
    name: "own_orders",
    parent: "orders",
    values: { definition: "AS PERMISSIVE FOR SELECT TO PUBLIC USING ((id > 0))" },
  },
  {
    id: "total",
    kind: "Function",
    name: "total()",
    parent: "public",
    values: {
      returns: "bigint",
      definition:
        "CREATE OR REPLACE FUNCTION public.total()\n RETURNS bigint\n LANGUAGE sql\nAS $function$SELECT 1$function$\n",
    },
  },
  {
    id: "open_orders",
    kind: "View",
    name: "open_orders",
    parent: "public",
    values: {
      definition: " SELECT id\n   FROM public.orders",
      dependsOn: [{ needs: { ref: "orders" } }],
    },
  },
]);
