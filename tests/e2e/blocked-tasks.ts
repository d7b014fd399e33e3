import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { blockedMessage } from '#server/platform/loop-watchdog.ts'

/** What blocked the event loop of a product, by its log: one line for each time. */
export async function blockedTasks(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'logs')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('easydash.log'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.includes(blockedMessage))
    .map((line) => {
      const { task, tookMs, processorMs, time } = JSON.parse(line) as Record<string, unknown>
      return `${String(task)}: ${String(tookMs)} ms, ${String(processorMs)} ms of the processor, at ${String(time)}`
    })
}
