import { duplexPair } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openLineChannel, type LineChannelOptions } from './line-channel.ts'

/** Waits until all pending data has arrived. */
const turn = async (): Promise<void> => {
  for (let at = 0; at < 5; at += 1) await new Promise(setImmediate)
}

/** A channel whose other side is controlled by the test, and its results. */
function opened(changes: Partial<LineChannelOptions<unknown>> = {}) {
  const [ours, theirs] = duplexPair()
  const seen: { messages: unknown[]; violations: string[]; ends: number } = { messages: [], violations: [], ends: 0 }
  const channel = openLineChannel<unknown, unknown>(ours, {
    maxLineBytes: 1_000,
    maxPerSecond: 100,
    maxBytesPerSecond: 1_000_000,
    parse: (value) => (value === 'no message' ? null : value),
    onMessage: (message) => seen.messages.push(message),
    onViolation: (reason) => seen.violations.push(reason),
    onEnd: () => (seen.ends += 1),
    ...changes,
  })
  const write = (data: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      theirs.write(data, () => setImmediate(resolve))
    })
  return { channel, theirs, seen, write }
}

test('messages arrive whole and in order, however the bytes are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
      async (values, cuts) => {
        const { seen, write } = opened({ maxLineBytes: 100_000, maxPerSecond: 1_000_000 })
        const kept = values.filter((value) => value !== null && value !== 'no message')
        let bytes = Buffer.from(kept.map((value) => `${JSON.stringify(value)}\n`).join(''))
        for (let at = 0; bytes.length > 0; at += 1) {
          const size = cuts[at % cuts.length] ?? 1
          await write(bytes.subarray(0, size))
          bytes = bytes.subarray(size)
        }
        expect(seen).toEqual({ messages: JSON.parse(JSON.stringify(kept)), violations: [], ends: 0 })
      },
    ),
    { numRuns: 50 },
  )
})

test('a line that is too long ends the channel before it is parsed, also without an end', async () => {
  const { seen, write, theirs } = opened()
  theirs.on('error', () => undefined)
  await write('x'.repeat(600))
  expect(seen.violations).toEqual([])
  void write('x'.repeat(600))
  void write('\n"later"\n')
  await turn()
  expect(seen).toEqual({ messages: [], violations: ['a message of more than 1000 bytes'], ends: 0 })
})

test.each([['not JSON\n'], ['"no message"\n'], ['{"a":\n'], ['\n']])(
  '%j is a violation, and nothing after it is read',
  async (line) => {
    const { seen, write, theirs } = opened()
    theirs.on('error', () => undefined)
    void write(`"first"\n${line}"last"\n`)
    await turn()
    expect(seen).toEqual({ messages: ['first'], violations: ['a message of unknown form'], ends: 0 })
  },
)

test('more messages than the limit end the channel', async () => {
  const { seen, write, theirs } = opened({ maxPerSecond: 10 })
  theirs.on('error', () => undefined)
  void write('1\n'.repeat(500))
  await turn()
  expect(seen.messages).toHaveLength(10)
  expect(seen.violations).toEqual(['more than 10 messages a second'])
})

test('more bytes than the limit end the channel, however many messages they are', async () => {
  const { seen, write, theirs } = opened({ maxBytesPerSecond: 2_000 })
  theirs.on('error', () => undefined)
  const line = `"${'x'.repeat(900)}"\n`
  await write(line)
  await write(line)
  expect([seen.messages.length, seen.violations]).toEqual([2, []])
  void write(line)
  await turn()
  expect([seen.messages.length, seen.violations]).toEqual([2, ['more than 2000 bytes a second']])
})

test('a message in very many pieces ends the channel', async () => {
  const { seen, write, theirs } = opened({ maxPerSecond: 10 })
  theirs.on('error', () => undefined)
  for (let piece = 0; piece < 10; piece += 1) await write('1')
  expect(seen.violations).toEqual([])
  void write('1')
  await turn()
  expect(seen).toEqual({ messages: [], violations: ['messages in more than 10 pieces a second'], ends: 0 })
})

test('any error while reading a message is a violation', async () => {
  const parse = (): never => {
    throw new RangeError('too deep')
  }
  const { seen, write, theirs } = opened({ parse })
  theirs.on('error', () => undefined)
  void write('1\n')
  await turn()
  expect(seen.violations).toEqual(['a message of unknown form'])
})

test('reports the end of the other process once, and ignores later sends', async () => {
  const { channel, seen, theirs } = opened()
  theirs.end()
  theirs.resume()
  await turn()
  expect(seen.ends).toBe(1)
  channel.send('nobody hears')
})
