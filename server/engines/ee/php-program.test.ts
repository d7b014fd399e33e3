import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { phpProgram } from './php-program.ts'
import { scriptText } from './remote-script.ts'

const scripts = [
  ...['inspect', 'plugins', 'people', 'health', 'login', 'change', 'deleted', 'package', 'bring'],
  ...['options', 'options-undo', 'languages', 'checksum', 'content', 'core', 'upgrade', 'browse', 'sql'],
]
const program = (script: string, input: Record<string, unknown> = {}) =>
  phpProgram({ script, input, domain: 'a.example', isSecure: true, workdir: '/var/www/htdocs/public' })

it.each(scripts)('%s fits into the standard input of a command, with room for its input', (script) => {
  const text = program(script)
  expect(Buffer.byteLength(scriptText('php', { program: text }))).toBeLessThan(56_000)
  expect(text).not.toContain('/internal/easydash/' + 'load')
  expect(text).not.toMatch(/['"]\/wordpress\b/)
})

// WP-Redis would empty the Redis of all sites. An upgrade does so by itself; clearing the cache asks first.
it.each(scripts.filter((name) => !['change', 'upgrade'].includes(name)))('%s has WordPress flush nothing', (script) => {
  expect(program(script)).not.toMatch(/\bwp_cache_flush\b/)
})

it('checksums, and what finds added files, fit into it, too', () => {
  const random = () => randomBytes(16).toString('hex')
  const many = (count: number) => Array.from({ length: count }, random)
  const folder = `wp-content/plugins/${'x'.repeat(60)}`
  const checksums = Object.fromEntries(
    many(1_000).map((sum, at) => [`assets/client/part-${at}/${sum.slice(0, 12)}.min.js`, sum]),
  )
  const known = many(4_000).map((sum) => sum.slice(0, 16))
  for (const input of [
    { folder, most: 500, checksums },
    { folder, most: 500, known, first: 'a' },
  ]) {
    const text = scriptText('php', { program: program('checksum', input) })
    expect(Buffer.byteLength(text)).toBeLessThan(65_000)
  }
})
