import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanLine, maxLineBytes } from './clean-line.ts'
import { parsePosition } from './log-position.ts'
import { LogPositionError, readLog, type LogLines, type LogSegment } from './read-log.ts'
import { maxRawBytes, splitLines } from './split-lines.ts'

const limits = { bytes: 16 * 1024, lines: 50 }

/** A log in memory; `file` is its identity. */
const segment = (content: string | Buffer, file = 'one'): LogSegment => {
  const bytes = Buffer.from(content)
  return {
    file,
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + Math.max(0, length)),
  }
}

/** All lines after a position. */
async function readOn(segments: () => readonly LogSegment[], from: string | null): Promise<LogLines> {
  const lines: string[] = []
  let gap: LogLines['gap'] = null
  for (let where: { after: string } | { from: 'start' } = from === null ? { from: 'start' } : { after: from }; ;) {
    const read = await readLog(segments(), where, limits)
    lines.push(...read.lines)
    gap ??= read.gap
    if (!read.more) return { ...read, lines, gap }
    where = { after: read.end }
  }
}

/** All lines before a position. */
async function readBack(segments: readonly LogSegment[], from: string | null): Promise<string[]> {
  const lines: string[] = []
  for (let start = from; start !== null;) {
    const read = await readLog(segments, { before: start }, limits)
    lines.unshift(...read.lines)
    start = read.start
  }
  return lines
}

const lineText = fc.oneof(
  fc.string({ maxLength: 40 }).map((text) => text.replaceAll('\n', '')),
  fc.integer({ min: 0, max: 20_000 }).map((length) => 'x'.repeat(length)),
  fc.constant(''),
)

describe('splitting', () => {
  test('gives the same lines, however the bytes arrive', () => {
    fc.assert(
      fc.property(
        fc.array(lineText, { maxLength: 12 }),
        fc.boolean(),
        fc.array(fc.integer({ min: 1, max: 9_000 }), { minLength: 1, maxLength: 12 }),
        (lines, isEnded, sizes) => {
          const bytes = Buffer.from(lines.join('\n') + (isEnded ? '\n' : ''))
          const whole = splitLines(bytes, false)
          const found: string[] = []
          let at = 0
          let seen = 0
          let insideLine = false
          for (let turn = 0; seen < bytes.length; turn += 1) {
            seen = Math.min(bytes.length, seen + (sizes[turn % sizes.length] ?? 1))
            const split = splitLines(bytes.subarray(at, seen), insideLine)
            found.push(...split.lines.map(({ text }) => text))
            at += split.consumed
            insideLine = split.insideLine
          }
          expect(found).toEqual(whole.lines.map(({ text }) => text))
          expect([at, insideLine]).toEqual([whole.consumed, whole.insideLine])
        },
      ),
    )
  })

  test('returns no more lines than asked for, and goes on after them', () => {
    const { lines, consumed } = splitLines(Buffer.from('a\nb\nc\n'), false, 2)
    expect([lines.map(({ text }) => text), consumed]).toEqual([['a', 'b'], 4])
  })
})

describe('a line', () => {
  test.each([
    ['\u001B[1;32mgreen\u001B[0m', 'green'],
    ['\u001B]0;title\u0007text', 'text'],
    ['a\u0000b\u0008c\r', 'abc'],
    ['\u202Egnp.exe\u2066', 'gnp.exe'],
    ['\tindented', '  indented'],
  ])('is shown without control characters: %j', (raw, text) => {
    expect(cleanLine(raw)).toBe(text)
  })

  test('is never longer than 4 KiB', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 9_000 }), (text) => {
        expect(Buffer.byteLength(cleanLine(text))).toBeLessThanOrEqual(maxLineBytes)
      }),
    )
  })
})

describe('reading on', () => {
  test('returns each line once while a log grows in any pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(lineText, { maxLength: 30 }),
        fc.array(fc.integer({ min: 1, max: 40_000 }), { minLength: 1, maxLength: 10 }),
        async (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
          const found: string[] = []
          let end: string | null = null
          for (let size = 0, turn = 0; size < bytes.length; turn += 1) {
            size = Math.min(bytes.length, size + (sizes[turn % sizes.length] ?? 1))
            const now = segment(bytes.subarray(0, size))
            const read: LogLines = await readOn(() => [now], end)
            expect(read.gap).toBeNull()
            found.push(...read.lines)
            end = read.end
          }
          expect(found).toEqual(splitLines(bytes, false).lines.map(({ text }) => text))
        },
      ),
      { numRuns: 60 },
    )
  })

  test('returns the same lines backward from the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(lineText, { maxLength: 60 }), async (lines) => {
        const log = [segment(lines.map((line) => `${line}\n`).join(''))]
        const end = await readLog(log, { from: 'end' }, limits)
        const all = [...(await readBack(log, end.start)), ...end.lines]
        expect(all).toEqual((await readOn(() => log, null)).lines)
      }),
      { numRuns: 60 },
    )
  })

  test('goes through rotated files, and says if those it had read are gone', async () => {
    const files = [segment('a\nb\n', '1'), segment('c\nunfinished', '2'), segment('d\n', '3')]
    const start = await readLog(files.slice(0, 1), { from: 'end' }, limits)
    expect((await readOn(() => files, start.end)).lines).toEqual(['c', 'unfinished', 'd'])
    const late = await readOn(() => files.slice(1), start.end)
    expect(late).toMatchObject({ lines: ['c', 'unfinished', 'd'], gap: 'removed' })
    const end = await readLog(files, { from: 'end' }, limits)
    expect([...(await readBack(files, end.start)), ...end.lines]).toEqual(['a', 'b', 'c', 'unfinished', 'd'])
  })

  test('begins again if the file was emptied or replaced, even by a longer one', async () => {
    const { end } = await readLog([segment('old 1\nold 2\n')], { from: 'end' }, limits)
    for (const [content, file, gap] of [
      ['', 'one', 'emptied'],
      ['new\n', 'one', 'emptied'],
      ['new 1\nnew 2\nnew 3\n', 'one', 'emptied'],
      ['old 1\nold 2\nmore\n', 'two', 'removed'],
    ] as const)
      expect(await readOn(() => [segment(content, file)], end)).toMatchObject({
        lines: content.split('\n').slice(0, -1),
        gap,
      })
    expect(await readOn(() => [], end)).toMatchObject({ lines: [], gap: 'removed' })
  })

  test('a log that did not exist is read from its first line', async () => {
    const none = await readLog([], { from: 'end' }, limits)
    expect(none).toMatchObject({ lines: [], start: null, more: false, gap: null })
    expect(await readOn(() => [segment('first\n')], none.end)).toMatchObject({ lines: ['first'], gap: null })
    expect(await readLog([], { before: none.end }, limits)).toMatchObject({ lines: [], start: null })
  })

  test('shows an unfinished line, which comes again complete', async () => {
    const read = await readLog([segment('one\ntw')], { from: 'end' }, limits)
    expect(read).toMatchObject({ lines: ['one'], partial: 'tw' })
    expect(await readOn(() => [segment('one\ntwo\n')], read.end)).toMatchObject({ lines: ['two'], partial: '' })
  })

  test('cuts a line of many megabytes, and is back at the lines after it at once', async () => {
    const log = segment(`before\n${'y'.repeat(9_000_000)}\nafter\n`)
    const { lines } = await readOn(() => [log], null)
    expect([lines[0], lines[1]?.endsWith('…'), lines[2], lines.length]).toEqual(['before', true, 'after', 3])
    const end = await readLog([log], { from: 'end' }, limits)
    expect(end.lines).toEqual(['after'])
    const back = await readBack([log], end.start)
    expect([back[0], back[1]?.startsWith('yyy')]).toEqual(['before', true])
    expect(new Set(back.slice(2))).toEqual(new Set(['… (a line of more than 4 MB)']))
    expect(back.length).toBeLessThan(6)
    const inside = await readLog([segment('y'.repeat(9_000_000))], { from: 'end' }, limits)
    expect([inside.lines.length, inside.more, parsePosition(inside.end)?.insideLine]).toEqual([1, false, true])
    expect((await readOn(() => [segment(`${'y'.repeat(9_000_001)}\nnext\n`)], inside.end)).lines).toEqual(['next'])
  })

  test('accepts no positions but its own', async () => {
    for (const after of ['', '.', 'one.-1.000000000000', 'one.1', `${'a'.repeat(50)}.1.000000000000`])
      await expect(readLog([segment('x\n')], { after }, limits)).rejects.toBeInstanceOf(LogPositionError)
    // A made-up one reads from the beginning.
    expect(await readLog([segment('x\n')], { after: 'one.1.000000000000' }, limits)).toMatchObject({ gap: 'emptied' })
  })

  test('a line is looked at as far as it can be shown', () => {
    expect(maxRawBytes).toBeGreaterThan(maxLineBytes)
  })
})
