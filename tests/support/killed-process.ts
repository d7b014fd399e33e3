/** Processes that a test kills (SIGKILL) at a crash point (`server/platform/processes/crash-point.ts`). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import type { Documents } from '#server/contracts/documents.ts'
import { systemSession } from '#server/jobs/session.ts'
import { JobDoctype } from '#shared/doctypes/job.ts'
import type { TestClock } from './jobs.ts'

/**
 * Goes on with a job in a process that is to be killed, for which it waits for ever. That the worker before is dead is found out at once.
 */
export async function goOn(documents: Documents, job: string, clock: TestClock): Promise<never> {
  const read = () => documents.transaction(systemSession(), (tx) => tx.get(JobDoctype, job))
  const first = (await read())?.attempt
  for (;;) {
    const now = await read()
    // The worker before it is found dead by its second look, two seconds later.
    if (now?.attempt === first || now?.steps?.some((step) => step.wait)) clock.pass(3000)
    // Slowly: a start that takes long must not use up the time that the job has.
    await wait(200)
  }
}

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
  await Promise.race([until?.(() => child.kill('SIGKILL'), child.pid ?? 0), closed])
  const [, signal] = (await closed) as [number | null, string | null]
  if (signal !== 'SIGKILL') throw new Error(`The process was not killed at ${point}: ${wrong}`)
}
