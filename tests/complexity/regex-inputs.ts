/** Inputs that make a backtracking matcher work hard, made of the pattern itself. */
import { parseRegExpLiteral } from '@eslint-community/regexpp'
import type { AST } from '@eslint-community/regexpp'

/** `prefix`, then `pump` again and again, then `suffix`. */
export interface AttackString {
  prefix: string
  pump: string
  suffix: string
}

/** Characters a class is tried with, ordinary ones first. */
const alphabet = [...'aA0 -_.,:;/\\=&?@#%+*"\'<>()[]{}|~^$!`\t\n\r\u00e9\0']

/** What has slowed down a matcher before, whatever the pattern. */
export const knownPumps: readonly string[] = [
  'a',
  'A',
  '0',
  ' ',
  '\t',
  '\n',
  '-',
  '-a',
  'a-',
  'a_',
  '.',
  'a.',
  '/',
  ':',
  '@',
  '"',
  '\\',
  '\\"',
  '<',
  '<a ',
  '(',
  '[',
  '{',
  '&',
  'a&',
  '=',
  'a=',
  '%',
  '://',
  'x-',
  '?a_',
  'eyJ',
  '\0',
]

/** Longest repetition that counts as short: what repeats at most this often cannot grow. */
const shortest = 8

type Repeatable = AST.Quantifier
type Sequence = readonly AST.Element[]

/** The inputs for one pattern. Throws for a pattern that is not valid. */
export function hostileInputs(source: string, flags: string): AttackString[] {
  const { pattern } = parseRegExpLiteral(new RegExp(source, flags))
  const inputs = new Map<string, AttackString>()
  const add = (prefix: string, pump: string, suffix: string): void => {
    if (pump !== '') inputs.set(JSON.stringify([prefix, pump, suffix]), { prefix, pump, suffix })
  }
  for (const pump of knownPumps) add('', pump, '\0')
  for (const { before, quantifier, after } of quantifiersOf(pattern.alternatives, '', '', flags)) {
    for (const one of pumpsOf(quantifier, flags)) {
      for (const end of ['\0', '\n', '']) {
        add(before, one, end)
        // Each repetition is also a new beginning.
        add('', before + one, end)
      }
      // Everything but the end.
      add('', before + one + after.slice(0, -1), '\0')
      add(before, one + after.slice(0, -1), '\0')
    }
  }
  return [...inputs.values()]
}

interface Repetition {
  before: string
  quantifier: Repeatable
  after: string
}

/** Every repetition of a pattern, with a text that leads to it and one that would end the match. */
function quantifiersOf(
  alternatives: readonly AST.Alternative[],
  before: string,
  after: string,
  flags: string,
): Repetition[] {
  return alternatives.flatMap(({ elements }) =>
    elements.flatMap((element, at) => {
      const left = before + sample(elements.slice(0, at), flags)
      const right = sample(elements.slice(at + 1), flags) + after
      const own: Repetition[] =
        element.type === 'Quantifier' && element.max > shortest
          ? [{ before: left, quantifier: element, after: right }]
          : []
      const inner = element.type === 'Quantifier' ? element.element : element
      const further = 'alternatives' in inner ? quantifiersOf(inner.alternatives, left, right, flags) : []
      return [...own, ...further]
    }),
  )
}

/** What a repetition may repeat: some of its characters, or each of its alternatives. */
function pumpsOf({ element }: Repeatable, flags: string): string[] {
  if ('alternatives' in element)
    return element.alternatives.map((alternative) => sample(alternative.elements, flags)).filter((text) => text !== '')
  return charactersOf(element, flags).slice(0, 4)
}

/** A short text that the elements match one after the other, as far as that can be told of each alone. */
function sample(elements: Sequence, flags: string): string {
  return elements.map((element) => sampleOf(element, flags)).join('')
}

function sampleOf(element: AST.Element, flags: string): string {
  switch (element.type) {
    case 'Quantifier':
      return sampleOf(element.element, flags).repeat(Math.min(element.min, 64))
    case 'Group':
    case 'CapturingGroup':
      return sample(element.alternatives[0]?.elements ?? [], flags)
    case 'Character':
      return String.fromCodePoint(element.value)
    case 'CharacterClass':
    case 'CharacterSet':
    case 'ExpressionCharacterClass':
      return charactersOf(element, flags)[0] ?? ''
    case 'Assertion':
    case 'Backreference':
      return ''
  }
}

/** Characters that an element matches, ordinary ones first. */
function charactersOf(element: AST.Element, flags: string): string[] {
  if (element.type === 'Character') return [String.fromCodePoint(element.value)]
  if (element.type === 'Assertion' || element.type === 'Backreference') return []
  const one = new RegExp(`^${element.raw}$`, flags.replace(/[gy]/g, ''))
  // Of a class that names few characters, those come first: `[^<>]` is tried with others, `[<>]` with its own.
  const found = alphabet.filter((character) => one.test(character))
  return found.length > 0 ? found : [...element.raw].filter((character) => one.test(character))
}
