/**
 * A schema in the format of pg_dump -s, with the differences of its versions 14 to 18: `\restrict`,
 * the settings at the beginning, owners, identity columns and sequences, attached partitions, keys,
 * comments and privileges at the end.
 * @param owner An existing role of the server.
 */
export function pgDumpOutput(owner: string): string {
  return `--
-- PostgreSQL database dump
--

\\restrict 3VfYkXgU1w9

-- Dumped from database version 18.1
-- Dumped by pg_dump version 18.1

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: SCHEMA public; Type: COMMENT; Schema: -; Owner: ${owner}
--

COMMENT ON SCHEMA public IS 'standard public schema';

CREATE TYPE public.mood AS ENUM (
    'sad',
    'it''s; fine'
);

ALTER TYPE public.mood OWNER TO ${owner};

CREATE FUNCTION public.touch() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
BEGIN
  EXECUTE 'UPDATE public.orders SET total = $1; --' USING 1;
  RETURN NEW;
END $_$;

ALTER FUNCTION public.touch() OWNER TO ${owner};

CREATE FUNCTION public.twice(a integer) RETURNS integer
    LANGUAGE sql
    BEGIN ATOMIC
 SELECT CASE WHEN (twice.a > 0) THEN (twice.a * 2) ELSE 0 END AS "case";
END;

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.customers (
    id bigint NOT NULL,
    name text NOT NULL,
    mood public.mood DEFAULT 'sad'::public.mood
);

ALTER TABLE public.customers OWNER TO ${owner};

COMMENT ON TABLE public.customers IS 'Who buys';

ALTER TABLE public.customers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.customers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.orders (
    id integer NOT NULL,
    customer_id bigint NOT NULL,
    day date NOT NULL,
    total integer,
    CONSTRAINT orders_total_check CHECK ((total >= 0))
)
PARTITION BY RANGE (day);

CREATE SEQUENCE public.orders_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER SEQUENCE public.orders_id_seq OWNED BY public.orders.id;

CREATE TABLE public.orders_2026 (
    id integer DEFAULT nextval('public.orders_id_seq'::regclass) NOT NULL,
    customer_id bigint NOT NULL,
    day date NOT NULL,
    total integer,
    CONSTRAINT orders_total_check CHECK ((total >= 0))
);

CREATE MATERIALIZED VIEW public.totals AS
 SELECT customer_id,
    sum(total) AS total
   FROM public.orders
  GROUP BY customer_id
  WITH NO DATA;

ALTER TABLE ONLY public.orders ATTACH PARTITION public.orders_2026 FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');

ALTER TABLE ONLY public.orders ALTER COLUMN id SET DEFAULT nextval('public.orders_id_seq'::regclass);

ALTER TABLE ONLY public.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (id, day);

ALTER TABLE ONLY public.orders_2026
    ADD CONSTRAINT orders_2026_pkey PRIMARY KEY (id, day);

CREATE INDEX by_name ON public.customers USING btree (lower(name)) WHERE (name <> ';'::text);

ALTER INDEX public.orders_pkey ATTACH PARTITION public.orders_2026_pkey;

CREATE RULE quiet AS
    ON INSERT TO public.customers
   WHERE (new.name = ''::text) DO ALSO ( DELETE FROM public.customers
  WHERE (customers.name = ''::text);
 DELETE FROM public.orders
  WHERE (orders.total = 0);
);

CREATE TRIGGER customers_touch AFTER UPDATE ON public.customers FOR EACH ROW EXECUTE FUNCTION public.touch();

ALTER TABLE public.orders
    ADD CONSTRAINT orders_customer_id_fkey FOREIGN KEY (customer_id) REFERENCES public.customers(id) ON DELETE CASCADE;

ALTER TABLE public.customers ENABLE ROW LEVEL SECURITY;

CREATE POLICY own ON public.customers FOR SELECT TO ${owner} USING ((id > 0));

CREATE PUBLICATION changes WITH (publish = 'insert, update');

ALTER PUBLICATION changes OWNER TO ${owner};

ALTER PUBLICATION changes ADD TABLE ONLY public.customers;

REVOKE USAGE ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO PUBLIC;

GRANT SELECT ON TABLE public.orders TO PUBLIC;
GRANT SELECT(name) ON TABLE public.customers TO PUBLIC;
GRANT USAGE ON SEQUENCE public.customers_id_seq TO PUBLIC;

ALTER DEFAULT PRIVILEGES FOR ROLE ${owner} IN SCHEMA public GRANT SELECT ON TABLES TO PUBLIC;

--
-- PostgreSQL database dump complete
--

\\unrestrict 3VfYkXgU1w9
`;
}
