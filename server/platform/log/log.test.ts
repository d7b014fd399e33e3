import { existsSync, readdirSync, readFileSync, statSync, writeSync, openSync, renameSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openLogFile } from './log-file.ts'
import { createLog, readableLine } from './log.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'log-'))
})
afterEach(() => rm(directory, { recursive: true }))

const linesOf = (path: string) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('a line is JSON with level, time, message and fields; secrets are redacted in message, fields and errors', () => {
  const log = createLog({ directory, terminal: 'none', fields: { process: 'server' } })
  log
    .child({ request: 'r1' })
    .warn('Opened https://u:canary@h/?token=canary', { password: 'canary', error: new Error('sid=canary'), count: 2 })
  log.debug('not written')
  log.close()
  const [line, more] = linesOf(join(directory, 'easydash.log'))
  expect(line).toMatchObject({ level: 'warn', process: 'server', request: 'r1', count: 2, error: { name: 'Error' } })
  expect(Date.parse(String(line?.['time']))).not.toBeNaN()
  expect(JSON.stringify(line)).not.toContain('canary')
  expect(more).toBeUndefined()
  expect(statSync(join(directory, 'easydash.log')).mode & 0o777).toBe(0o600)
})

test('the terminal gets one readable line without control characters', () => {
  let printed = ''
  const log = createLog({ terminal: 'readable', print: (text) => void (printed += text) })
  log.info('quiet')
  log.warn('Two\nlines \u001B[2Jand more', { site: 'blog', error: new Error('broken') })
  expect(printed).toMatch(
    /^(?:\u001B\[33m)?\d\d:\d\d:\d\d warn {2}Two lines {1,2}\[2Jand more site=blog \(broken\)(?:\u001B\[0m)?\n$/,
  )
})

test('a readable line shows facts of every kind', () => {
  expect(
    readableLine('{"level":"info","time":"2026-01-02T03:04:05.000Z","msg":"Started","ms":5,"list":["a"]}', false),
  ).toBe('03:04:05 info  Started ms=5 list=["a"]')
})

test('rotates a full file and keeps a limited number of old ones', () => {
  const path = join(directory, 'a.log')
  const file = openLogFile({ path, maxBytes: 100, keep: 2 })
  for (let n = 0; n < 10; n += 1) file.write(`${n} ${'x'.repeat(50)}\n`)
  file.close()
  expect(readdirSync(directory).sort()).toEqual(['a.log', 'a.log.1', 'a.log.2'])
  expect(readFileSync(path, 'utf8')).toMatch(/^9 /)
  expect(readFileSync(`${path}.1`, 'utf8')).toMatch(/^8 /)
  const again = openLogFile({ path, maxBytes: 100, keep: 2 })
  again.write('tail\n')
  again.close()
  expect(readFileSync(path, 'utf8')).toMatch(/^9 x+\ntail\n$/)
})

test('a full disk drops lines, keeps the program alive and says how many were lost', () => {
  let full = false
  const path = join(directory, 'b.log')
  const file = openLogFile({
    path,
    fs: {
      openSync,
      renameSync,
      writeSync: (fd, data) => {
        if (full) throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
        return writeSync(fd, data)
      },
    },
  })
  file.write('{"msg":"one"}\n')
  full = true
  file.write('{"msg":"two"}\n')
  file.write('{"msg":"three"}\n')
  full = false
  file.write('{"msg":"four"}\n')
  file.close()
  expect(linesOf(path).map((line) => line['msg'])).toEqual([
    'one',
    '2 log lines were lost: the disk could not take them',
    'four',
  ])
})

test('short writes are completed', () => {
  const path = join(directory, 'c.log')
  const file = openLogFile({
    path,
    fs: { openSync, renameSync, writeSync: (fd, data) => writeSync(fd, data.subarray(0, 3)) },
  })
  file.write('a longer line\n')
  file.close()
  expect(readFileSync(path, 'utf8')).toBe('a longer line\n')
  expect(existsSync(`${path}.1`)).toBe(false)
})
