import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockedMessage } from '#server/platform/loop-watchdog.ts'

/** What the watchdog writes: which task, for how long (milliseconds), and whether others' share is taken off already. */
interface BlockedEntry {
  task: string
  tookMs: number
  processorMs: number
  othersKnown: boolean
  time: string
}

/**
 * What blocked the event loop of a product, by its log: one line for each time. Where the system hides how long other
 * programs had the processor, only a task that used it for half of its time counts: else the test would measure how busy
 * the machine is.
 */
export async function blockedTasks(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'logs')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('easydash.log'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.includes(blockedMessage))
    .map((line) => JSON.parse(line) as BlockedEntry)
    .filter(({ tookMs, processorMs, othersKnown }) => othersKnown || processorMs >= tookMs / 2)
    .map(
      ({ task, tookMs, processorMs, time }) => `${task}: ${tookMs} ms, ${processorMs} ms of the processor, at ${time}`,
    )
}
