/** Memory of the whole process tree before, right after and some time after 50 people read as fast as they can, with 10,000 sites. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { benchSettings, signUpOwner } from './bench-product.ts'
import { addMembers, addSites, connectTo, openSession } from './fleet.ts'
import { createLoader, sendOrThrow } from './load.ts'
import { memoryParts } from './memory-parts.ts'

const mb = 1024 * 1024
const people = 50
const seconds = 20
/** How soon after the load the limit holds: what was garbage then is collected within seconds. */
const soonSeconds = 5
const restSeconds = 30

const paths = [
  '/api/method/frappe.auth.get_logged_user',
  '/api/resource/Site/s000000707',
  '/api/resource/Site?fields=["*"]&limit_page_length=20&order_by=creation desc',
  '/api/resource/Site?fields=["*"]&limit_page_length=200&order_by=domain asc',
  '/api/method/frappe.client.get_count?doctype=Site&limit=1001',
]

/** Megabytes by kind of process. */
export async function bench(): Promise<Figure[]> {
  const product = await startProduct({ env: benchSettings })
  try {
    const { server } = await signUpOwner(product)
    const cookie = await fill(product, server)
    const before = await measured(product)
    await load(product, cookie)
    const after = await measured(product)
    await delay(soonSeconds * 1000)
    const soon = await measured(product)
    await delay((restSeconds - soonSeconds) * 1000)
    const later = await measured(product)
    return [
      ...figures('before load', before),
      ...figures('after load', after),
      ...figures(`${soonSeconds} s after load`, soon, ' (300)'),
      ...figures(`after ${restSeconds} s of rest`, later),
      { name: 'memory after rest / before load', value: total(later) / total(before), unit: 'ratio', limit: 1.1 },
    ]
  } finally {
    await product.close()
  }
}

/** Members and sites, by a connection that is closed: its process has touched all of the database's shared memory. */
async function fill(product: Product, server: string): Promise<string> {
  const database = await connectTo(product)
  try {
    await addMembers(database, 199, 'Organization User')
    await addSites(database, 10_000, server, 199)
    return await openSession(database, 'owner@bench.example')
  } finally {
    await database.end()
  }
}

async function load(product: Product, cookie: string): Promise<void> {
  const headers = { cookie }
  const loader = createLoader(product.port, people)
  const end = performance.now() + seconds * 1000
  const person = async (at: number): Promise<void> => {
    for (let turn = at; performance.now() < end; turn += 1)
      await sendOrThrow(loader, { headers, path: encodeURI(paths[turn % paths.length]!) })
  }
  try {
    await Promise.all(Array.from({ length: people }, (_, at) => person(at)))
  } finally {
    loader.close()
  }
}

interface Memory {
  readonly server: number
  readonly database: number
}

async function measured(product: Product): Promise<Memory> {
  const parts = await memoryParts(product)
  const isDatabase = ({ command }: { command: string }) => command.includes('postgres')
  const sum = (of: readonly { bytes: number }[]) => of.reduce((all, { bytes }) => all + bytes, 0) / mb
  return { server: sum(parts.filter((one) => !isDatabase(one))), database: sum(parts.filter(isDatabase)) }
}

const total = ({ server, database }: Memory): number => server + database

const figures = (when: string, memory: Memory, budget = ''): Figure[] => [
  { name: `memory ${when}`, value: total(memory), unit: `MB PSS${budget}` },
  { name: `${when}, of that the server`, value: memory.server, unit: 'MB PSS' },
  { name: `${when}, of that the database`, value: memory.database, unit: 'MB PSS' },
]
