import { expect, test } from 'vitest'
import { commandLine, option, positional, quote } from './quote.ts'
import { checkQuoting } from './quote-fixture.ts'

test('a shell passes quoted arguments on as they are', () => checkQuoting(15))

test('refuses what programs on the way would interpret or cut', () => {
  for (const text of ['a\0b', 'a\nb', 'a\r', '\uD800'])
    expect(() => quote(text)).toThrow(expect.objectContaining({ code: 'invalid' }))
})

test('values can be neither options nor other options', () => {
  expect(option('admin-email', '-x')).toBe('--admin-email=-x')
  expect(() => option('a=b', 'c')).toThrow(TypeError)
  expect(positional('blog.example')).toBe('blog.example')
  for (const value of ['', '-', '--yes']) expect(() => positional(value)).toThrow('argument')
})

test('a command line is a program, its arguments, and before them the environment', () => {
  expect(commandLine(['ee', 'site', "it's"])).toBe(`'ee' 'site' 'it'\\''s'`)
  expect(commandLine(['apt-get', 'update'], { DEBIAN_FRONTEND: 'noninteractive' })).toBe(
    `'env' 'DEBIAN_FRONTEND=noninteractive' 'apt-get' 'update'`,
  )
  for (const program of ['', '-c', 'A=b', 'rm -rf', '$x']) expect(() => commandLine([program])).toThrow(TypeError)
  expect(() => commandLine(['ee'], { 'A B': 'c' })).toThrow(TypeError)
})
