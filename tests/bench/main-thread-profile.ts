/** Where the time of the product's main thread goes, from profiles of V8 (`profile-agent.mjs`). */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** What the main thread does, as rows of a table. */
export const parts = [
  'ours',
  'pg and Kysely',
  'Fastify',
  'sockets and HTTP',
  'collector',
  'native and the rest',
] as const
export type Part = (typeof parts)[number]

interface ProfileNode {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string }
  readonly children?: readonly number[]
}

interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/** Profiles of one process. */
export interface Profiler {
  readonly pid: number
  /** Shares of the time in which the thread was busy while `work` ran, and the functions that took most of it by themselves. */
  during(work: () => Promise<unknown>): Promise<{ shares: Record<Part, number>; largest: [string, number][] }>
}

/** Profiles a process that has the agent, with the folder it writes to. */
export function createProfiler(pid: number, folder: string): Profiler {
  let at = 0
  const toggle = async (): Promise<string> => {
    at += 1
    const path = join(folder, `${pid}-${at}`)
    process.kill(pid, 'SIGUSR2')
    while (!existsSync(path)) await delay(20)
    return path
  }
  return {
    pid,
    async during(work) {
      await toggle()
      await work()
      return summary(await readProfile(await toggle()))
    },
  }
}

/** The file is there before all of it is written. */
async function readProfile(path: string): Promise<Profile> {
  for (;;) {
    const text = await readFile(path, 'utf8')
    if (text.endsWith('}')) return JSON.parse(text) as Profile
    await delay(20)
  }
}

function summary({ nodes, samples, timeDeltas }: Profile): Awaited<ReturnType<Profiler['during']>> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])))
  const time = new Map<Part, number>(parts.map((part) => [part, 0]))
  const own = new Map<string, number>()
  let busy = 0
  samples.forEach((id, index) => {
    const node = byId.get(id)
    const took = timeDeltas[index] ?? 0
    if (!node || node.callFrame.functionName === '(idle)' || node.callFrame.url === 'node:inspector') return
    busy += took
    const part = partOf(node, parents)
    time.set(part, (time.get(part) ?? 0) + took)
    const name = `${node.callFrame.functionName || '(anonymous)'} ${node.callFrame.url.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '')}`
    own.set(name, (own.get(name) ?? 0) + took)
  })
  return {
    shares: Object.fromEntries([...time].map(([part, took]) => [part, took / busy])) as Record<Part, number>,
    largest: [...own]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 25)
      .map(([name, took]) => [name, took / busy]),
  }
}

/** Native functions and Node's own count for who called them; what Node itself calls, for sockets and HTTP. */
function partOf(node: ProfileNode, parents: ReadonlyMap<number, ProfileNode>): Part {
  if (node.callFrame.functionName === '(garbage collector)') return 'collector'
  let isNode = false
  for (let at: ProfileNode | undefined = node; at; at = parents.get(at.id)) {
    const { url } = at.callFrame
    if (/\/node_modules\/(?:pg|pg-[a-z]+|kysely|postgres-[a-z]+)\//.test(url)) return 'pg and Kysely'
    isNode ||= url.startsWith('node:')
    // Whoever answers calls Node's functions of the socket.
    if (isNode) continue
    if (/\/node_modules\//.test(url)) return 'Fastify'
    if (url.startsWith('file:')) return 'ours'
  }
  return isNode ? 'sockets and HTTP' : 'native and the rest'
}
