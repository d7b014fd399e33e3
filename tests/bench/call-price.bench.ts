/**
 * Processor time of one call, all processes of the product together, with 10,000 sites: read, list, count, update, insert.
 * The gates are ratios to the same rows read or written by plain `pg` on the same database in the same run, processor time of
 * client and database together, which other load does not affect.
 */
import type pg from 'pg'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { benchSettings, median, signUpOwner } from './bench-product.ts'
import { addMembers, addSites, connectTo, openWritingSession, organization } from './fleet.ts'
import { createLoader, sendOrThrow, type Call, type Loader } from './load.ts'
import { siteName, writersAtOnce } from './writers-at-once.ts'
import { processorMsOf } from './processor-time.ts'

const sites = 10_000
/** Calls before the measured ones: the price of a running product, whose code is compiled and whose statements are planned. */
const warmUp = 1500
/** Turns of product and plain `pg`. */
const turns = 10
/** Plain calls for each call of the product: a turn has to take many of the hundredths of a second that Linux counts. */
const plainShare = 4
const fields = ['name', 'domain', 'status', 'health', 'server', 'server.hostname', 'php_version', 'creation', 'owner']

const encoded = (value: unknown): string => encodeURIComponent(JSON.stringify(value))

/** A kind of call: over HTTP, and what plain `pg` does instead. */
interface Kind {
  name: string
  rounds: number
  /** Processor time per call on the machine of docs/benchmarks.md, in ms; shown only. */
  budget: number
  /** Maximum ratio to plain `pg`. */
  limit: number
  call(at: number): Call
  plain(client: pg.Client, at: number): Promise<unknown>
}

function kinds(headers: Record<string, string>): Kind[] {
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

/** Processor time per call in ms, over HTTP and with plain `pg`, and their ratio. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: benchSettings })
  try {
    const { server } = await signUpOwner(product)
    const database = await connectTo(product)
    const loader = createLoader(product.port, 1)
    try {
      await addMembers(database, 199, 'Organization User')
      await addSites(database, sites, server, 199)
      const headers = await openWritingSession(database, 'owner@bench.example')
      const figures: Figure[] = []
      for (const kind of kinds(headers)) figures.push(...(await price(product, loader, database, kind)))
      figures.push(...(await writersAtOnce(product, database, headers)))
      return figures
    } finally {
      loader.close()
      await database.end()
    }
  } finally {
    await product.close()
  }
}

async function price(product: Product, loader: Loader, database: pg.Client, kind: Kind): Promise<Figure[]> {
  const { name, rounds, budget, limit } = kind
  const times: number[] = []
  for (let at = 0; at < warmUp; at += 1) await sendOrThrow(loader, kind.call(-1 - at))
  for (let at = 0; at < warmUp; at += 1) await kind.plain(database, rounds + at)
  // In turns, so that both meet the same moments of the machine.
  const [calls, plainCalls] = [rounds / turns, (rounds / turns) * plainShare]
  const used: number[] = []
  const plain: number[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const ofProduct = await processorMsOf(product, async () => {
      for (let at = turn * calls; at < (turn + 1) * calls; at += 1)
        times.push((await sendOrThrow(loader, kind.call(at))).took)
    })
    used.push(ofProduct / calls)
    const before = process.cpuUsage()
    const ofDatabase = await processorMsOf(product, async () => {
      for (let at = 0; at < plainCalls; at += 1) await kind.plain(database, rounds + warmUp + turn * plainCalls + at)
    })
    const { user, system } = process.cpuUsage(before)
    plain.push((ofDatabase + (user + system) / 1000) / plainCalls)
  }
  return [
    { name: `${name}, processor time`, value: median(used), unit: `ms (${budget})` },
    { name: `${name}, median`, value: median(times), unit: 'ms' },
    { name: `${name}, plain pg, processor time`, value: median(plain), unit: 'ms' },
    {
      name: `${name} / plain pg`,
      value: median(used.map((one, turn) => one / (plain[turn] ?? Number.NaN))),
      unit: 'ratio',
      limit,
    },
  ]
}
