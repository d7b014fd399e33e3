import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Sends the signal to a process that ran `code` first, and returns whether its inspector is listening. */
async function listensAfterSignal(code: string): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'inspector-'))
  const script = join(folder, 'signalled.mjs')
  await writeFile(
    script,
    `import { url } from 'node:inspector'
    ${code}
    process.on('message', () => process.send(url() !== undefined))
    process.send('ready')`,
  )
  const child = fork(script, [], { execArgv: ['--inspect-port=0'], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
  try {
    await once(child, 'message')
    child.kill('SIGUSR1')
    // The inspector starts in a separate thread: poll until it listens, up to a hundred times.
    for (let at = 0; at < 100; at += 1) {
      child.send('asked')
      const [listens] = (await once(child, 'message')) as [boolean]
      if (listens) return true
    }
    return false
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true })
  }
}

test('a signal opens no inspector', async () => {
  expect(await listensAfterSignal('')).toBe(true)
  const module = new URL('./inspector-signal.ts', import.meta.url).href
  const code = `const { ignoreInspectorSignal } = await import(${JSON.stringify(module)}); ignoreInspectorSignal()`
  expect(await listensAfterSignal(code)).toBe(false)
})
