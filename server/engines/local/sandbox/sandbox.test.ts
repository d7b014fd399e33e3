import { execFile, spawn } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { describeSandbox } from './describe-sandbox.ts'
import { chooseSandbox, findSandboxPrograms, type SandboxPrograms } from './sandbox.ts'

const run = promisify(execFile)
const nothing: SandboxPrograms = { bwrap: null, unshare: null, setpriv: null, prlimit: null }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

const program = async (name: string, code: string): Promise<string> => {
  const path = join(folder, name)
  await writeFile(path, `#!/bin/sh\n${code}\n`)
  await chmod(path, 0o755)
  return path
}

test('programs are found in the folders given, and only what can be run', async () => {
  await program('bwrap', 'exit 0')
  await writeFile(join(folder, 'unshare'), 'no program')
  expect(findSandboxPrograms([folder])).toEqual({ ...nothing, bwrap: join(folder, 'bwrap') })
})

describe.runIf(process.platform === 'linux')('the choice', () => {
  test('without the programs there is no sandbox, and the command runs unchanged', async () => {
    const sandbox = await chooseSandbox(nothing)
    expect([sandbox.kind, sandbox.noNewPrivileges]).toEqual(['none', false])
    const command = { file: '/bin/echo', args: ['a b', '--'] }
    expect(sandbox.wrap(command, { readable: [], writable: [], current: '/' })).toEqual(command)
  })

  test('a program that does not work here is not used', async () => {
    const bwrap = await program('bwrap', 'echo "No permissions to create new namespace" >&2; exit 1')
    const unshare = await program('unshare', 'exit 1')
    const setpriv = await program('setpriv', 'exit 127')
    const prlimit = await program('prlimit', 'exit 1')
    const sandbox = await chooseSandbox({ bwrap, unshare, setpriv, prlimit })
    expect([sandbox.kind, sandbox.noNewPrivileges]).toEqual(['none', false])
    const command = { file: '/bin/echo', args: [] }
    expect(sandbox.wrap(command, { readable: [], writable: [], current: '/' })).toEqual(command)
  })

  test.for(['bubblewrap', 'namespaces'] as const)(
    '%s hides processes and network, and forbids new privileges',
    async (kind, context) => {
      const all = findSandboxPrograms()
      const sandbox = await chooseSandbox({ ...all, ...(kind === 'bubblewrap' ? { unshare: null } : { bwrap: null }) })
      if (sandbox.kind !== kind) context.skip(`This machine has no sandbox of the kind ${kind}.`)
      const script = `const fs = require('fs')
      console.log(JSON.stringify({
        processes: fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)).length,
        networks: Object.values(require('os').networkInterfaces()).flat().filter((entry) => !entry.internal).length,
        privileges: /NoNewPrivs:\\s*1/.test(fs.readFileSync('/proc/self/status', 'utf8')),
        home: fs.existsSync(${JSON.stringify(folder)}),
        // In memory, which no limit counts.
        filled: ${kind === 'bubblewrap'} ? ['/', '/tmp', '/dev', '/dev/shm'].filter((path) => {
          try { fs.writeFileSync(path + '/filled', 'x'); return true } catch { return false }
        }) : [],
        uid: process.getuid(),
      }))`
      const { file, args } = sandbox.wrap(
        { file: process.execPath, args: ['-e', script] },
        { readable: [process.execPath], writable: [], current: '/' },
      )
      const { stdout } = await run(file, args, { env: {} })
      expect(JSON.parse(stdout)).toEqual({
        processes: kind === 'namespaces' && process.getuid?.() === 0 ? 2 : 1,
        networks: 0,
        privileges: sandbox.noNewPrivileges,
        home: kind === 'namespaces',
        filled: [],
        uid: process.getuid?.(),
      })
    },
  )
})

test.for(['bubblewrap', 'namespaces', 'none'] as const)(
  'in %s a program that computes without end ends with the engine, even if that is killed',
  async (kind, context) => {
    const { bwrap, unshare, ...others } = findSandboxPrograms()
    const sandbox = await chooseSandbox({
      ...others,
      bwrap: kind === 'bubblewrap' ? bwrap : null,
      unshare: kind === 'namespaces' ? unshare : null,
    })
    const isRoot = process.getuid?.() === 0
    if (sandbox.kind !== kind || others.setpriv === null) context.skip('This machine has no such sandbox.')
    // Root's programs become the site's user, where only a namespace holds them.
    if (isRoot && kind !== 'namespaces') context.skip('Only for other users than root.')
    const command = sandbox.wrap(
      {
        file: process.execPath,
        args: ['-e', `${isRoot ? 'process.setuid(65534);' : ''} console.log('up'); for (;;);`],
      },
      { readable: [process.execPath], writable: [], current: '/' },
    )
    const code = `const { file, args } = ${JSON.stringify(command)}
      const { pid } = require('child_process').spawn(file, args, { stdio: ['ignore', 'inherit', 'ignore'], detached: true })
      console.log(pid)`
    const engine = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    context.onTestFailed(() => void process.kill(-Number(/\d+/.exec(output)), 'SIGKILL'))
    for await (const chunk of engine.stdout) {
      output += String(chunk)
      if (output.includes('up')) engine.kill('SIGKILL')
    }
    // Its output ended: the program is gone.
    expect(output).toMatch(/^(?:up\n)?\d+\n(?:up\n)?$/)
  },
)

test.runIf(findSandboxPrograms().prlimit !== null)('memory and open files have a limit in every sandbox', async () => {
  const all = findSandboxPrograms()
  for (const programs of [all, { ...all, bwrap: null }, { ...all, bwrap: null, unshare: null }]) {
    const sandbox = await chooseSandbox(programs)
    const { file, args } = sandbox.wrap(
      { file: process.execPath, args: ['-p', 'require("fs").readFileSync("/proc/self/limits", "utf8")'] },
      { readable: [process.execPath], writable: [], current: '/' },
    )
    const { stdout } = await run(file, args, { env: {} })
    expect(stdout).toMatch(/^Max data size +3221225472 +3221225472 /m)
    expect(stdout).toMatch(/^Max open files +1024 +1024 /m)
    if (process.getuid?.() === 0) expect(stdout).toMatch(/^Max processes +256 +256 /m)
    expect(stdout).toMatch(/^Max core file size +0 +0 /m)
  }
})

test('a weaker sandbox names how to get the best one', () => {
  expect(describeSandbox({ kind: 'bubblewrap', noNewPrivileges: true }, 'linux').isBest).toBe(true)
  for (const kind of ['namespaces', 'none'] as const) {
    const { isBest, text } = describeSandbox({ kind, noNewPrivileges: false }, 'linux')
    expect(isBest).toBe(false)
    expect(text).toContain('bubblewrap')
    expect(text).toContain('util-linux')
  }
  expect(describeSandbox({ kind: 'none', noNewPrivileges: false }, 'darwin').text).toContain('only Linux')
})
