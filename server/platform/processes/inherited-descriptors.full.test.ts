import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const helper = new URL('./inherited-descriptors.ts', import.meta.url).href

/** Number of the inherited file: behind a gap, as with `exec 40>file` in a shell. */
const inherited = 40

/** A program that starts another one, which writes to every open file it finds. */
const outer = `
  import { spawn } from 'node:child_process'
  import { withoutInheritedDescriptors } from ${JSON.stringify(helper)}
  const inner = \`
    const fs = require('fs')
    for (let at = 6; at < 64; at += 1) { try { fs.writeSync(at, 'inner') } catch {} }
    fs.writeSync(1, 'done ')
    fs.writeSync(5, 'named ')
  \`
  const start = (stdio) => spawn(process.execPath, ['-e', inner], { stdio })
  const stdio = ['ignore', 'inherit', 'inherit', 'ignore', 'ignore', 1]
  process.argv[1] === 'guarded' ? withoutInheritedDescriptors(stdio, start) : start(stdio)
`

async function writtenTo(mode: 'guarded' | 'plain'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'strays-'))
  const file = await open(join(folder, 'lock'), 'w')
  try {
    const stdio = Array.from({ length: inherited + 1 }, (_, at) =>
      at === 1 ? 'pipe' : at === inherited ? file.fd : 'ignore',
    )
    const child = spawn(process.execPath, ['--input-type=module', '-e', outer, mode], {
      stdio: stdio as ['ignore', 'pipe'],
    })
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await once(child, 'close')
    expect(output).toBe('done named ')
    return await readFile(join(folder, 'lock'), 'utf8')
  } finally {
    await file.close()
    await rm(folder, { recursive: true })
  }
}

test('a file that was left open to us is none of the programs we start', async () => {
  expect(await writtenTo('guarded')).toBe('')
})

test.runIf(process.platform === 'linux')('without it they would inherit the file', async () => {
  expect(await writtenTo('plain')).toBe('inner')
})
