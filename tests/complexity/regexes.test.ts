import { expect, test } from 'vitest'
import { measureGrowth, type GrowthReport } from './growth.ts'
import { regexesIn, sourceRegexes } from './source-regexes.ts'

const reported = ({ problems }: GrowthReport) => problems.map(({ name, problem }) => `${name}: ${problem}`)
const casesIn = (file: string) => new URL(file, import.meta.url)

test('the work of no regular expression grows faster than its input', async () => {
  const report = await measureGrowth(casesIn('regex-cases.ts'), { first: 1024, last: 65_536 })
  expect(reported(report)).toEqual([])
  expect(report.count).toBeGreaterThan(10_000)
}, 600_000)

test('every regular expression is written down as constants, so that it can be measured', async () => {
  expect((await sourceRegexes()).unreadable).toEqual([])
})

test('expressions are found wherever and however they are written', () => {
  const source = [
    'const word = "a+"',
    'const whole = `^${word}$`',
    'export const one = (text: string) => /b+/gi.test(text)',
    'export const two = new RegExp(`(?:${whole})`, "u")',
    'export const three = (text: string) => RegExp(text)',
  ]
  expect(regexesIn('x.ts', source.join('\n'))).toEqual({
    regexes: [
      { where: 'x.ts:3', source: 'b+', flags: 'gi' },
      { where: 'x.ts:4', source: '(?:^a+$)', flags: 'u' },
    ],
    unreadable: ['x.ts:5'],
  })
})

test('work that grows with the square of the input, or worse, is noticed', async () => {
  const { problems } = await measureGrowth(casesIn('slow-cases.ts'), { first: 256, last: 16_384 }, 8000)
  expect(problems.map(({ name }) => name)).toEqual([
    'trailing',
    'middle',
    'cubic',
    'exponential',
    'alternatives',
    'lookahead',
    'restarting',
  ])
}, 300_000)
