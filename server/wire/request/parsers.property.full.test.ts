/** All parsers of client input: random input gives a value or a client error, never an internal error. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { doctypes } from '#shared/doctypes/registry.ts'
import { AppError } from '#shared/errors.ts'
import { parseFilters } from '#server/documents/query/filters.ts'
import { parseFields, parseGroupBy, parseLimit, parseOrderBy, parseStart } from '#server/documents/query/select.ts'
import { adjacentPeriodRange, timespanRange } from '#server/documents/query/timespan.ts'
import { coerce, validationError } from '#server/documents/store/values.ts'
import { guestBodyLimit, limitBody, assertBodyLimit } from './body-limits.ts'
import { clientReader } from './client-address.ts'
import { hasOurCookies, sidOf } from './cookies.ts'
import { parseJson } from './json.ts'
import { decodeUtf8, mergeParameters, parseJsonBody, parsePairs } from './parameters.ts'
import { routedTarget, splitTarget } from './request-target.ts'
import { booleanParameter, optionalText, requiredObjects, parseStructured } from './parameter-values.ts'

const isLong = process.env['EASYDASH_TEST_LONG'] === '1'
const settings = { seed: 20_261_120, numRuns: isLong ? 10_000 : 2000 }
const [type] = doctypes.filter(({ name }) => name === 'Server')
const typeByName = (name: string) => doctypes.find((one) => one.name === name) ?? null

/** Random bytes, and fragments of real input: random bytes alone rarely get past the first character. */
const pieces = [
  '{',
  '}',
  '[',
  ']',
  '"',
  "'",
  '`',
  ',',
  ':',
  '\\',
  '\\u0000',
  '\\ud800',
  '__proto__',
  'null',
  '1e999',
  '-0',
  'name',
  'hostname',
  'tabServer',
  ' as ',
  'count(',
  ')',
  '*',
  'asc',
  'desc',
  '=',
  'like',
  'between',
  'in',
  'timespan',
  'previous',
  '1 week',
  '%',
  '%2e',
  '%00',
  '&',
  ';',
  '--',
  '/',
  '/api/',
  'method',
  'resource',
  'v1',
  'sid=',
  'user_id=',
  'Guest',
  '\0',
  '\ud800',
  '😀',
  '\r\n',
  ' ',
  '.',
] as const
const pieced = fc
  .array(fc.oneof(fc.constantFrom(...pieces), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 })
  .map((parts) => parts.join(''))
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  pieced.map((text) => Buffer.from(text)),
)
const text = fc.oneof(
  pieced,
  bytes.map((raw) => Buffer.from(raw).toString('latin1')),
)
const value = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
  fc.array(fc.array(text, { maxLength: 5 }), { maxLength: 3 }),
)

/** Succeeds with a value or a client error; anything else is an internal error, which would be a 500. */
function expectNoInternalError(parse: () => unknown): void {
  try {
    parse()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(['invalid', 'too_large', 'not_found', 'forbidden']).toContain(error.code)
  }
}

describe('random inputs, thousands for each parser', () => {
  const context = { type: type as NonNullable<typeof type>, typeByName, readable: () => true }
  const parsers: Record<string, (input: unknown) => unknown> = {
    parseFilters: (input) => parseFilters(input, context),
    parseFields: (input) => parseFields(input, context),
    parseOrderBy: (input) => parseOrderBy(input, context, []),
    parseGroupBy: (input) => parseGroupBy(input, context),
    parseLimit,
    parseStart,
    structured: (input) => parseStructured({ input }, 'input'),
    requiredObjects: (input) => requiredObjects({ input }, 'input', 200),
    optionalText: (input) => optionalText({ input }, 'input'),
    flag: (input) => booleanParameter({ input }, 'input', true),
    'coerce, every field of every doctype': (input) => {
      for (const one of doctypes)
        for (const [name, field] of Object.entries(one.fields))
          expectNoInternalError(() => validationError(name, field, coerce(name, field, input)))
    },
  }
  it.each(Object.keys(parsers))('%s', (name) => {
    const runs = name.startsWith('coerce') ? { ...settings, numRuns: settings.numRuns / 20 } : settings
    fc.assert(
      fc.property(value, (input) => expectNoInternalError(() => parsers[name]?.(input))),
      runs,
    )
  })

  const readers: Record<string, (input: string) => unknown> = {
    parseJson,
    parsePairs,
    'parsePairs and mergeParameters': (input) =>
      mergeParameters({ query: parsePairs(input), form: parsePairs(input), json: null }),
    routedTarget,
    splitTarget,
    timespanRange: (input) => timespanRange(input, new Date()),
    adjacentPeriodRange: (input) => adjacentPeriodRange('next', input, new Date()),
    sidOf,
    hasOurCookies,
    'client address': (input) =>
      clientReader(['127.0.0.0/8'])({
        headers: { 'x-forwarded-for': input, 'x-forwarded-host': input, host: input },
        socket: { remoteAddress: '127.0.0.1' },
      } as never),
    'client address of Forwarded': (input) =>
      clientReader(['127.0.0.0/8'])({
        headers: { forwarded: input, host: input },
        socket: { remoteAddress: '127.0.0.1' },
      } as never),
    'announced length': (input) =>
      assertBodyLimit({ 'content-length': input, 'content-type': input }, { isGuest: true, takesFile: false }),
  }
  it.each(Object.keys(readers))('%s', (name) => {
    fc.assert(
      fc.property(text, (input) => expectNoInternalError(() => readers[name]?.(input))),
      settings,
    )
  })

  const decoders: Record<string, (input: Uint8Array) => unknown> = { decodeUtf8, parseJsonBody }
  it.each(Object.keys(decoders))('%s', (name) => {
    fc.assert(
      fc.property(bytes, (input) => expectNoInternalError(() => decoders[name]?.(input))),
      settings,
    )
  })
})

it('a body without a length ends at the limit of strangers', async () => {
  async function* endless() {
    for (;;) yield Buffer.alloc(64 * 1024)
  }
  const { Readable } = await import('node:stream')
  let read = 0
  const reading = (async () => {
    for await (const chunk of limitBody(Readable.from(endless()), guestBodyLimit)) read += (chunk as Buffer).length
  })()
  await expect(reading).rejects.toMatchObject({ code: 'too_large' })
  expect(read).toBeLessThanOrEqual(guestBodyLimit)
})

it('a client that disconnects during an unread body affects nobody else', async () => {
  const { PassThrough } = await import('node:stream')
  const body = new PassThrough()
  const limited = limitBody(body, guestBodyLimit)
  body.write('half')
  body.destroy(new Error('aborted'))
  await new Promise((resolve) => limited.once('close', resolve))
  expect(limited.destroyed).toBe(true)
})
