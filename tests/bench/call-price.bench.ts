/**
 * Processor time of one call, all processes of the product together, with 10,000 sites: read, list, count, update, insert.
 * The gates are ratios to the same rows read or written by plain `pg` on the same database in the same run, processor time of
 * client and database together, which other load does not affect.
 */
import type pg from 'pg'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { benchSettings, median, signUpOwner } from './bench-product.ts'
import { callKinds, type CallKind } from './call-kinds.ts'
import { addMembers, addSites, connectTo, openWritingSession } from './fleet.ts'
import { createLoader, sendOrThrow, type Loader } from './load.ts'
import { writersAtOnce } from './writers-at-once.ts'
import { processorMsOf } from './processor-time.ts'

const sites = 10_000
/** Calls before the measured ones: the price of a running product, whose code is compiled and whose statements are planned. */
const warmUp = 1500
/** Turns of product and plain `pg`. */
const turns = 10
/** Plain calls for each call of the product: a turn has to take many of the hundredths of a second that Linux counts. */
const plainShare = 4

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
      for (const kind of callKinds(headers)) figures.push(...(await price(product, loader, database, kind)))
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

async function price(product: Product, loader: Loader, database: pg.Client, kind: CallKind): Promise<Figure[]> {
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
