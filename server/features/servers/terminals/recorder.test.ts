import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { terminalLimits } from '#shared/rules/terminal.ts'
import { Recorder } from './recorder.ts'

const recorded = (...chunks: readonly (string | Buffer)[]): string => {
  const recorder = new Recorder()
  for (const chunk of chunks) recorder.add(Buffer.from(chunk as string))
  return recorder.take(true)
}

describe('a recording', () => {
  test('has what is left of lines, without colors, progress and secrets', () => {
    expect(recorded('\u001B[32mgr', 'een\u001B[0m\r\n 10 %\r 100 %\r\npassword=hunter22\r\n# ')).toBe(
      'green\n 100 %\npassword=*****\n# ',
    )
    const euro = Buffer.from('€\n')
    expect(recorded(euro.subarray(0, 1), euro.subarray(1))).toBe('€\n')
  })

  test('has no private key, wherever its parts end, and all that comes after the next input', () => {
    const recorder = new Recorder()
    recorder.add(Buffer.from('# cat key\n-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn\n'))
    const parts = [recorder.take()]
    recorder.add(Buffer.from('NzaC1r\n-----END OPENSSH PRIVATE KEY-----\n# echo -----BEGIN PRIVATE KEY-----\n'))
    parts.push(recorder.take())
    recorder.noteInput()
    recorder.add(Buffer.from('afterwards\n'))
    expect([...parts, recorder.take()]).toEqual(['# cat key\n*****\n', '# echo *****\n', 'afterwards\n'])
    recorder.add(Buffer.from('-----BEGIN PRIVATE KEY-----\nb3Blbn'))
    expect(recorder.take(true)).toBe('*****\n')
  })

  test.each([
    ['lines', 'ls\n', /^\*{5}\n\[Lines were hidden, .*\]\n(?:ls\n){44}afterwards\n$/],
    ['one long line', 'x'.repeat(100), /^\*{5}\n\[Lines were hidden, .*\]\nx{13616}afterwards\n$/],
  ])('is not blanked by %s after what only looks like a private key', (_what, text, expected) => {
    expect(recorded('-----BEGIN PRIVATE KEY-----\n', text.repeat(300), 'afterwards\n')).toMatch(expected)
  })

  test('has the beginning of what each input made the server print', () => {
    const recorder = new Recorder()
    const flood = Buffer.from('0123456789\n'.repeat(10_000))
    for (let at = 0; at < 100; at += 1) recorder.add(flood)
    recorder.noteInput()
    recorder.add(Buffer.from('afterwards\n'))
    const text = recorder.take(true)
    expect(text).toMatch(/\[\d+ bytes were not recorded\]\nafterwards\n$/)
    expect(text.length).toBeLessThan(flood.length + 200)
    expect(recorder.isFull).toBe(false)
  })

  test('of any bytes, in any pieces, is bounded text of whole lines', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 9000 }), { maxLength: 12 }), (chunks) => {
        const text = recorded(...chunks.map((chunk) => Buffer.from(chunk)))
        expect(text).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/)
        expect(text.length).toBeLessThan(2 * terminalLimits.recordedPerInput)
      }),
      { numRuns: 50 },
    )
  })
})
