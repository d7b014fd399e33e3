import { expect, it } from 'vitest'
import { phpProgram } from './php-program.ts'
import { scriptText } from './remote-script.ts'

const scripts = ['inspect', 'plugins', 'people', 'health', 'login', 'change', 'deleted', 'package', 'bring']

it.each(scripts)('%s fits into the standard input of a command, with room for its input', (script) => {
  const program = phpProgram({
    script,
    input: {},
    domain: 'a.example',
    isSecure: true,
    workdir: '/var/www/htdocs/public',
  })
  expect(Buffer.byteLength(scriptText('php', { program }))).toBeLessThan(56_000)
  expect(program).not.toContain('/internal/easydash/' + 'load')
  expect(program).not.toMatch(/'\/wordpress\//)
})
