import { execFileSync } from 'node:child_process'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { commandWords } from './site-console.ts'

test.each([
  ['plugin list', ['plugin', 'list']],
  ['  wp  option get\tblogname ', ['option', 'get', 'blogname']],
  ["post create --post_title='It is \"new\"' ''", ['post', 'create', '--post_title=It is "new"', '']],
  [String.raw`eval "echo \"a\\b\n\";"`, ['eval', String.raw`echo "a\b\n";`]],
  [String.raw`a\ b $HOME *; | && #`, ['a b', '$HOME', '*;', '|', '&&', '#']],
  ['', []],
])('%s', (line, words) => {
  expect(commandWords(line)).toEqual(words)
})

test.each(["option get 'blogname", 'a "b', String.raw`a "b\"`, 'a \\'])('%s is not closed', (line) => {
  expect(commandWords(line)).toBeNull()
})

test('words that are quoted come back as they were', () => {
  const quoted = (word: string) => `'${word.replaceAll("'", `'"'"'`)}'`
  const words = fc.array(fc.string({ unit: 'binary', maxLength: 20 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(words, (given) => {
      expect(commandWords(['wp', ...given.map(quoted)].join(' '))).toEqual(given)
    }),
  )
})

test('quotes and backslashes separate words as a shell does', () => {
  const parts = fc.array(fc.constantFrom('a', 'b c', "'", '"', '\\', ' ', '-', '='), { maxLength: 12 })
  const lines = fc.sample(parts, 300).map((given) => given.join(''))
  const readable = lines.filter((line) => commandWords(line) !== null)
  const script = readable.map((line) => `printf '%s\\0' x ${line}; printf '\\n'`).join('\n')
  const said = execFileSync('sh', ['-c', script], { encoding: 'latin1' })
  expect(
    said
      .split('\0\n')
      .slice(0, -1)
      .map((one) => one.split('\0').slice(1)),
  ).toEqual(readable.map(commandWords))
})
