/**
 * Calls per second and memory with one web process and with two, in turns. The load is sent from this machine, so it takes a part of
 * its processors; on two of them that favors one process.
 */
import { availableParallelism } from 'node:os'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { benchSettings, median, signUpOwner } from './bench-product.ts'
import { addMembers, addSites, connectTo, openWritingSession } from './fleet.ts'
import { createLoader, quantile, sendOrThrow, type Call, type Loader } from './load.ts'
import { memoryParts } from './memory-parts.ts'
import { processorMsOf } from './processor-time.ts'
import { siteName } from './writers-at-once.ts'

const sites = 10_000
const connections = 16
/** Calls of each kind before the measured ones, for each process: its code is compiled then. */
const warmUp = 1500
const calls = 500
const rounds = 3
const most = Math.min(4, Math.max(2, availableParallelism()))

const kinds: Record<string, (at: number) => Call> = {
  whoami: () => ({ path: '/api/method/frappe.auth.get_logged_user' }),
  get: (at) => ({ path: `/api/resource/Site/${siteName(at)}` }),
  list: () => ({ path: '/api/resource/Site?fields=["name","domain","status"]&limit_page_length=20' }),
  update: (at) => ({
    method: 'PUT',
    path: `/api/resource/Site/${siteName(at)}`,
    body: JSON.stringify({ title: `Title ${at} ${Math.random()}` }),
  }),
}

interface Running {
  readonly processes: number
  readonly product: Product
  readonly loader: Loader
  readonly headers: Record<string, string>
  close(): Promise<void>
}

async function start(processes: number): Promise<Running> {
  const product = await startProduct({ env: { ...benchSettings, EASYDASH_WEB_PROCESSES: String(processes) } })
  const { server } = await signUpOwner(product)
  const database = await connectTo(product)
  await addMembers(database, 199, 'Organization User')
  await addSites(database, sites, server, 199)
  const headers = await openWritingSession(database, 'owner@bench.example')
  const loader = createLoader(product.port, connections)
  return {
    processes,
    product,
    loader,
    headers: { ...headers, 'content-type': 'application/json' },
    async close() {
      loader.close()
      await database.end()
      await product.close()
    },
  }
}

interface Measured {
  readonly perSecond: number
  readonly processorMs: number
  readonly p95: number
}

async function measure(
  { product, loader, headers }: Running,
  call: (at: number) => Call,
  count: number,
): Promise<Measured> {
  const times: number[] = []
  let at = 0
  const client = async (): Promise<void> => {
    while (at < count) {
      at += 1
      times.push((await sendOrThrow(loader, { ...call(at % sites), headers })).took)
    }
  }
  const from = performance.now()
  const processorMs = await processorMsOf(product, async () => {
    await Promise.all(Array.from({ length: connections }, client))
  })
  const seconds = (performance.now() - from) / 1000
  return { perSecond: times.length / seconds, processorMs: processorMs / times.length, p95: quantile(times, 0.95) }
}

/** Figures of each kind of call, and memory. */
export async function bench(): Promise<Figure[]> {
  const running = [await start(1), await start(most)]
  try {
    const figures: Figure[] = []
    for (const [name, call] of Object.entries(kinds)) figures.push(...(await compare(name, call, running)))
    for (const { product, processes } of running) figures.push(...(await memory(product, processes)))
    return figures
  } finally {
    for (const one of running) await one.close()
  }
}

async function compare(name: string, call: (at: number) => Call, running: readonly Running[]): Promise<Figure[]> {
  const found = running.map((): Measured[] => [])
  for (const one of running) await measure(one, call, warmUp * one.processes)
  for (let round = 0; round < rounds; round += 1)
    for (const [index, one] of running.entries()) found[index]?.push(await measure(one, call, calls))
  const of = (index: number, key: keyof Measured) => median((found[index] ?? []).map((one) => one[key]))
  return [
    ...running.flatMap(({ processes }, index) => [
      { name: `${name}, ${processes} web processes`, value: of(index, 'perSecond'), unit: 'calls/s' },
      { name: `${name}, ${processes} web processes, processor time`, value: of(index, 'processorMs'), unit: 'ms' },
      { name: `${name}, ${processes} web processes, p95`, value: of(index, 'p95'), unit: 'ms' },
    ]),
    { name: `${name}, ${most} / 1 web processes`, value: of(1, 'perSecond') / of(0, 'perSecond'), unit: 'ratio' },
  ]
}

/** Megabytes of each process that answers, and of all together. */
async function memory(product: Product, processes: number): Promise<Figure[]> {
  const parts = await memoryParts(product)
  const mb = (bytes: number) => bytes / 1024 / 1024
  const further = parts.filter(({ command }) => command.includes('web-process.ts'))
  return [
    {
      name: `memory with ${processes} web processes`,
      value: mb(parts.reduce((sum, { bytes }) => sum + bytes, 0)),
      unit: 'MB PSS',
    },
    ...further.map(({ bytes }, at) => ({ name: `of that web process ${at + 1}`, value: mb(bytes), unit: 'MB PSS' })),
  ]
}
