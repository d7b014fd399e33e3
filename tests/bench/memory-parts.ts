/** Memory of the product's processes. Linux only. */
import { readFile } from 'node:fs/promises'
import type { Product } from '#tests/e2e/support/harness.ts'

/** Proportional set size of each process in bytes; without npm's own process. */
export async function memoryParts(product: Product): Promise<{ command: string; bytes: number }[]> {
  const processes = (await product.processes()).filter(({ command }) => !/^npm /.test(command))
  return await Promise.all(processes.map(async ({ pid, command }) => ({ command, bytes: await memoryOf(pid) })))
}

/** Proportional set size of a process in bytes. */
export async function memoryOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024
}
