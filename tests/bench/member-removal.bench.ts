/**
 * Two processes of the product on one PostgreSQL: a member is removed through one and loses permissions and sockets at the
 * other. The gate is the security requirement itself (5 s, section 3), far above what any machine needs; also while the
 * other process has lost its notification connection.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { io, type Socket } from 'socket.io-client'
import { silentLog } from '#server/platform/log/log.ts'
import { removePostgres, startPostgres, type PostgresConnection } from '#server/platform/postgres/postgres.ts'
import { silentStep } from '#server/platform/steps.ts'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { urlOf } from '#tests/support/product-database.ts'
import { benchSettings, median, signUpOwner, timed, type BenchOwner } from './bench-product.ts'
import { addMembers, connect, memberEmail, memberRow, openSession } from './fleet.ts'
import { createLoader, sendOrThrow, type Loader } from './load.ts'

const rounds = 15
const brokenRounds = 3
const promisedMs = 5000
const members = '/api/resource/Organization%20Member?limit_page_length=1'

/** Milliseconds from the response of the removal. */
interface Removal {
  /** Until the other process rejected the member. */
  deniedMs: number
  /** Until the member's connection there was closed. */
  closed: number
}

interface Stage {
  owner: BenchOwner
  elsewhere: Product
  loader: Loader
  database: pg.Client
}

/** Figures of sequential removals, then of some without notifications. */
export async function bench(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-bench-'))
  await chmod(folder, 0o755)
  const dataDir = join(folder, 'data')
  const postgres = await startPostgres({ dataDir, log: silentLog, step: silentStep })
  const env = {
    ...benchSettings,
    DATABASE_URL: urlOf(postgres.connection),
    EASYDASH_SECRET_KEYS: `v1:${randomBytes(32).toString('base64')}`,
  }
  const products: Product[] = []
  const database = await connect(postgres.connection)
  try {
    const here = await startProduct({ env })
    products.push(here)
    // A second start would replace the setup link.
    const owner = await signUpOwner(here)
    const elsewhere = await startProduct({ env })
    products.push(elsewhere)
    await addMembers(database, rounds + brokenRounds, 'Organization Manager')
    const loader = createLoader(elsewhere.port, 1)
    const stage = { owner, elsewhere, loader, database }
    const removals: Removal[] = []
    const broken: Removal[] = []
    try {
      for (let at = 1; at <= rounds; at += 1) removals.push(await remove(stage, at, async (removal) => removal()))
      for (let at = rounds + 1; at <= rounds + brokenRounds; at += 1)
        broken.push(await remove(stage, at, (removal) => withoutNotifications(postgres.connection, removal)))
    } finally {
      loader.close()
    }
    const slowest = (list: readonly Removal[]) =>
      Math.max(...list.flatMap(({ deniedMs, closed }) => [deniedMs, closed]))
    return [
      { name: 'refused at the other process, median', value: median(removals.map((one) => one.deniedMs)), unit: 'ms' },
      { name: 'socket there ended, median', value: median(removals.map((one) => one.closed)), unit: 'ms' },
      { name: `slowest of ${rounds}`, value: slowest(removals), unit: 'ms', limit: promisedMs },
      { name: 'slowest, notifications broken', value: slowest(broken), unit: 'ms', limit: promisedMs },
    ]
  } finally {
    for (const product of products) await product.close()
    await database.end()
    await postgres.stop()
    await removePostgres(dataDir)
    await rm(folder, { recursive: true, force: true })
  }
}

/** A member works at the other process and is removed at this one; measures until permissions and socket are gone there. */
async function remove(
  { owner, elsewhere, loader, database }: Stage,
  at: number,
  around: (removal: () => Promise<unknown>) => Promise<unknown>,
): Promise<Removal> {
  const cookie = await openSession(database, memberEmail(at))
  const call = { path: members, headers: { cookie } }
  const socket = await openSocket(elsewhere.port, cookie)
  try {
    await sendOrThrow(loader, call)
    const closed = new Promise<number>((resolve) => {
      socket.once('disconnect', () => resolve(performance.now()))
    })
    await around(() => owner.browser.app.db().deleteDoc('Organization Member', memberRow(at)))
    const from = performance.now()
    const deniedMs = await timed(async () => {
      while ((await loader.send(call)).status === 200) {
        if (performance.now() - from > 2 * promisedMs) return
        await delay(2)
      }
    })
    const end = await Promise.race([closed, delay(2 * promisedMs).then(() => performance.now())])
    return { deniedMs, closed: Math.max(0, end - from) }
  } finally {
    socket.close()
  }
}

/** Repeatedly closes the processes' notification connections while `work` runs. */
async function withoutNotifications(connection: PostgresConnection, work: () => Promise<unknown>): Promise<void> {
  const database = await connect(connection)
  try {
    let working = true
    const worked = work().finally(() => (working = false))
    do {
      await database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'easydash' and (query ilike 'listen %' or query = 'select 1')`,
      )
    } while (working)
    await worked
  } finally {
    await database.end()
  }
}

async function openSocket(port: number, cookie: string): Promise<Socket> {
  const socket = io(`http://127.0.0.1:${port}/127.0.0.1`, { extraHeaders: { cookie }, forceNew: true })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('connect_error', reject)
  })
  socket.emit('doctype_subscribe', 'Site')
  socket.emit('ping')
  await new Promise<void>((resolve) => {
    socket.once('pong', resolve)
  })
  return socket
}
