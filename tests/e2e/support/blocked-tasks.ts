import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockedMessage } from '#server/platform/log/loop-watchdog.ts'

/** An entry of the watchdog: the task, its duration, and its CPU time (milliseconds). */
interface BlockedEntry {
  task: string
  tookMs: number
  processorMs: number
  time: string
}

/**
 * What blocked a product's event loop, from its log, one line per occurrence. Only tasks that used the CPU for at least half
 * of their duration count. Others stalled together with the machine (a virtual machine that isn't scheduled, code paged in
 * from disk), which says nothing about the program. The log has both.
 */
export async function blockedTasks(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'logs')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('easydash.log'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.includes(blockedMessage))
    .map((line) => JSON.parse(line) as BlockedEntry)
    .filter(({ tookMs, processorMs }) => processorMs >= tookMs / 2)
    .map(
      ({ task, tookMs, processorMs, time }) => `${task}: ${tookMs} ms, ${processorMs} ms of the processor, at ${time}`,
    )
}
