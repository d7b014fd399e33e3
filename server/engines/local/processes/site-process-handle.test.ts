import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EngineError } from '../../engine.ts'
import type { Command } from '../sandbox/sandbox.ts'
import { startSiteProcess, type SiteProcess } from './site-process-handle.ts'
import type { SiteStart } from '../sites/site-start.ts'

/*
 * Attacks that a site's process could make on the engine through its inherited streams; any program can take its place here.
 * An uncaught error fails these tests, as it would crash the dashboard.
 */

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handle-'))
  for (const name of ['www', 'logs', 'outbox']) await mkdir(join(folder, name))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

/** Prepended to each program: `send` writes lines to the control stream, `onMessage` receives those of the engine. */
const prelude = `
  const { Socket } = require('node:net')
  const control = new Socket({ fd: 3 })
  control.on('error', () => undefined)
  const send = (...lines) => control.write(lines.map((line) => JSON.stringify(line) + '\\n').join(''))
  const onMessage = (listener) => control.on('data', (chunk) => chunk.toString().trim().split('\\n').forEach((line) => listener(JSON.parse(line))))
`

interface Started {
  start: Promise<SiteProcess>
  /** Process ids that were recorded and not removed. */
  noted: Set<number>
}

/** Starts a program as a site's process. `below`: as the child of another one, as sandboxes do. */
function started(
  program: string,
  { below = false, notes }: { below?: boolean; notes?: SiteStart['notes'] } = {},
): Started {
  const own: Command = { file: process.execPath, args: ['-e', prelude + program] }
  const command = below ? { file: '/bin/sh', args: ['-c', '"$@"; exit $?', 'sh', own.file, ...own.args] } : own
  const noted = new Set<number>()
  const start = startSiteProcess({
    boot: {
      type: 'boot',
      siteType: 'php',
      phpVersion: '8.3',
      url: 'http://site.localhost',
      served: [],
      uid: null,
      offline: false,
      limits: { usual: 60, admin: 300 },
      memoryMb: 128,
      uploadMb: 64,
      debug: false,
      isNetwork: false,
      protections: [],
      quota: {
        maxBytes: { files: 1, logs: 1, outbox: 1 },
        usedBytes: { files: 0, logs: 0, outbox: 0 },
        maxEntries: 1,
        usedEntries: 0,
      },
    },
    folder,
    socket: join(folder, 'site.sock'),
    notes: notes ?? { add: (pid) => noted.add(pid), remove: (pid) => noted.delete(pid) },
    sandbox: { kind: 'none', noNewPrivileges: false, wrap: () => command },
    database: null,
    isClosed: false,
    nodeArguments: [],
  })
  return { start, noted }
}

/** The error of a failed start. */
async function failure(start: Promise<SiteProcess>): Promise<EngineError> {
  const error: unknown = await start.catch((reason: unknown) => reason)
  if (!(error instanceof EngineError)) throw error
  return error
}

const ended = 'The site’s process was ended: it sent Easydash'

test('a process that greets, and is ready when it was onMessage what to run, has started', async () => {
  const { start, noted } = started(
    `send({ type: 'hello' }); onMessage(({ type }) => { if (type === 'boot') send({ type: 'ready', journalMode: 'delete' }) })`,
  )
  const site = await start
  expect([...noted]).toEqual([site.pid])
  await site.stop()
  expect([site.journalMode, noted.size]).toEqual(['delete', 0])
})

describe('a process is ended', () => {
  test.each([
    ['greets twice', `send({ type: 'hello' }, { type: 'hello' })`, 'a second greeting'],
    [
      'greets without end',
      `const flood = () => { while (send({ type: 'hello' })); control.once('drain', flood) }; flood()`,
      'a second greeting',
    ],
    ['sends no JSON', `control.write('{"type":\\n')`, 'a message of unknown form'],
    ['speaks for another site', `send({ type: 'crash', site: 'other' })`, 'a message of unknown form'],
    [
      'begins runs without end',
      `for (let run = 0; run < 200; run += 1) send({ type: 'run-start', run, request: null })`,
      'more requests than there were',
    ],
    [
      'sends a line without end',
      `setInterval(() => control.write('x'.repeat(60_000)), 1)`,
      'a message of more than 524288 bytes',
    ],
    [
      'sends large messages',
      `const line = { type: 'run-end', run: 1, more: 'x'.repeat(500_000) }; send(line, line, line, line)`,
      'more than 1048576 bytes a second',
    ],
    [
      'complains without end',
      `const flood = () => { while (process.stderr.write('x'.repeat(60_000))); process.stderr.once('drain', flood) }; flood()`,
      'more than 1048576 bytes of error output a second',
    ],
  ])('that %s', async (_what, program, what) => {
    const { start, noted } = started(`${program}; setInterval(() => undefined, 1_000)`)
    expect((await failure(start)).localized.text).toBe(`${ended} ${what}.`)
    expect(noted.size).toBe(0)
  })

  const full = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
  test.each([
    ['the first', 0, false],
    ['the inner', 1, true],
  ])('when %s process cannot be noted', async (_which, room, below) => {
    const noted: number[] = []
    const notes: SiteStart['notes'] = {
      add: (pid) => {
        if (noted.length >= room) throw full
        noted.push(pid)
      },
      remove: (pid) => void noted.splice(noted.indexOf(pid), 1),
    }
    const { start } = started(`send({ type: 'hello' }); onMessage(() => send({ type: 'ready', journalMode: null }))`, {
      below,
      notes,
    })
    const error = await failure(start)
    expect(error.localized.text).toBe('The site’s process was ended: the disk of this machine has no room.')
    expect(error.cause).toBe(full)
    expect(noted).toEqual([])
  })
})
