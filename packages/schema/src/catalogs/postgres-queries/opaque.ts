import {
  difference,
  firing,
  madeHere,
  notOfExtension,
  owner,
  type SeldomObjects,
} from "./shared.js";

/** The operators and functions of an operator class or family, as in its definition. */
function members(catalog: "pg_opclass" | "pg_opfamily", oid: string): string {
  const own = (kind: string, member: string): string => `EXISTS (SELECT FROM pg_depend d
      WHERE d.classid = '${kind}'::regclass AND d.objid = ${member} AND d.refclassid = '${catalog}'::regclass
      AND d.refobjid = ${oid} AND d.deptype IN ('a', 'i'))`;
  return `(SELECT string_agg(e.clause, ', ' ORDER BY e.sort, e.number, e.clause) FROM (
      SELECT 1 AS sort, p.amopstrategy AS number, 'OPERATOR ' || p.amopstrategy || ' '
        || quote_ident(k.nspname) || '.' || r.oprname || ' (' || format_type(p.amoplefttype, NULL) || ', '
        || format_type(p.amoprighttype, NULL) || ')' || coalesce(' FOR ORDER BY ' || (SELECT quote_ident(v.nspname)
          || '.' || quote_ident(s.opfname) FROM pg_opfamily s JOIN pg_namespace v ON v.oid = s.opfnamespace
          WHERE s.oid = p.amopsortfamily), '') AS clause
      FROM pg_amop p JOIN pg_operator r ON r.oid = p.amopopr JOIN pg_namespace k ON k.oid = r.oprnamespace
      WHERE ${own("pg_amop", "p.oid")}
      UNION ALL SELECT 2, p.amprocnum, 'FUNCTION ' || p.amprocnum || ' (' || format_type(p.amproclefttype, NULL) || ', '
        || format_type(p.amprocrighttype, NULL) || ') ' || p.amproc::regprocedure
      FROM pg_amproc p WHERE ${own("pg_amproc", "p.oid")}) e)`;
}

const operatorFamily = `'CREATE OPERATOR FAMILY ' || i.identity`;
const looseMembers = `'ALTER OPERATOR FAMILY ' || i.identity || ' ADD ' || ${members("pg_opfamily", "z.oid")}`;
const operatorClass = `(SELECT 'CREATE OPERATOR CLASS ' || quote_ident(n.nspname) || '.' || quote_ident(z.opcname)
    || CASE WHEN z.opcdefault THEN ' DEFAULT' ELSE '' END || ' FOR TYPE ' || format_type(z.opcintype, NULL)
    || ' USING ' || quote_ident(m.amname) || ' FAMILY ' || quote_ident(k.nspname) || '.' || quote_ident(f.opfname)
    || ' AS ' || concat_ws(', ', ${members("pg_opclass", "z.oid")},
      'STORAGE ' || format_type(coalesce(nullif(z.opckeytype, 0), CASE WHEN NOT EXISTS (SELECT FROM pg_depend d
        WHERE d.refclassid = 'pg_opclass'::regclass AND d.refobjid = z.oid AND d.classid IN ('pg_amop'::regclass, 'pg_amproc'::regclass))
        THEN z.opcintype END), NULL))
    FROM pg_am m, pg_namespace n, pg_opfamily f JOIN pg_namespace k ON k.oid = f.opfnamespace
    WHERE m.oid = z.opcmethod AND n.oid = z.opcnamespace AND f.oid = z.opcfamily)`;
const language = `'CREATE ' || CASE WHEN z.lanpltrusted THEN 'TRUSTED ' ELSE '' END || 'LANGUAGE ' || i.identity || ' '
    || concat_ws(' ', 'HANDLER ' || nullif(z.lanplcallfoid, 0)::regproc, 'INLINE ' || nullif(z.laninline, 0)::regproc,
      'VALIDATOR ' || nullif(z.lanvalidator, 0)::regproc)`;
const textSearchParser = `'CREATE TEXT SEARCH PARSER ' || i.identity || ' (START = ' || z.prsstart || ', GETTOKEN = ' || z.prstoken
    || ', END = ' || z.prsend || ', LEXTYPES = ' || z.prslextype
    || coalesce(', HEADLINE = ' || nullif(z.prsheadline::oid, 0)::regproc, '') || ')'`;
const textSearchTemplate = `'CREATE TEXT SEARCH TEMPLATE ' || i.identity || ' (LEXIZE = ' || z.tmpllexize
    || coalesce(', INIT = ' || nullif(z.tmplinit::oid, 0)::regproc, '') || ')'`;
const transform = `'CREATE TRANSFORM ' || replace(i.identity, 'for ', 'FOR ') || ' (' || concat_ws(', ',
    'FROM SQL WITH FUNCTION ' || nullif(z.trffromsql::oid, 0)::regprocedure,
    'TO SQL WITH FUNCTION ' || nullif(z.trftosql::oid, 0)::regprocedure) || ')'`;
const accessMethod = `'CREATE ACCESS METHOD ' || i.identity || ' TYPE ' || CASE z.amtype WHEN 't' THEN 'TABLE' ELSE 'INDEX' END
    || ' HANDLER ' || z.amhandler`;
const conversion = `'CREATE ' || CASE WHEN z.condefault THEN 'DEFAULT ' ELSE '' END || 'CONVERSION ' || i.identity
    || ' FOR ' || quote_literal(pg_encoding_to_char(z.conforencoding)) || ' TO '
    || quote_literal(pg_encoding_to_char(z.contoencoding)) || ' FROM ' || z.conproc`;

interface Sort {
  readonly catalog: string;
  /** The keyword for the object's kind in SQL. */
  readonly word: string;
  /** SQL expressions of the statements that create it. */
  readonly statements: readonly string[];
  readonly owner?: string;
  /** Whether the database's owner can create one without being a superuser. */
  readonly isForEverybody?: boolean;
}

/** Kinds of objects that are represented by the statements that create them. */
const OPAQUE_SORTS: readonly Sort[] = [
  {
    ...{ catalog: "pg_opfamily", word: "OPERATOR FAMILY", owner: "z.opfowner" },
    statements: [operatorFamily, looseMembers],
  },
  {
    ...{ catalog: "pg_opclass", word: "OPERATOR CLASS", owner: "z.opcowner" },
    statements: [operatorClass],
  },
  { catalog: "pg_language", word: "LANGUAGE", owner: "z.lanowner", statements: [language] },
  { catalog: "pg_ts_parser", word: "TEXT SEARCH PARSER", statements: [textSearchParser] },
  { catalog: "pg_ts_template", word: "TEXT SEARCH TEMPLATE", statements: [textSearchTemplate] },
  {
    ...{ catalog: "pg_transform", word: "TRANSFORM", statements: [transform] },
    isForEverybody: true,
  },
  { catalog: "pg_am", word: "ACCESS METHOD", statements: [accessMethod] },
  {
    ...{ catalog: "pg_conversion", word: "CONVERSION", owner: "z.conowner" },
    ...{ statements: [conversion], isForEverybody: true },
  },
];

function from(catalog: string): string {
  return `FROM ${catalog} z, LATERAL pg_identify_object('${catalog}'::regclass, z.oid, 0) i
  WHERE z.oid >= 16384 AND coalesce(i.schema, '') !~ '^(pg_|information_schema$)' AND ${notOfExtension(catalog, "z.oid")}`;
}

const noSuperuser = `(SELECT NOT rolsuper FROM pg_roles WHERE rolname = current_user)`;

/** Objects that no other query reads, such as operator classes and languages. */
export const OPAQUE: readonly SeldomObjects[] = OPAQUE_SORTS.map((sort) => {
  const { catalog, word, statements, owner: role, isForEverybody = false } = sort;
  const query = `
  SELECT 'z:' || z.oid || '.${catalog}', 'Opaque', '${word} ' || i.identity, NULL,
    jsonb_build_object('type', '${word}', 'comment', obj_description(z.oid, '${catalog}'),
      'owner', ${role === undefined ? "NULL" : owner(role)},
      'isOutOfReach', ${isForEverybody ? "NULL" : `CASE WHEN ${noSuperuser} THEN true END`},
      'parts', (SELECT jsonb_agg(jsonb_build_object('definition', s.said) ORDER BY s.place)
        FROM unnest(ARRAY[${statements.join(", ")}]) WITH ORDINALITY AS s (said, place) WHERE s.said IS NOT NULL))
  ${from(catalog)}`;
  return { query, isThere: madeHere(catalog) };
});

/** Catalogs whose entries have ids of the form `z:`, OID, catalog. */
export const NAMED_CATALOGS: readonly string[] = [
  ...OPAQUE_SORTS.map(({ catalog }) => catalog),
  ...["pg_event_trigger", "pg_subscription"],
];

/** The definition of a base type. */
const baseType = `concat_ws(', ', 'INPUT = ' || nullif(z.typinput::oid, 0)::regproc, 'OUTPUT = ' || nullif(z.typoutput::oid, 0)::regproc,
    'RECEIVE = ' || nullif(z.typreceive::oid, 0)::regproc, 'SEND = ' || nullif(z.typsend::oid, 0)::regproc,
    'INTERNALLENGTH = ' || z.typlen, 'ALIGNMENT = ' || z.typalign::text, 'STORAGE = ' || z.typstorage::text,
    'DEFAULT = ' || z.typdefault, 'DELIMITER = ' || quote_literal(z.typdelim::text),
    CASE WHEN z.typispreferred THEN 'PREFERRED' END, CASE WHEN z.typbyval THEN 'PASSEDBYVALUE' END)`;
const eventTrigger = `'ON ' || z.evtevent || coalesce(' WHEN TAG IN (' || array_to_string(z.evttags, ', ') || ')', '')
    || ' EXECUTE FUNCTION ' || z.evtfoid::regproc || '() ' || ${firing("z.evtenabled")}`;
/** The definition without the connection string, which contains a password. */
const subscription = `concat_ws(' ', 'PUBLICATION ' || array_to_string(z.subpublications, ', '), 'SLOT ' || z.subslotname,
    'SYNCHRONOUS COMMIT ' || z.subsynccommit, CASE WHEN z.subenabled THEN 'ENABLED' END)`;

/** Catalogs of objects that are only introspected. */
const SEEN: readonly SeenSort[] = [
  {
    ...{
      catalog: "pg_event_trigger",
      word: "event trigger",
      id: "'z:' || z.oid || '.pg_event_trigger'",
    },
    definition: eventTrigger,
  },
  {
    ...{
      catalog: "pg_subscription",
      word: "subscription",
      id: "'z:' || z.oid || '.pg_subscription'",
    },
    definition: subscription,
    condition: "z.subdbid = (SELECT oid FROM pg_database WHERE datname = current_database())",
  },
  {
    ...{ catalog: "pg_type", word: "base type", id: "'t:' || z.oid", definition: baseType },
    condition: "z.typtype = 'b' AND z.typelem = 0",
  },
  {
    ...{ catalog: "pg_type", word: "shell type", id: "'t:' || z.oid", definition: "NULL" },
    condition: "NOT z.typisdefined",
  },
];

interface SeenSort {
  readonly catalog: string;
  readonly word: string;
  /** SQL expressions of the id and the description. */
  readonly id: string;
  readonly definition: string;
  readonly condition?: string;
}

const SEEN_OBJECTS: readonly SeldomObjects[] = SEEN.map(
  ({ catalog, word, id, definition, condition = "true" }) => ({
    isThere: madeHere(catalog, condition),
    query: `
  SELECT ${id}, 'Unmanaged', '${word} ' || i.identity, NULL,
    jsonb_build_object('type', '${word}', 'definition', ${definition})
  ${from(catalog)} AND (${condition})`,
  }),
);

/** The id of a security label. */
export const SECURITY_LABEL_ID = `concat_ws('.', 'q:' || q.provider, q.classoid, q.objoid, q.objsubid)`;

/** Security labels, whose rules are only known to their provider. */
const SECURITY_LABELS: SeldomObjects = {
  isThere: "EXISTS (SELECT FROM pg_seclabel q WHERE q.objoid >= 16384)",
  query: `
  SELECT ${SECURITY_LABEL_ID}, 'Unmanaged',
    'security label of ' || quote_ident(q.provider) || ' on ' || i.type || ' ' || i.identity, NULL,
    jsonb_build_object('type', 'security label', 'definition', q.label)
  FROM pg_seclabel q, LATERAL pg_identify_object(q.classoid, q.objoid, q.objsubid) i
  WHERE q.objoid >= 16384`,
};

interface RightsSort {
  readonly catalog: string;
  /** SQL expressions of the access list, of the owner, and of acldefault()'s type letter. */
  readonly acl: string;
  readonly role: string;
  readonly type: string;
  readonly condition: string;
}

/**
 * Privileges on built-in objects and objects of extensions, where they differ from the initial
 * ones.
 */
const FOREIGN_RIGHTS: readonly SeldomObjects[] = (
  [
    {
      ...{ catalog: "pg_proc", acl: "z.proacl", role: "z.proowner", type: "'f'" },
      condition: "z.pronamespace <> 'information_schema'::regnamespace",
    },
    {
      ...{ catalog: "pg_class", acl: "z.relacl", role: "z.relowner" },
      condition: "z.relnamespace <> 'information_schema'::regnamespace",
      type: "CASE z.relkind WHEN 'S' THEN 's' ELSE 'r' END::\"char\"",
    },
    { catalog: "pg_language", acl: "z.lanacl", role: "z.lanowner", type: "'l'", condition: "true" },
    {
      ...{ catalog: "pg_namespace", acl: "z.nspacl", role: "z.nspowner", type: "'n'" },
      condition: "z.nspname NOT IN ('public', 'information_schema')",
    },
  ] satisfies readonly RightsSort[]
).map(({ catalog, acl, role, type, condition }) => {
  const entries = `FROM ${catalog} z
  LEFT JOIN pg_init_privs h ON h.objoid = z.oid AND h.classoid = '${catalog}'::regclass AND h.objsubid = 0`;
  const isChanged = `${acl} IS NOT NULL AND ${acl} IS DISTINCT FROM h.initprivs AND ${condition}
    AND (z.oid < 16384 OR NOT ${notOfExtension(catalog, "z.oid")})`;
  const query = `
  SELECT 'j:' || z.oid || '.${catalog}', 'Unmanaged', 'rights on ' || i.type || ' ' || i.identity, NULL,
    jsonb_build_object('type', 'rights', 'grants', d.grants, 'revoked', d.revoked)
  ${entries},
    LATERAL (SELECT coalesce(h.initprivs, acldefault(${type}, ${role})) AS first) u,
    LATERAL (SELECT ${difference(acl, "u.first", role)} AS grants, ${difference("u.first", acl, role)} AS revoked) d,
    LATERAL pg_identify_object('${catalog}'::regclass, z.oid, 0) i
  WHERE ${isChanged} AND (d.grants IS NOT NULL OR d.revoked IS NOT NULL)`;
  return { query, isThere: `EXISTS (SELECT ${entries} WHERE ${isChanged})` };
});

/** Unmanaged objects, with their descriptions. */
export const UNMANAGED: readonly SeldomObjects[] = [
  ...SEEN_OBJECTS,
  SECURITY_LABELS,
  ...FOREIGN_RIGHTS,
];
