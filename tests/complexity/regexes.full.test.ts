import { expect, test } from 'vitest'
import { measureGrowth, type GrowthReport } from './growth.ts'
import { sourceRegexes } from './source-regexes.ts'

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
