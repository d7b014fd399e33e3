import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ec2Actions, ec2Policy } from '#shared/rules/ec2-policy.ts'

const folder = import.meta.dirname
const sources = globSync('*.ts', { cwd: folder })
  .filter((name) => !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(folder, name), 'utf8'))
  .join('\n')

test('the policy allows nothing that is not asked for', () => {
  // Another action than these does not compile.
  expect(ec2Actions.filter((action) => !sources.includes(`'${action}'`))).toEqual([])
  expect(sources).toContain('TagSpecification')
})

test('the documents show the policy that the web app has for copying', () => {
  const text = readFileSync(join(folder, '../../../docs/providers/aws.md'), 'utf8')
  const [, policy = ''] = /```json\n(.*?)```/s.exec(text) ?? []
  expect(JSON.parse(policy)).toEqual(ec2Policy)
})
