import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { maxLineBytes } from '#server/platform/text-log/clean-line.ts'
import { cleanLines, createLogBuffer, maxLogBytes } from './log-buffer.ts'

describe('a line of a log', () => {
  test.each([
    ['\u001B[1;32mgreen\u001B[0m', ['green']],
    ['\u001B]0;title\u0007after', ['after']],
    ['one\r\ntwo\rthree\nfour\n', ['one', 'two', 'three', 'four']],
    ['bell\u0007 nul\u0000 tab\t.', ['bell nul tab  .']],
    ['password=hunter2secret', ['password=*****']],
    ['turned \u202Earound', ['turned around']],
    ['', ['']],
  ])('%j becomes %j', (text, lines) => {
    expect(cleanLines(text)).toEqual(lines)
  })

  test('is never longer than its cap and never holds what steers a terminal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3000 }), fc.nat(4), (text, repeat) => {
        for (const line of cleanLines(text.repeat(repeat + 1))) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxLineBytes)
          expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/)
          expect(line.isWellFormed()).toBe(true)
        }
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  test('is cut between characters', () => {
    const [line] = cleanLines('ä'.repeat(4000))
    expect(line?.endsWith('ä…')).toBe(true)
    expect(Buffer.byteLength(line ?? '')).toBeLessThanOrEqual(maxLineBytes)
  })
})

describe('the log of a job', () => {
  test('is numbered without gaps, continues after a restart, and has a last line when it is full', () => {
    const buffer = createLogBuffer({ n: 10, bytes: maxLogBytes - 2500 })
    for (let n = 0; n < 5; n += 1) buffer.add('x'.repeat(1000), 'now')
    const lines = buffer.take()
    expect(lines.map((line) => line.n)).toEqual([11, 12, 13])
    expect(lines.at(-1)?.text).toContain('full')
    expect(buffer.last()).toBe(13)
    expect(buffer.take()).toEqual([])
    expect(createLogBuffer({ n: 13, bytes: maxLogBytes + 1 }).last()).toBe(13)
  })

  test('keeps lines that could not be written in their order', () => {
    const buffer = createLogBuffer({ n: 0, bytes: 0 })
    buffer.add('one', 'now')
    const taken = buffer.take()
    buffer.add('two', 'now')
    buffer.putBack(taken)
    expect(buffer.take().map((line) => line.text)).toEqual(['one', 'two'])
  })
})
