/**
 * Where the processor time of each kind of call goes: in PostgreSQL, in the threads of V8 and of hashes, and in the main thread, there by
 * what it does. Four calls at once. Nothing gates: it says what to look at.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Figure } from '../../scripts/bench-run.ts'
import { startProduct, type Product } from '#tests/e2e/support/harness.ts'
import { benchSettings, signUpOwner } from './bench-product.ts'
import { callKinds } from './call-kinds.ts'
import { addMembers, addSites, connectTo, memberEmail, openWritingSession, sharedPassword } from './fleet.ts'
import { createLoader, sendOrThrow, type Call, type Loader } from './load.ts'
import { createProfiler, parts, type Profiler } from './main-thread-profile.ts'

const sites = 10_000
const members = 199
const connections = 4
const warmUp = 1500

interface Profiled {
  readonly name: string
  readonly rounds: number
  call(at: number): Call
}

/** Shares of each kind of call. */
export async function bench(): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'easydash-profiles-'))
  const agent = new URL('./profile-agent.mjs', import.meta.url).href
  const product = await startProduct({
    env: { ...benchSettings, EASYDASH_PROFILES: folder, NODE_OPTIONS: `--import=${agent}` },
  })
  try {
    const { server } = await signUpOwner(product)
    const database = await connectTo(product)
    const loader = createLoader(product.port, connections)
    try {
      await addMembers(database, members, 'Organization User')
      await addSites(database, sites, server, members)
      const headers = await openWritingSession(database, 'owner@bench.example')
      const main = (await product.processes()).findLast(({ command }) => command.includes('scripts/start.mjs'))
      if (!main) throw new Error('There is no main process.')
      const profiler = createProfiler(main.pid, folder)
      const figures: Figure[] = []
      for (const kind of profiled(headers)) figures.push(...(await profile(product, loader, profiler, kind)))
      return figures
    } finally {
      loader.close()
      await database.end()
    }
  } finally {
    await product.close()
    await rm(folder, { recursive: true })
  }
}

function profiled(headers: Record<string, string>): Profiled[] {
  return [
    {
      name: 'whoami',
      rounds: 3000,
      call: () => ({ path: '/api/method/frappe.auth.get_logged_user', headers }),
    },
    ...callKinds(headers),
    {
      name: 'login',
      rounds: 40,
      call: (at) => ({
        method: 'POST',
        path: '/api/method/login',
        headers: { 'content-type': 'application/json', 'user-agent': 'bench' },
        body: JSON.stringify({ usr: memberEmail(1 + (Math.abs(at) % members)), pwd: sharedPassword }),
      }),
    },
  ]
}

async function send(loader: Loader, { call }: Profiled, from: number, to: number): Promise<void> {
  let at = from
  const client = async (): Promise<void> => {
    while (at < to) {
      at += 1
      await sendOrThrow(loader, call(at - 1))
    }
  }
  await Promise.all(Array.from({ length: connections }, client))
}

async function profile(product: Product, loader: Loader, profiler: Profiler, kind: Profiled): Promise<Figure[]> {
  const { name, rounds } = kind
  await send(loader, kind, -1 - Math.min(warmUp, rounds), -1)
  const before = await timesOf(product, profiler.pid)
  await send(loader, kind, 0, rounds)
  const after = await timesOf(product, profiler.pid)
  const used = new Map<string, number>()
  for (const [thread, { part, ns }] of after) {
    const ms = (ns - (before.get(thread)?.ns ?? 0)) / 1e6 / rounds
    used.set(part, (used.get(part) ?? 0) + ms)
  }
  // The profiler takes time itself, in a thread of its own.
  const { shares, largest } = await profiler.during(() => send(loader, kind, rounds, 2 * rounds))
  if (process.env['EASYDASH_PROFILE_FUNCTIONS'])
    for (const [what, share] of largest) process.stdout.write(`  ${name}  ${(share * 100).toFixed(1)} %  ${what}\n`)
  const thread = used.get('main thread') ?? 0
  return [
    { name: `${name}: all processes`, value: [...used.values()].reduce((sum, ms) => sum + ms, 0), unit: 'ms' },
    ...[...used].map(([part, value]) => ({ name: `${name}: ${part}`, value, unit: 'ms' })),
    ...parts.map((part) => ({ name: `${name}: main thread, ${part}`, value: thread * shares[part], unit: 'ms' })),
  ]
}

/** Processor time of each thread in nanoseconds so far, and what it is for. */
async function timesOf(product: Product, main: number): Promise<Map<string, { part: string; ns: number }>> {
  const times = new Map<string, { part: string; ns: number }>()
  for (const { pid, command } of await product.processes()) {
    // One may end meanwhile.
    for (const thread of await readdir(`/proc/${pid}/task`).catch(() => [])) {
      const stat = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')
      times.set(`${pid}/${thread}`, {
        part: partOf(command, Number(thread), main, pid),
        ns: Number(stat.split(' ')[0]),
      })
    }
  }
  return times
}

function partOf(command: string, thread: number, main: number, pid: number): string {
  if (command.startsWith('postgres')) return 'PostgreSQL'
  if (pid !== main) return 'other processes'
  return thread === main ? 'main thread' : 'other threads of V8 and libuv'
}
