/** Processor time, which other load on the machine does not affect. Linux only; 0 elsewhere. */
import { readFile } from 'node:fs/promises'
import type { Product } from '#tests/e2e/support/harness.ts'

/** Linux reports hundredths of a second, whatever its clock rate. */
const msPerTick = 10

/** Processor time of one process so far in milliseconds, user and system; 0 if it has exited. */
export async function processorMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * msPerTick
}

/** Processor time of all processes of a product (server, database, helpers) while `work` runs, in milliseconds. */
export async function processorMsOf(product: Product, work: () => Promise<unknown>): Promise<number> {
  const before = await snapshot(product)
  await work()
  const after = await snapshot(product)
  return [...after].reduce((sum, [pid, used]) => sum + used - (before.get(pid) ?? 0), 0)
}

async function snapshot(product: Product): Promise<Map<number, number>> {
  const processes = await product.processes()
  return new Map(await Promise.all(processes.map(async ({ pid }) => [pid, await processorMs(pid)] as const)))
}
