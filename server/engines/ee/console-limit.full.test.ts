import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scriptText } from './remote-script.ts'

/** A Docker whose command never ends, also inside of its container. */
const docker = `#!/bin/sh
[ "$1" != ps ] || { echo box; exit; }
trap '' TERM
while [ "$1" != -e ]; do shift; done
env "$2" sleep 1000 > /dev/null 2>&1 &
wait
sleep 1000
`

test('whatever code does, its end comes from outside of the container', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'limit-'))
  try {
    await writeFile(join(folder, 'docker'), docker, { mode: 0o755 })
    const env = { PATH: `${folder}:${process.env['PATH']}` }
    const input = scriptText('console', { program: 'x' })
    const args = ['-s', '--', 'a.example', '/x', '0', '100']
    // The last of these is open as long as anything of it runs.
    const stdio = ['pipe', 'pipe', 'pipe', 'pipe'] as const
    const ended = spawnSync('sh', args, { input, env, stdio: [...stdio], encoding: 'utf8', timeout: 50_000 })
    expect(ended.error).toBeUndefined()
    expect(ended.stdout).toMatch(/^ended:137 \d+\n$/)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
