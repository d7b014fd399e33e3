import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { lowerPriorityOf } from './process-tree.ts'

test.runIf(process.platform === 'linux')('the priority of a process is lowered with all its threads', async () => {
  // Node's own threads, and those of its thread pool, which start with its first task.
  const program = `require('fs').readFile('/dev/null', () => { console.log('ready'); setInterval(() => undefined, 1000) })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'ignore'] })
  try {
    await once(child.stdout, 'data')
    const pid = child.pid ?? 0
    const priorities = (): number[] => readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)))
    expect(priorities().length).toBeGreaterThan(4)
    lowerPriorityOf(pid, 12)
    expect(new Set(priorities())).toEqual(new Set([12]))
  } finally {
    child.kill('SIGKILL')
  }
})

test('ignores the priority of a process that has exited', async () => {
  const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(child, 'exit')
  expect(() => lowerPriorityOf(child.pid ?? 0, 12)).not.toThrow()
})
