/**
 * API of one process with 10,000 sites in an organization of 200 members: sequential calls, and the maximum rate of "who am
 * I" calls. The budgets assume an idle machine and are only reported; the gates are ratios to a bare Node server in
 * processor time, which other load does not affect.
 */
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct } from '#tests/e2e/support/harness.ts'
import { withBareServer } from './bare.ts'
import { benchSettings, median, signUpOwner } from './bench-product.ts'
import { addMembers, addSites, connectTo, memberEmail, openSession } from './fleet.ts'
import { createLoader, measureSequentially, quantile, throughput, warmUp, type Call } from './load.ts'
import { processorMs, processorMsOf } from './processor-time.ts'

const sites = 10_000
const members = 199
const connections = 16
const whoami = '/api/method/frappe.auth.get_logged_user'
const fields = ['name', 'domain', 'status', 'health', 'server', 'server.hostname', 'php_version', 'creation', 'owner']

const query = (parts: Readonly<Record<string, unknown>>): string => {
  const pairs = new URLSearchParams()
  for (const [name, value] of Object.entries(parts)) {
    pairs.set(name, typeof value === 'string' ? value : JSON.stringify(value))
  }
  return pairs.toString()
}

/** List pages with the filters and columns of the sites page. */
const lists = [
  { filters: [['status', '!=', 'Archived']], order_by: 'creation desc' },
  { filters: [['php_version', '=', '8.4']], order_by: 'domain asc' },
  { filters: [['domain', 'like', '%77%']], order_by: 'modified desc' },
  { filters: [['status', 'in', ['Failed', 'Suspended']]], order_by: 'wordpress_version asc', limit_start: 40 },
].map((one) => `/api/resource/Site?${query({ ...one, fields, limit_page_length: 20 })}`)

const counts = [[['status', '!=', 'Archived']], [['domain', 'like', '%77%']], []].map(
  (filters) => `/api/method/frappe.client.get_count?${query({ doctype: 'Site', filters })}`,
)

/** Response times in milliseconds as seen by a client, for the owner and for a member who sees only their own sites. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: benchSettings })
  try {
    const { server } = await signUpOwner(product)
    const database = await connectTo(product)
    const loader = createLoader(product.port, 1)
    try {
      await addMembers(database, members, 'Organization User')
      await addSites(database, sites, server, members)
      const ownerCookie = await openSession(database, 'owner@bench.example')
      const memberCookie = await openSession(database, memberEmail(1))
      const ask = (cookie: string, paths: readonly string[], rounds: number) =>
        measureSequentially(
          loader,
          (at): Call => ({ path: paths[at % paths.length] ?? '', headers: { cookie } }),
          rounds,
        )
      // The member owns every 199th site.
      const documents = (step: number) =>
        Array.from({ length: 50 }, (_, at) => `/api/resource/Site/s${String(at * step + step).padStart(9, '0')}`)

      const who = await ask(ownerCookie, [whoami], 1000)
      const got = await ask(ownerCookie, documents(7), 600)
      const listed = await ask(ownerCookie, lists, 400)
      const counted = await ask(ownerCookie, counts, 400)
      const gotByMember = await ask(memberCookie, documents(members), 600)
      const listedByMember = await ask(memberCookie, lists, 400)
      const countedByMember = await ask(memberCookie, counts, 400)
      /** Processor time per call, server and database together. */
      const price = async (cookie: string, paths: readonly string[], rounds: number) =>
        (await processorMsOf(product, () => ask(cookie, paths, rounds))) / (rounds + warmUp)
      const prices = {
        whoami: await price(ownerCookie, [whoami], 3000),
        document: await price(ownerCookie, documents(7), 500),
        list: await price(ownerCookie, lists, 200),
        listByMember: await price(memberCookie, lists, 200),
        count: await price(ownerCookie, counts, 200),
        countByMember: await price(memberCookie, counts, 200),
      }

      const many = createLoader(product.port, connections)
      const perSecond = await throughput(many, { path: whoami, headers: { cookie: ownerCookie } }, connections, 5)
      many.close()
      const bare = await measureBareServer()
      const figures: [string, readonly number[], number][] = [
        ['whoami', who, 3],
        ['document, owner', got, 5],
        ['document, member who sees his own', gotByMember, 5],
        ['list of 20, owner', listed, 25],
        ['list of 20, member', listedByMember, 25],
        ['count, owner', counted, 15],
        ['count, member', countedByMember, 15],
      ]
      return [
        ...figures.flatMap(([name, times, budget]): Figure[] => [
          { name: `${name}, p95`, value: quantile(times, 0.95), unit: `ms (${budget})` },
          { name: `${name}, median`, value: median(times), unit: 'ms' },
        ]),
        { name: 'whoami, one process', value: perSecond, unit: '/s (at least 3000)' },
        { name: 'bare server', value: bare.perSecond, unit: '/s' },
        ...Object.entries(prices).map(([name, value]): Figure => ({
          name: `processor time of ${name}`,
          value,
          unit: 'ms',
        })),
        { name: 'whoami / bare server, processor time', value: prices.whoami / bare.price, unit: 'ratio', limit: 4 },
        { name: 'bare server / whoami, calls a second', value: bare.perSecond / perSecond, unit: 'ratio', limit: 4 },
        { name: 'document / whoami, processor time', value: prices.document / prices.whoami, unit: 'ratio', limit: 12 },
        { name: 'list by member / by owner', value: prices.listByMember / prices.list, unit: 'ratio', limit: 1.5 },
        { name: 'count by member / by owner', value: prices.countByMember / prices.count, unit: 'ratio', limit: 1.5 },
      ]
    } finally {
      loader.close()
      await database.end()
    }
  } finally {
    await product.close()
  }
}

async function measureBareServer(): Promise<{ price: number; perSecond: number }> {
  return await withBareServer(async (port, pid) => {
    const loader = createLoader(port, connections)
    try {
      await measureSequentially(loader, () => ({ path: '/' }), 1000)
      const before = await processorMs(pid)
      await measureSequentially(loader, () => ({ path: '/' }), 3000)
      const price = ((await processorMs(pid)) - before) / (3000 + warmUp)
      return { price, perSecond: await throughput(loader, { path: '/' }, connections, 3) }
    } finally {
      loader.close()
    }
  })
}
