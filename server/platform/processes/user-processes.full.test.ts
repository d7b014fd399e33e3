import { spawn } from 'node:child_process'
import { afterEach, describe, expect, it } from 'vitest'
import { endProcessesOf, processesOf } from './user-processes.ts'

/** Used by no installation's sites and no user. */
const uid = 53_777
const isRoot = process.getuid?.() === 0

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition()))
    await new Promise((resolve) => {
      setTimeout(resolve, 10)
    })
}

/** A shell running as that user; always ended after the test. */
const shell = (script: string) =>
  spawn('/bin/sh', ['-c', script], { uid, gid: uid, cwd: '/', stdio: 'ignore', detached: true }).unref()

// Switching users requires root; otherwise sites have no users of their own.
describe.skipIf(!isRoot)('processes of a user', () => {
  afterEach(() => endProcessesOf(uid))

  it('are all ended: children, sessions of their own, what ignores signals', async () => {
    shell('trap "" TERM HUP INT; sleep 300 & (setsid sleep 300 &) ; wait')
    await until(async () => (await processesOf(uid)).length >= 3)
    await endProcessesOf(uid)
    expect(await processesOf(uid)).toEqual([])
  })

  it('are ended though they start others all the time', async () => {
    shell('f() { i=0; while [ $i -lt 400 ]; do (sleep 0.05; true) & i=$((i+1)); sleep 0.002; done; }; f & f & wait')
    await until(async () => (await processesOf(uid)).length >= 8)
    await endProcessesOf(uid)
    expect(await processesOf(uid)).toEqual([])
  })

  it('does nothing without processes, and rejects system users', async () => {
    await endProcessesOf(uid)
    await expect(endProcessesOf(0)).rejects.toThrow('not a site')
    await expect(endProcessesOf(33)).rejects.toThrow('not a site')
  })
})
