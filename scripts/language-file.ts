/** Translation files: a JSON object from English texts to their translations (or their plural forms). */
import { readFile } from 'node:fs/promises'
import type { Template } from '#shared/sentence.ts'
import { allTexts, keyOf } from './texts.ts'

/** A translated text, or its forms by the names of `Intl.PluralRules` (`other` is always present). */
type Translation = string | Readonly<Record<string, string>>

/** Prints an empty translation file: each text under its key, a plural text with its forms. */
export async function printTexts(): Promise<void> {
  const texts = await allTexts()
  console.log(JSON.stringify(Object.fromEntries(texts.map((text) => [keyOf(text), text])), null, 2))
}

/** Prints every problem in a translation file, one line each; returns whether there are none. */
export async function checkLanguage(path: string): Promise<boolean> {
  const lines = languageProblems(
    await allTexts(),
    JSON.parse(await readFile(path, 'utf8')) as Record<string, Translation>,
  )
  for (const line of lines) console.log(line)
  return lines.length === 0
}

const formsOf = (text: Template | Translation): string[] => (typeof text === 'string' ? [text] : Object.values(text))
const places = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place)

/** Problems in a translation of these texts, as display lines. */
export function languageProblems(
  texts: readonly Template[],
  language: Readonly<Record<string, Translation>>,
): string[] {
  const known = new Map(texts.map((text) => [keyOf(text), text]))
  const missing = [...known.keys()].filter((key) => !Object.hasOwn(language, key)).map((key) => `missing: ${key}`)
  const wrong = Object.entries(language).flatMap(([key, translation]) => {
    const english = known.get(key)
    if (english === undefined) return [`not used any more: ${key}`]
    if (typeof translation === 'object' && typeof english === 'string') return [`has no forms by number: ${key}`]
    if (typeof translation === 'object' && !Object.hasOwn(translation, 'other'))
      return [`the form "other" is missing: ${key}`]
    const allowed = new Set(formsOf(english).flatMap(places))
    const strange = formsOf(translation)
      .flatMap(places)
      .filter((place) => !allowed.has(place))
    const empty = formsOf(translation).some((form) => form.trim() === '')
    return [
      ...(empty ? [`empty: ${key}`] : []),
      ...(strange.length > 0 ? [`no such place ${[...new Set(strange)].join(', ')}: ${key}`] : []),
    ]
  })
  return [...missing, ...wrong]
}
