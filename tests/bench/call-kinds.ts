/** The calls whose price is measured, and what plain `pg` does instead. */
import type pg from 'pg'
import { organization } from './fleet.ts'
import type { Call } from './load.ts'
import { siteName } from './writers-at-once.ts'

const fields = ['name', 'domain', 'status', 'health', 'server', 'server.hostname', 'php_version', 'creation', 'owner']

const encoded = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

/** A kind of call: over HTTP, and what plain `pg` does instead. */
export interface CallKind {
  name: string
  rounds: number
  /** Processor time per call on the machine of docs/benchmarks.md, in ms; shown only. */
  budget: number
  /** Maximum ratio to plain `pg`. */
  limit: number
  call(at: number): Call
  plain(client: pg.Client, at: number): Promise<unknown>
}

/** The kinds of calls on documents, with the headers of a session that writes. */
export function callKinds(headers: Record<string, string>): CallKind[] {
  const json = { ...headers, 'content-type': 'application/json' }
  const listOrder = ['creation desc', 'modified desc', 'domain asc']
  return [
    {
      name: 'get',
      rounds: 2000,
      budget: 0.4,
      limit: 3.2,
      call: (at) => ({ path: `/api/resource/Site/${siteName(at)}`, headers }),
      plain: (client, at) => client.query('select * from tab_site where name = $1', [siteName(at)]),
    },
    {
      name: 'list of 20',
      rounds: 1000,
      budget: 1,
      limit: 4,
      call: (at) => ({
        path: `/api/resource/Site?fields=${encoded(fields)}&filters=${encoded([['status', '!=', 'Archived']])}&order_by=${encodeURIComponent(listOrder[at % 3] ?? '')}&limit_page_length=20`,
        headers,
      }),
      plain: (client, at) =>
        client.query(
          `select t.name, t.domain, t.status, t.health, t.server, s.hostname, t.php_version, t.creation, t.owner
            from tab_site t left join tab_server s on s.name = t.server
            where t.organization = $1 and (t.status is null or t.status <> 'Archived')
            order by t.${listOrder[at % 3]}, t.name limit 20`,
          [organization],
        ),
    },
    {
      name: 'count up to 1,001',
      rounds: 1000,
      budget: 1,
      limit: 4.5,
      call: () => ({
        path: `/api/method/frappe.client.get_count?doctype=Site&limit=1001&filters=${encoded([['status', '!=', 'Archived']])}`,
        headers,
      }),
      plain: (client) =>
        client.query(
          `select count(*) from (select from tab_site where organization = $1 and (status is null or status <> 'Archived')
            limit 1001) t`,
          [organization],
        ),
    },
    {
      name: 'update',
      rounds: 800,
      budget: 2.5,
      limit: 6,
      call: (at) => ({
        method: 'PUT',
        path: `/api/resource/Site/${siteName(at)}`,
        headers: json,
        body: JSON.stringify({ title: `Title ${at}` }),
      }),
      plain: (client, at) =>
        client.query(
          `with changed as (update tab_site set title = $2, modified = clock_timestamp() where name = $1 returning *)
            select * from changed`,
          [siteName(at), `Plain ${at}`],
        ),
    },
    {
      name: 'insert',
      rounds: 800,
      budget: 1.8,
      limit: 7,
      call: (at) => ({
        method: 'POST',
        path: '/api/resource/Server',
        headers: json,
        body: JSON.stringify({ hostname: `server${at + 1000}.bench.example`, cloud_provider: 'Custom', organization }),
      }),
      plain: (client, at) =>
        client.query(
          `insert into tab_server (name, owner, creation, modified, modified_by, organization, hostname, cloud_provider)
            values ($1, 'owner@bench.example', now(), now(), 'owner@bench.example', $2, $3, 'Custom') returning *`,
          [`p${at}`, organization, `plain${at}.bench.example`],
        ),
    },
  ]
}
