import {
  argumentTypes,
  collation,
  foreignOptions,
  neededExtensions,
  notOfExtension,
  notOfType,
  OWN_SCHEMA,
  owner,
  rights,
} from "./shared.js";

const EXTENSION_COMMENT = `(SELECT v.comment FROM pg_available_extensions v WHERE v.name = x.extname)`;

export const EXTENSIONS: string = `
  SELECT 'x:' || x.oid, 'Extension', x.extname, NULL,
    jsonb_build_object('schemaName', n.nspname, 'version', x.extversion,
      'comment', nullif(obj_description(x.oid, 'pg_extension'), ${EXTENSION_COMMENT}))
  FROM pg_extension x JOIN pg_namespace n ON n.oid = x.extnamespace WHERE x.extname <> 'plpgsql'`;

/**
 * The operator class, collation, functions and multirange type of a range type, where specified.
 */
const rangeDefinition = `(SELECT 'SUBTYPE = ' || format_type(r.rngsubtype, NULL)
    || coalesce((SELECT ', SUBTYPE_OPCLASS = ' || quote_ident(k.nspname) || '.' || quote_ident(l.opcname)
      FROM pg_opclass l JOIN pg_namespace k ON k.oid = l.opcnamespace
      WHERE l.oid = r.rngsubopc AND NOT l.opcdefault), '')
    || coalesce(', COLLATION = ' || ${collation("r.rngcollation", "r.rngsubtype")}, '')
    || CASE WHEN r.rngcanonical <> 0 THEN ', CANONICAL = ' || r.rngcanonical::regproc ELSE '' END
    || CASE WHEN r.rngsubdiff <> 0 THEN ', SUBTYPE_DIFF = ' || r.rngsubdiff::regproc ELSE '' END
    || ', MULTIRANGE_TYPE_NAME = ' || format_type(r.rngmultitypid, NULL)
    FROM pg_range r WHERE r.rngtypid = t.oid)`;

export const TYPES: string = `
  SELECT 't:' || t.oid, CASE t.typtype WHEN 'e' THEN 'EnumType' WHEN 'd' THEN 'Domain'
      WHEN 'r' THEN 'RangeType' ELSE 'CompositeType' END, t.typname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(t.oid, 'pg_type'),
      'owner', ${owner("t.typowner")},
      ${rights("t.typacl", "t.typowner", "T")},
      'labels', (SELECT jsonb_agg(jsonb_build_object('label', e.enumlabel) ORDER BY e.enumsortorder)
        FROM pg_enum e WHERE e.enumtypid = t.oid),
      'attributes', (SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('label', a.attname,
          'type', format_type(a.atttypid, a.atttypmod), 'collation', ${collation("a.attcollation", "a.atttypid")}))
          ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = t.typrelid AND NOT a.attisdropped
          AND t.typtype = 'c'),
      'columnDetails', (SELECT jsonb_agg(jsonb_build_object('label', a.attname, 'comment', q.description)
          ORDER BY a.attname) FROM pg_attribute a JOIN pg_description q ON q.classoid = 'pg_class'::regclass
          AND q.objoid = a.attrelid AND q.objsubid = a.attnum WHERE a.attrelid = t.typrelid AND t.typtype = 'c'),
      'type', CASE t.typtype WHEN 'd' THEN format_type(t.typbasetype, t.typtypmod) END,
      'definition', CASE t.typtype WHEN 'r' THEN ${rangeDefinition} END,
      'notNull', CASE WHEN t.typnotnull THEN true END,
      'default', t.typdefault,
      'collation', CASE t.typtype WHEN 'd' THEN ${collation("t.typcollation", "t.typbasetype")} END)
  FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_class c ON c.oid = t.typrelid
  WHERE (t.typtype IN ('e', 'd', 'r') OR (t.typtype = 'c' AND c.relkind = 'c'))
    AND ${OWN_SCHEMA} AND ${notOfExtension("pg_type", "t.oid")}`;

/** The columns of pg_collation have different names in different versions. */
export const COLLATIONS: string = `
  SELECT 'l:' || l.oid, 'Collation', l.collname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(l.oid, 'pg_collation'),
      'owner', ${owner("l.collowner")},
      'definition', '(PROVIDER = ' || CASE l.collprovider WHEN 'c' THEN 'libc' WHEN 'i' THEN 'icu' ELSE 'builtin' END
        || CASE WHEN l.collprovider = 'c'
          THEN ', LC_COLLATE = ' || quote_literal(l.collcollate) || ', LC_CTYPE = ' || quote_literal(l.collctype)
          ELSE ', LOCALE = ' || quote_literal(coalesce(j.row ->> 'colllocale', j.row ->> 'colliculocale', l.collcollate)) END
        || coalesce(', RULES = ' || quote_literal(j.row ->> 'collicurules'), '')
        || CASE WHEN l.collisdeterministic THEN '' ELSE ', DETERMINISTIC = false' END || ')')
  FROM pg_collation l JOIN pg_namespace n ON n.oid = l.collnamespace,
    LATERAL (SELECT to_jsonb(l) AS row) j
  WHERE ${OWN_SCHEMA} AND ${notOfExtension("pg_collation", "l.oid")}`;

export const FUNCTIONS: string = `
  SELECT 'f:' || f.oid, CASE f.prokind WHEN 'p' THEN 'Procedure' ELSE 'Function' END,
    quote_ident(f.proname) || '(' || ${argumentTypes("f.proargtypes")} || ')', 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(f.oid, 'pg_proc'),
      'owner', ${owner("f.proowner")},
      'returns', pg_get_function_result(f.oid),
      'signature', pg_get_function_arguments(f.oid),
      ${rights("f.proacl", "f.proowner", "f")},
      ${neededExtensions("pg_proc", "f.oid")},
      'definition', pg_get_functiondef(f.oid))
  FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
  WHERE f.prokind IN ('f', 'p', 'w') AND ${OWN_SCHEMA} AND ${notOfType("pg_proc", "f.oid")}`;

function option(name: string, said: string): string {
  return `coalesce(', ${name} = ' || ${said}, '')`;
}

function routine(name: string, oid: string): string {
  return option(name, `nullif(${oid}, 0)::regproc::text`);
}

function shared(letter: string, usual: string): string {
  return `CASE ${letter} WHEN ${usual} THEN NULL WHEN 'r' THEN 'READ_ONLY' WHEN 's' THEN 'SHAREABLE' ELSE 'READ_WRITE' END`;
}

const ORDERED = `(g.aggkind IN ('o', 'h'))`;

export const AGGREGATES: string = `
  SELECT 'f:' || f.oid, 'Aggregate', quote_ident(f.proname) || '('
      || CASE WHEN g.aggkind = 'n' AND f.pronargs = 0 THEN '*' ELSE pg_get_function_identity_arguments(f.oid) END || ')',
    'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(f.oid, 'pg_proc'),
      'owner', ${owner("f.proowner")},
      ${rights("f.proacl", "f.proowner", "f")},
      'definition', '(SFUNC = ' || g.aggtransfn || ', STYPE = ' || format_type(g.aggtranstype, NULL)
        || ${option("SSPACE", "nullif(g.aggtransspace, 0)")} || ${routine("FINALFUNC", "g.aggfinalfn::oid")}
        || CASE WHEN g.aggfinalextra THEN ', FINALFUNC_EXTRA' ELSE '' END
        || ${option("FINALFUNC_MODIFY", shared("g.aggfinalmodify", `CASE WHEN ${ORDERED} THEN 'w'::"char" ELSE 'r'::"char" END`))}
        || ${routine("COMBINEFUNC", "g.aggcombinefn::oid")} || ${routine("SERIALFUNC", "g.aggserialfn::oid")}
        || ${routine("DESERIALFUNC", "g.aggdeserialfn::oid")} || ${option("INITCOND", "quote_literal(g.agginitval)")}
        || ${routine("MSFUNC", "g.aggmtransfn::oid")} || ${routine("MINVFUNC", "g.aggminvtransfn::oid")}
        || ${option("MSTYPE", "CASE WHEN g.aggmtranstype <> 0 THEN format_type(g.aggmtranstype, NULL) END")}
        || ${option("MSSPACE", "nullif(g.aggmtransspace, 0)")} || ${routine("MFINALFUNC", "g.aggmfinalfn::oid")}
        || CASE WHEN g.aggmfinalextra THEN ', MFINALFUNC_EXTRA' ELSE '' END
        || ${option("MFINALFUNC_MODIFY", `CASE WHEN g.aggmtransfn <> 0 THEN ${shared("g.aggmfinalmodify", `'r'`)} END`)}
        || ${option("MINITCOND", "quote_literal(g.aggminitval)")}
        || ${option(
          "SORTOP",
          `(SELECT 'OPERATOR(' || quote_ident(k.nspname) || '.' || o.oprname || ')'
          FROM pg_operator o JOIN pg_namespace k ON k.oid = o.oprnamespace WHERE o.oid = g.aggsortop)`,
        )}
        || CASE WHEN g.aggkind = 'h' THEN ', HYPOTHETICAL' ELSE '' END
        || CASE f.proparallel WHEN 's' THEN ', PARALLEL = SAFE' WHEN 'r' THEN ', PARALLEL = RESTRICTED' ELSE '' END || ')')
  FROM pg_proc f JOIN pg_aggregate g ON g.aggfnoid = f.oid JOIN pg_namespace n ON n.oid = f.pronamespace
  WHERE ${OWN_SCHEMA} AND ${notOfExtension("pg_proc", "f.oid")}`;

function otherOperator(name: string, oid: string): string {
  return option(
    name,
    `(SELECT 'OPERATOR(' || quote_ident(k.nspname) || '.' || z.oprname || ')' FROM pg_operator z
      JOIN pg_namespace k ON k.oid = z.oprnamespace WHERE z.oid = ${oid})`,
  );
}

export const OPERATORS: string = `
  SELECT 'o:' || o.oid, 'Operator', o.oprname || ' (' || CASE WHEN o.oprleft = 0 THEN 'NONE'
      ELSE format_type(o.oprleft, NULL) END || ', ' || format_type(o.oprright, NULL) || ')', 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(o.oid, 'pg_operator'),
      'owner', ${owner("o.oprowner")},
      'definition', '(FUNCTION = ' || o.oprcode
        || ${option("LEFTARG", "CASE WHEN o.oprleft <> 0 THEN format_type(o.oprleft, NULL) END")}
        || ', RIGHTARG = ' || format_type(o.oprright, NULL)
        || ${otherOperator("COMMUTATOR", "o.oprcom")} || ${otherOperator("NEGATOR", "o.oprnegate")}
        || ${routine("RESTRICT", "o.oprrest::oid")} || ${routine("JOIN", "o.oprjoin::oid")}
        || CASE WHEN o.oprcanhash THEN ', HASHES' ELSE '' END
        || CASE WHEN o.oprcanmerge THEN ', MERGES' ELSE '' END || ')')
  FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace
  WHERE o.oprcode <> 0 AND ${OWN_SCHEMA} AND ${notOfExtension("pg_operator", "o.oid")}`;

export const CASTS: string = `
  SELECT 'k:' || k.oid, 'Cast', '(' || format_type(k.castsource, NULL) || ' AS ' || format_type(k.casttarget, NULL) || ')', NULL,
    jsonb_build_object(
      'comment', obj_description(k.oid, 'pg_cast'),
      'definition', CASE k.castmethod WHEN 'b' THEN 'WITHOUT FUNCTION' WHEN 'i' THEN 'WITH INOUT'
          ELSE 'WITH FUNCTION ' || k.castfunc::regprocedure END
        || CASE k.castcontext WHEN 'a' THEN ' AS ASSIGNMENT' WHEN 'i' THEN ' AS IMPLICIT' ELSE '' END)
  FROM pg_cast k WHERE k.oid >= 16384 AND ${notOfType("pg_cast", "k.oid")}`;

export const WRAPPERS: string = `
  SELECT 'v:' || v.oid, 'ForeignDataWrapper', v.fdwname, NULL,
    jsonb_build_object(
      'comment', obj_description(v.oid, 'pg_foreign_data_wrapper'),
      'owner', ${owner("v.fdwowner")},
      ${rights("v.fdwacl", "v.fdwowner", "F")},
      'definition', concat_ws(' ', 'HANDLER ' || nullif(v.fdwhandler, 0)::regproc,
        'VALIDATOR ' || nullif(v.fdwvalidator, 0)::regproc, 'OPTIONS (' || ${foreignOptions("v.fdwoptions")} || ')'))
  FROM pg_foreign_data_wrapper v WHERE ${notOfExtension("pg_foreign_data_wrapper", "v.oid")}`;

export const SERVERS: string = `
  SELECT 'e:' || v.oid, 'ForeignServer', v.srvname, NULL,
    jsonb_build_object(
      'comment', obj_description(v.oid, 'pg_foreign_server'),
      'owner', ${owner("v.srvowner")},
      ${rights("v.srvacl", "v.srvowner", "S")},
      'definition', concat_ws(' ', 'TYPE ' || quote_literal(v.srvtype), 'VERSION ' || quote_literal(v.srvversion),
        'FOREIGN DATA WRAPPER ' || quote_ident(w.fdwname), 'OPTIONS (' || ${foreignOptions("v.srvoptions")} || ')'))
  FROM pg_foreign_server v JOIN pg_foreign_data_wrapper w ON w.oid = v.srvfdw
  WHERE ${notOfExtension("pg_foreign_server", "v.oid")}`;

export const DICTIONARIES: string = `
  SELECT 'd:' || d.oid, 'TextSearchDictionary', d.dictname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(d.oid, 'pg_ts_dict'),
      'owner', ${owner("d.dictowner")},
      'definition', '(TEMPLATE = ' || (SELECT quote_ident(k.nspname) || '.' || quote_ident(m.tmplname)
          FROM pg_ts_template m JOIN pg_namespace k ON k.oid = m.tmplnamespace WHERE m.oid = d.dicttemplate)
        || coalesce(', ' || d.dictinitoption, '') || ')')
  FROM pg_ts_dict d JOIN pg_namespace n ON n.oid = d.dictnamespace
  WHERE ${OWN_SCHEMA} AND ${notOfExtension("pg_ts_dict", "d.oid")}`;

export const CONFIGURATIONS: string = `
  SELECT 'y:' || y.oid, 'TextSearchConfiguration', y.cfgname, 'n:' || n.oid,
    jsonb_build_object(
      'comment', obj_description(y.oid, 'pg_ts_config'),
      'owner', ${owner("y.cfgowner")},
      'definition', (SELECT '(PARSER = ' || quote_ident(k.nspname) || '.' || quote_ident(r.prsname) || ')'
        FROM pg_ts_parser r JOIN pg_namespace k ON k.oid = r.prsnamespace WHERE r.oid = y.cfgparser),
      'parts', (SELECT jsonb_agg(jsonb_build_object('label', m.token, 'definition', m.dictionaries) ORDER BY m.token)
        FROM (SELECT k.alias AS token, string_agg(p.mapdict::regdictionary::text, ', ' ORDER BY p.mapseqno) AS dictionaries
          FROM pg_ts_config_map p JOIN ts_token_type(y.cfgparser) k ON k.tokid = p.maptokentype
          WHERE p.mapcfg = y.oid GROUP BY k.alias) m))
  FROM pg_ts_config y JOIN pg_namespace n ON n.oid = y.cfgnamespace
  WHERE ${OWN_SCHEMA} AND ${notOfExtension("pg_ts_config", "y.oid")}`;
