import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { JobContext } from '#server/contracts/job.ts'
import type { Engine } from '#server/engines/engine.ts'
import { readChunk } from '#server/engines/log-chunk.ts'
import type { LogChunk, LogRange } from '#server/engines/site-logs.ts'
import { thisMachine, type SiteRef } from '#server/engines/site-ref.ts'
import { checkChangedCode, lookBeforeStep } from './code-check.ts'

const site: SiteRef = { id: 'blog', domain: 'blog', siteType: 'wp', phpVersion: '8.3', server: thisMachine }
const never = () => new Promise<never>(() => undefined)

/** The logs that exist, by name. */
let files: Record<string, { file: string; text: string }>
/** What a visit of the homepage does besides. */
let onVisit: () => Promise<void> | void
let onRead: (log: string) => Promise<void> | void
let lines: string[]

beforeEach(() => {
  files = {}
  onVisit = onRead = () => undefined
  lines = []
})
afterEach(() => void vi.useRealTimers())

function report(text: string, log = 'php', file = 'first') {
  files[log] ??= { file, text: '' }
  files[log].text += `[24-Nov-2026 23:10:11 UTC] PHP Fatal error:  ${text}\n`
}

async function read(_site: SiteRef, log: string, range: LogRange): Promise<LogChunk> {
  await onRead(log)
  const known = files[log]
  if (known === undefined) return readChunk([], range)
  const content = Buffer.from(known.text)
  const segment = {
    file: known.file,
    size: content.length,
    read: async (from: number, length: number) => content.subarray(from, from + length),
  }
  return readChunk([segment], range)
}

const engine = {
  siteUrl: () => 'http://blog.localhost',
  async request() {
    await onVisit()
    return { status: 200, headers: {}, body: '<html></html>', ttfbMs: 1, tookMs: 1 }
  },
  logs: { read },
} as unknown as Engine

function stepOf(signal = new AbortController().signal) {
  const kept: Record<string, unknown> = {}
  const keep = (values: object) => void Object.assign(kept, values)
  return { kept, keep, signal, log: (line: string) => void lines.push(line) } as unknown as JobContext
}

/** Changes the code of the site. What a visit does with the old one and with the fresh one, and what happens between look and check. */
async function changing(old: typeof onVisit, between: () => void, fresh: typeof onVisit): Promise<unknown> {
  const step = stepOf()
  onVisit = old
  await lookBeforeStep(engine, site).run(step)
  between()
  onVisit = fresh
  return checkChangedCode(engine, site, step, 'plugin')
}

const nothing = () => undefined
const newError = /not there before: “Fatal error: New/

test('an error that the new code brings is none of the old one', async () => {
  report('Old')
  await expect(changing(nothing, nothing, () => report('New'))).rejects.toThrow(newError)
  files = {}
  await expect(
    changing(nothing, nothing, () => report('New', 'debug')),
    'its first one',
  ).rejects.toThrow(newError)
})

test('an error between the look and the check, or of each page before and after, is not of the change', async () => {
  let size = 0
  const always = () => report(`Allowed memory size of ${(size += 7)} bytes exhausted`)
  await expect(changing(nothing, () => report('Visitor'), nothing)).resolves.toMatchObject({ health: 'Up' })
  await expect(changing(always, () => report('Visitor'), always)).resolves.toMatchObject({ health: 'Up' })
  const both = () => void [always(), report('New')]
  await expect(changing(always, nothing, both)).rejects.toThrow(newError)
})

test.each([
  ['emptied', () => (files = { php: { file: 'first', text: '' } })],
  ['rotated', () => (files = {})],
])('a log that is %s before the check or during it is read on', async (_how, lose) => {
  const fill = () => ['One', 'Two', 'Three'].forEach((text) => report(text))
  fill()
  await expect(
    changing(nothing, () => void [lose(), report('Visitor', 'php', 'second')], nothing),
  ).resolves.toBeTruthy()
  fill()
  const during = () => void [lose(), report('New', 'php', 'third')]
  await expect(changing(nothing, nothing, during)).rejects.toThrow(newError)
})

test('without one log the other decides', async () => {
  onRead = (log) => (log === 'php' ? Promise.reject(new Error('Permission denied')) : undefined)
  const debug = () => report('New', 'debug')
  await expect(changing(nothing, nothing, debug)).rejects.toThrow(newError)
  await expect(changing(nothing, nothing, () => report('New'))).resolves.toMatchObject({ health: 'Up' })
  expect(lines).toContain('The log “php” could not be read: Permission denied')
})

test('a log whose errors before are not known is not compared', async () => {
  const always = () => report('Always')
  onRead = () => Promise.reject(new Error('No answer'))
  await expect(changing(always, () => (onRead = nothing), always)).resolves.toMatchObject({ health: 'Up' })
  const unreachable = async () => Promise.reject(new Error('No answer'))
  await expect(changing(unreachable, nothing, always), 'no page').resolves.toMatchObject({ health: 'Up' })
})

test.each([
  ['logs that never answer', () => (onRead = never), true],
  ['one log that never answers', () => (onRead = (log) => (log === 'php' ? never() : undefined)), true],
  ['a page that never answers', () => (onVisit = never), false],
  ['nothing that answers', () => void [(onRead = never), (onVisit = never)], false],
])('the look before ends before its step would fail with %s, and keeps what is known', async (_what, hang, isWhole) => {
  vi.useFakeTimers()
  hang()
  const step = stepOf()
  const look = lookBeforeStep(engine, site)
  const done = look.run(step).then(() => 'done')
  await vi.advanceTimersByTimeAsync(((look.deadlineSeconds ?? 0) * 1_000 * 3) / 4)
  expect(await Promise.race([done, Promise.resolve('late')])).toBe('done')
  expect(step.kept['page_was_whole']).toBe(isWhole)
  expect(step.kept['php_marks']).toBeUndefined()
  expect(lines.join('\n')).toMatch(/could not be read: No answer within \d+ seconds/)
})

test('a server that never answers keeps neither a good change from its end nor a job from being canceled', async () => {
  vi.useFakeTimers()
  const step = stepOf()
  await lookBeforeStep(engine, site).run(step)
  onRead = never
  const checked = checkChangedCode(engine, site, step, 'plugin')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await checked).toMatchObject({ health: 'Up' })

  const stopping = new AbortController()
  const canceled = lookBeforeStep(engine, site).run(stepOf(stopping.signal))
  stopping.abort(new Error('The job was canceled.'))
  await expect(canceled).rejects.toThrow('The job was canceled.')
})
