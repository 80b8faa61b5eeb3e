import type { StatementClass } from "../../governance/index.js";
import { nearMiss } from "../../kernel/near-miss.js";

/** The effect of calling a function, or the reason why no intent allows it. */
export type FunctionVerdict =
  | { readonly kind: "class"; readonly statementClass: StatementClass }
  | { readonly kind: "forbidden" };

/**
 * Judges the call of a function by an allow-list: a function of PostgreSQL that is not known to be
 * harmless is forbidden. A user-defined function may do anything, so only `admin` may call it.
 * Other intents can use it through a view, whose owner has decided to expose it.
 * @param name from the parser: schema and name, or only the name.
 */
export function judgeFunction(name: readonly string[]): FunctionVerdict {
  const [base = "", schema = "pg_catalog"] = [...name].reverse();
  const isBuiltIn = schema === "pg_catalog";
  if (isBuiltIn && HARMLESS.has(base)) return ofClass("read_select");
  const changing = isBuiltIn ? CHANGING.get(base) : undefined;
  if (changing !== undefined) return ofClass(changing);
  const isKept = FORBIDDEN_SCHEMAS.has(schema) || FORBIDDEN.has(base) || FORBIDDEN_NAME.test(base);
  return isKept ? { kind: "forbidden" } : ofClass("admin");
}

/** The function that a misspelt name most probably meant; `undefined` when the name exists. */
export function nearestFunction(name: string): string | undefined {
  if (HARMLESS.has(name)) return undefined;
  // A longer name that contains a shorter one is not a misspelling; it may be a function of the
  // database.
  return nearMiss(
    name,
    [...HARMLESS].filter((known) => Math.abs(known.length - name.length) <= 1),
  );
}

/**
 * Judges the notation `value.name` for a value that is not a row: PostgreSQL may read it as a
 * function call. For unknown names the database must be asked whether such a function exists,
 * because a column can have any name.
 */
export function judgeSelection(name: string): FunctionVerdict | undefined {
  const changing = CHANGING.get(name);
  if (changing !== undefined) return ofClass(changing);
  return FORBIDDEN.has(name) || BUILT_IN_NAME.test(name) ? { kind: "forbidden" } : undefined;
}

function ofClass(statementClass: StatementClass): FunctionVerdict {
  return { kind: "class", statementClass };
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * Functions that only compute, aggregate or describe the schema: those of PostgreSQL and its
 * grammar and, in the last paragraph, those of well-known extensions.
 */
const HARMLESS: ReadonlySet<string> = new Set(
  words(`
    abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh cbrt ceil ceiling cos cosd
    cosh cot cotd degrees div erf erfc exp factorial floor gamma gcd lcm lgamma ln log log10
    min_scale mod pi pow power radians random random_normal round scale sign sin sind sinh sqrt tan
    tand tanh trim_scale trunc width_bucket

    ascii bit_count bit_length bpchar btrim casefold char char_length character_length chr concat
    concat_ws convert convert_from convert_to crc32 crc32c decode encode format get_bit get_byte
    hashtext hashtextextended hashint4 hashint8 initcap is_normalized left length like like_escape
    lower lpad ltrim md5 normalize notlike octet_length overlay parse_ident position quote_ident
    quote_literal quote_nullable regexp_count regexp_instr regexp_like regexp_match regexp_matches
    regexp_replace regexp_split_to_array regexp_split_to_table regexp_substr repeat replace reverse
    right rpad rtrim set_bit set_byte sha224 sha256 sha384 sha512 similar_escape similar_to_escape
    split_part starts_with string_to_array string_to_table strpos substr substring text textlen
    to_ascii to_bin to_hex to_oct translate unicode_assigned unicode_version unistr upper varchar
    byteasend float4send float8send int2send int4send int8send textsend uuid_send

    age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract interval
    isfinite justify_days justify_hours justify_interval make_date make_interval make_time
    make_timestamp make_timestamptz now overlaps statement_timestamp time timeofday timestamp
    timestamptz timetz timezone to_char to_date to_number to_timestamp transaction_timestamp

    bit bool bytea cash_words float4 float8 inet int2 int4 int8 json jsonb jsonpath money name
    numeric oid pg_lsn regclass regcollation regconfig regdictionary regnamespace regoper
    regoperator regproc regprocedure regrole regtype tsquery tsvector uuid varbit xid xid8 xml
    gen_random_uuid uuid_extract_timestamp uuid_extract_version uuidv4 uuidv7

    any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp
    every json_agg json_agg_strict json_object_agg json_object_agg_strict json_object_agg_unique
    json_object_agg_unique_strict jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict
    jsonb_object_agg_unique jsonb_object_agg_unique_strict max min mode percentile_cont
    percentile_disc range_agg range_intersect_agg regr_avgx regr_avgy regr_count regr_intercept
    regr_r2 regr_slope regr_sxx regr_sxy regr_syy stddev stddev_pop stddev_samp string_agg sum
    var_pop var_samp variance xmlagg

    cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank
    row_number

    array_append array_cat array_dims array_fill array_length array_lower array_ndims
    array_position array_positions array_prepend array_remove array_replace array_reverse
    array_sample array_shuffle array_sort array_to_json array_to_string array_to_tsvector
    array_upper cardinality generate_series generate_subscripts trim_array unnest

    json_array_elements json_array_elements_text json_array_length json_build_array
    json_build_object json_each json_each_text json_extract_path json_extract_path_text json_object
    json_object_keys json_populate_record json_populate_recordset json_strip_nulls json_to_record
    json_to_recordset json_to_tsvector json_typeof jsonb_array_elements jsonb_array_elements_text
    jsonb_array_length jsonb_build_array jsonb_build_object jsonb_concat jsonb_contains
    jsonb_contained jsonb_delete jsonb_delete_path jsonb_each jsonb_each_text jsonb_exists
    jsonb_exists_all jsonb_exists_any jsonb_extract_path jsonb_extract_path_text jsonb_insert
    jsonb_object jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match
    jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz
    jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_populate_record
    jsonb_populate_record_valid jsonb_populate_recordset jsonb_pretty jsonb_set jsonb_set_lax
    jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_to_tsvector jsonb_typeof row_to_json
    to_json to_jsonb xml_is_well_formed xml_is_well_formed_content xml_is_well_formed_document
    xmlcomment xmlexists xmltext xpath xpath_exists

    datemultirange daterange int4multirange int4range int8multirange int8range isempty lower_inc
    lower_inf multirange nummultirange numrange range_merge tsmultirange tsrange tstzmultirange
    tstzrange upper_inc upper_inf

    get_current_ts_config numnode phraseto_tsquery plainto_tsquery querytree setweight strip
    to_tsquery to_tsvector ts_debug ts_delete ts_filter ts_headline ts_lexize ts_parse ts_rank
    ts_rank_cd ts_token_type tsquery_phrase tsvector_to_array websearch_to_tsquery

    abbrev area bound_box box broadcast center circle cidr diagonal diameter family height host
    hostmask inet_merge inet_same_family isclosed ishorizontal isopen isparallel isperp isvertical
    line lseg macaddr macaddr8 macaddr8_set7bit masklen netmask network npoints path pclose point
    polygon popen radius set_masklen slope width

    enum_first enum_last enum_range num_nonnulls num_nulls

    pg_current_snapshot pg_current_xact_id_if_assigned pg_snapshot_xip pg_snapshot_xmax
    pg_snapshot_xmin pg_visible_in_snapshot

    acldefault aclexplode col_description current_catalog current_database current_schema
    current_schemas current_user format_type getdatabaseencoding has_any_column_privilege
    has_column_privilege has_database_privilege has_function_privilege has_language_privilege
    has_schema_privilege has_sequence_privilege has_table_privilege has_type_privilege
    icu_unicode_version mxid_age obj_description oidvectortypes pg_basetype pg_char_to_encoding
    pg_client_encoding pg_collation_for pg_collation_is_visible pg_column_compression
    pg_column_is_updatable pg_column_size pg_conversion_is_visible pg_database_size
    pg_describe_object pg_encoding_to_char pg_function_is_visible pg_get_acl pg_get_constraintdef
    pg_get_expr pg_get_function_arg_default pg_get_function_arguments
    pg_get_function_identity_arguments pg_get_function_result pg_get_function_sqlbody
    pg_get_functiondef pg_get_indexdef pg_get_keywords pg_get_object_address
    pg_get_partition_constraintdef pg_get_partkeydef pg_get_ruledef pg_get_serial_sequence
    pg_get_statisticsobjdef pg_get_statisticsobjdef_columns pg_get_statisticsobjdef_expressions
    pg_get_triggerdef pg_get_userbyid pg_get_viewdef pg_has_role pg_identify_object
    pg_identify_object_as_address pg_index_column_has_property pg_index_has_property
    pg_indexam_has_property pg_indexes_size pg_input_error_info pg_input_is_valid
    pg_is_other_temp_schema pg_my_temp_schema pg_opclass_is_visible pg_operator_is_visible
    pg_opfamily_is_visible pg_partition_ancestors pg_partition_root pg_partition_tree
    pg_relation_is_updatable pg_relation_size pg_sequence_parameters pg_size_bytes pg_size_pretty
    pg_statistics_obj_is_visible pg_table_is_visible pg_table_size pg_timezone_abbrevs
    pg_timezone_names pg_total_relation_size pg_ts_config_is_visible pg_ts_dict_is_visible
    pg_ts_parser_is_visible pg_ts_template_is_visible pg_type_is_visible pg_typeof
    row_security_active session_user shobj_description system_user to_regclass to_regcollation
    to_regnamespace to_regoper to_regoperator to_regproc to_regprocedure to_regrole to_regtype
    to_regtypemod version

    difference levenshtein levenshtein_less_equal metaphone dmetaphone dmetaphone_alt soundex
    show_trgm similarity strict_word_similarity unaccent word_similarity
    binary_quantize cosine_distance hamming_distance inner_product jaccard_distance l1_distance
    l2_distance l2_norm l2_normalize subvector vector_dims vector_norm
    citext crypt digest gen_random_bytes gen_salt hmac show_limit system_rows system_time
    uuid_generate_v1 uuid_generate_v1mc uuid_generate_v3 uuid_generate_v4 uuid_generate_v5
    uuid_nil uuid_ns_dns uuid_ns_oid uuid_ns_url uuid_ns_x500
    akeys avals defined each exist hstore hstore_to_array hstore_to_json hstore_to_json_loose
    hstore_to_jsonb hstore_to_jsonb_loose hstore_to_matrix skeys slice svals
    icount idx index intset lca ltree2text nlevel sort sort_asc sort_desc subarray subltree
    subpath text2ltree uniq
    cube cube_coord cube_dim cube_distance cube_enlarge cube_inter cube_is_point cube_ll_coord
    cube_size cube_subset cube_union cube_ur_coord distance_chebyshev distance_taxicab earth
    earth_box earth_distance gc_to_sec geo_distance latitude ll_to_earth longitude sec_to_gc
    geography geometry st_area st_asbinary st_asgeojson st_astext st_azimuth st_boundary st_buffer
    st_centroid st_collect st_contains st_convexhull st_coveredby st_covers st_crosses
    st_difference st_disjoint st_distance st_distancesphere st_dwithin st_endpoint st_envelope
    st_equals st_expand st_extent st_geogfromtext st_geohash st_geometryn st_geometrytype
    st_geomfromgeojson st_geomfromtext st_geomfromwkb st_intersection st_intersects st_isempty
    st_isvalid st_length st_makeenvelope st_makeline st_makepoint st_makevalid st_npoints
    st_numgeometries st_overlaps st_perimeter st_point st_pointonsurface st_setsrid st_simplify
    st_srid st_startpoint st_touches st_transform st_union st_within st_x st_xmax st_xmin st_y
    st_ymax st_ymin st_z
    time_bucket time_bucket_gapfill
  `),
);

/** Functions with side effects, each with the class of a statement that calls it. */
const CHANGING: ReadonlyMap<string, StatementClass> = new Map([
  ["currval", "write_insert"],
  ["lastval", "write_insert"],
  ["nextval", "write_insert"],
  ["pg_current_xact_id", "write_insert"],
  ["txid_current", "write_insert"],
  ["pg_notify", "write_update"],
  ["setval", "write_update"],
]);

/**
 * Functions that execute text as SQL, read tables that the statement does not name, or change
 * session settings.
 */
const FORBIDDEN: ReadonlySet<string> = new Set(
  words(`
    current_query current_setting set_config setseed loread lowrite ts_rewrite ts_stat
    cursor_to_xml cursor_to_xmlschema database_to_xml database_to_xml_and_xmlschema
    database_to_xmlschema query_to_xml query_to_xml_and_xmlschema query_to_xmlschema schema_to_xml
    schema_to_xml_and_xmlschema schema_to_xmlschema table_to_xml table_to_xml_and_xmlschema
    table_to_xmlschema
    brin_desummarize_range brin_summarize_new_values brin_summarize_range gin_clean_pending_list
    crosstab crosstab2 crosstab3 crosstab4 crosstabn connectby xpath_table normal_rand
    postgres_fdw_disconnect postgres_fdw_disconnect_all postgres_fdw_get_connections
  `),
);

/**
 * Families of forbidden functions: files, processes, locks and replication of the server, large
 * objects, and the network.
 */
const FORBIDDEN_NAME = /^(pg_|lo_|binary_upgrade_|dblink|http|inet_(client|server)_|txid_)/;

/** The same for PostgreSQL's own functions, whose names are unlikely to be column names. */
const BUILT_IN_NAME =
  /^(pg_|binary_upgrade_|txid_|lo_(close|creat|create|get|open|tell|tell64|truncate|unlink|import|export)$)/;

/**
 * Schemas in which extensions keep functions with effects outside the database or at a later time.
 */
const FORBIDDEN_SCHEMAS: ReadonlySet<string> = new Set(["cron", "net", "http", "dblink"]);
