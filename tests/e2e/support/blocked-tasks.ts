import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockedMessage, longestTaskMs } from '#server/platform/log/loop-watchdog.ts'

/** What the watchdog writes: which task, for how long, and how much of that it had the processor (milliseconds). */
interface BlockedEntry {
  task: string
  tookMs: number
  processorMs: number
  time: string
}

/**
 * What blocked the event loop of a product, by its log: one line for each time. Only a task that used the processor for
 * half of its time counts. The others stood still with the whole machine (a virtual machine that is not scheduled, code
 * that is read back from the disk), which says nothing of the program. And it must have used the processor for ten times the
 * limit, which no task does on a machine four times slower. The log tells of all.
 */
export async function blockedTasks(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'logs')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('easydash.log'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.includes(blockedMessage))
    .map((line) => JSON.parse(line) as BlockedEntry)
    .filter(({ tookMs, processorMs }) => processorMs >= Math.max(tookMs / 2, 10 * longestTaskMs))
    .map(
      ({ task, tookMs, processorMs, time }) => `${task}: ${tookMs} ms, ${processorMs} ms of the processor, at ${time}`,
    )
}
