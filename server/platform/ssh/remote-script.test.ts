import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { singleQuoted } from './quote.ts'
import { parseAnswer, remoteScripts, scriptLine } from './remote-script.ts'
import { noServer } from './ssh-fixture.ts'

test('changes nothing if the connection broke before standard input was complete', async ({ skip }) => {
  if (noServer !== null) skip(noServer)
  const folder = mkdtempSync(join(tmpdir(), 'easydash-ssh-'))
  const touched = join(folder, 'touched')
  const env = { PATH: process.env['PATH'], EASYDASH_STATE: join(folder, 'state') }
  const start = [remoteScripts.supervise, 'easydash', 'cut', '10', '0', `touch ${touched}`].map(singleQuoted).join(' ')
  for (const line of [
    scriptLine('root', remoteScripts.run, `10 touch ${touched}`),
    scriptLine('root', remoteScripts.start, start),
  ]) {
    const { stdout } = spawnSync('sh', ['-c', line], { input: 'half', env, encoding: 'utf8' })
    expect(stdout).toBe('easydash cut\n')
  }
  expect(existsSync(touched)).toBe(false)
  expect(readdirSync(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

test('finds the answer after what a login shell prints', () => {
  expect(parseAnswer(Buffer.from('Welcome\n\neasydash ended 0\nthe rest\n'))).toEqual({
    words: ['ended', '0'],
    rest: Buffer.from('the rest\n'),
  })
  for (const none of ['', 'easydash ok', 'no easydash ok\n', `${'noise\n'.repeat(20_000)}easydash ok\n`])
    expect(parseAnswer(Buffer.from(none))).toBe(null)
})
