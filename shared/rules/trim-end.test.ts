import { expect, test } from 'vitest'
import { trimEnd } from './trim-end.ts'

test.each([
  ['https://a.b/c//', '/', 'https://a.b/c'],
  ['////', '/', ''],
  ['', '/', ''],
  ['plain', '/', 'plain'],
  ['Really?!', '!?', 'Really'],
  ['a/b', '/', 'a/b'],
])('%j without %j at its end is %j', (text, characters, expected) => expect(trimEnd(text, characters)).toBe(expected))
