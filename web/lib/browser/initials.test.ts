import { expect, test } from 'vitest'
import { initials } from './initials.ts'

test.each([
  ['Olivia Owner', 'OO'],
  ['owner@acme.example', 'OA'],
  ['x', 'X'],
  ['🙂🙂 party', '🙂P'],
  ['محمد عبد', 'مع'],
  ['  ', '?'],
])('"%s" is "%s"', (name, letters) => expect(initials(name)).toBe(letters))
