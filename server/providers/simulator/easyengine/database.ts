import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import type { Machine } from './machine.ts'

/** Where EasyEngine keeps its state. */
export const databasePath = '/opt/easyengine/db/ee.sqlite'

/**
 * Columns and their types are those of EasyEngine's own migrations: flags are BOOLEAN, so the program `sqlite3` prints them as numbers
 * in JSON, whereas `ee` prints every value as text.
 */
const schema = `
CREATE TABLE IF NOT EXISTS sites (
  id INTEGER NOT NULL, site_url VARCHAR NOT NULL, site_type VARCHAR NOT NULL, site_fs_path VARCHAR NOT NULL,
  site_container_fs_path VARCHAR NOT NULL, site_enabled BOOLEAN NOT NULL DEFAULT 1, site_ssl VARCHAR,
  site_ssl_wildcard BOOLEAN NOT NULL DEFAULT 0, cache_nginx_browser BOOLEAN NOT NULL DEFAULT 0,
  cache_nginx_fullpage BOOLEAN NOT NULL DEFAULT 0, cache_mysql_query BOOLEAN NOT NULL DEFAULT 0,
  cache_app_object BOOLEAN NOT NULL DEFAULT 0, cache_host VARCHAR, proxy_cache VARCHAR NOT NULL DEFAULT 'off',
  php_version VARCHAR, db_name VARCHAR, db_user VARCHAR, db_password VARCHAR, db_root_password VARCHAR, db_host VARCHAR,
  db_port VARCHAR, app_sub_type VARCHAR, app_admin_url VARCHAR, app_admin_email VARCHAR, app_admin_username VARCHAR,
  app_admin_password VARCHAR, app_mail VARCHAR, alias_domains VARCHAR, mailhog_enabled BOOLEAN NOT NULL DEFAULT 0,
  admin_tools BOOLEAN NOT NULL DEFAULT 0, created_on DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
  modified_on DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, site_auth_scope VARCHAR, site_auth_username VARCHAR,
  site_auth_password VARCHAR, PRIMARY KEY (id), UNIQUE (site_url), CHECK (site_enabled IN (0, 1)));
CREATE TABLE IF NOT EXISTS site_meta (id INTEGER, site_id INTEGER NOT NULL, meta_key VARCHAR, meta_value VARCHAR,
  PRIMARY KEY (id), FOREIGN KEY (site_id) REFERENCES sites(id));
CREATE TABLE IF NOT EXISTS auth_users (id INTEGER, site_url VARCHAR NOT NULL, username VARCHAR NOT NULL,
  password VARCHAR NOT NULL, PRIMARY KEY (id));
CREATE TABLE IF NOT EXISTS auth_ips (id INTEGER, site_url VARCHAR NOT NULL, ip VARCHAR NOT NULL, UNIQUE (site_url, ip),
  PRIMARY KEY (id));
CREATE TABLE IF NOT EXISTS cron (id INTEGER, site_url VARCHAR NOT NULL, user VARCHAR, command VARCHAR NOT NULL,
  schedule VARCHAR NOT NULL, PRIMARY KEY (id));
CREATE TABLE IF NOT EXISTS migrations (id INTEGER, migration VARCHAR, type VARCHAR, timestamp DATETIME, PRIMARY KEY (id));
CREATE TABLE IF NOT EXISTS options (key VARCHAR NOT NULL, value VARCHAR NOT NULL, PRIMARY KEY (key));
`

/** A row with every value as text, as EasyEngine reads it. */
export type Row = Readonly<Record<string, string | null>>

/** The fields of a site that the simulation reads. */
export type SiteRow = Row & {
  readonly site_url: string
  readonly site_type: string
  readonly site_fs_path: string
  readonly site_container_fs_path: string
  readonly site_enabled: string
  readonly alias_domains: string
}

/** PHP takes '0', which is what the column has after TLS was turned off, for nothing. */
const siteOf = (row: Row) => (row['site_ssl'] === '0' ? { ...row, site_ssl: '' } : row) as SiteRow

/** EasyEngine's database on a machine. */
export interface EasyEngineDatabase {
  all(sql: string, ...values: SQLInputValue[]): Row[]
  run(sql: string, ...values: SQLInputValue[]): void
  insert(table: string, row: Readonly<Record<string, SQLInputValue>>): void
  sites(): SiteRow[]
  site(domain: string): SiteRow | null
  updateSite(domain: string, changes: Readonly<Record<string, SQLInputValue>>): void
  close(): void
}

/** Opens it, and creates it if the machine has none yet. */
export function openDatabase(machine: Pick<Machine, 'path'>): EasyEngineDatabase {
  const path = machine.path(databasePath)
  mkdirSync(dirname(path), { recursive: true })
  const database = new DatabaseSync(path, { timeout: 5000 })
  database.exec(schema)
  const all = (sql: string, ...values: SQLInputValue[]): Row[] =>
    database
      .prepare(sql)
      .all(...values)
      .map((row) => asText(row))
  const run = (sql: string, ...values: SQLInputValue[]) => void database.prepare(sql).run(...values)
  return {
    all,
    run,
    insert: (table, row) => {
      const names = Object.keys(row)
      run(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => '?').join()})`, ...Object.values(row))
    },
    sites: () => all('SELECT * FROM sites ORDER BY id').map((row) => siteOf(row)),
    site: (domain) => all('SELECT * FROM sites WHERE site_url = ?', domain).map((row) => siteOf(row))[0] ?? null,
    updateSite: (domain, changes) => {
      const sets = Object.keys(changes).map((name) => `${name} = ?`)
      const sql = `UPDATE sites SET ${sets.join()}, modified_on = CURRENT_TIMESTAMP WHERE site_url = ?`
      run(sql, ...Object.values(changes), domain)
    },
    close: () => database.close(),
  }
}

const asText = (row: Readonly<Record<string, unknown>>): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? null : String(value)]))
