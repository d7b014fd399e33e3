/** Processes that a test kills (SIGKILL) at a crash point (`server/platform/processes/crash-point.ts`). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const orderVariable = 'EASYDASH_TEST_CHILD'

/** What this process is to do; null if it is not such a process, but a test that imports the same file. */
export function childOrder<T>(): T | null {
  const given = process.env[orderVariable]
  return given === undefined ? null : (JSON.parse(given) as T)
}

/** Kills a process, whose id it gets, as soon as something is visible from outside. */
export type Until = (kill: () => void, pid: number) => Promise<void>

/**
 * Runs a file in a process that kills itself at the crash point, or that `until` kills as soon as something is visible from outside.
 * Rejects if it ends in another way.
 */
export async function runAndKill(
  file: string,
  { point, order, until }: { point: string; order: object; until?: Until | undefined },
): Promise<void> {
  const child = spawn(process.execPath, [file], {
    env: { PATH: process.env['PATH'], [orderVariable]: JSON.stringify(order), EASYDASH_CRASH_AT: point },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let wrong = ''
  child.stderr.on('data', (chunk: Buffer) => {
    wrong += chunk.toString()
  })
  const closed = once(child, 'close')
  await until?.(() => child.kill('SIGKILL'), child.pid ?? 0)
  const [, signal] = (await closed) as [number | null, string | null]
  if (signal !== 'SIGKILL') throw new Error(`The process was not killed at ${point}: ${wrong}`)
}
