/** Translation files: a JSON object from English texts (ICU messages) to their translations. */
import { readFile } from 'node:fs/promises'
import { isUnquoted, placeholdersOf } from '#shared/message-format.ts'
import { allTexts } from './texts.ts'

/** Prints an empty translation file: each text under itself. */
export async function printTexts(): Promise<void> {
  const texts = await allTexts()
  console.log(JSON.stringify(Object.fromEntries(texts.map((text) => [text, text])), null, 2))
}

/** Prints every problem in a translation file, one line each; returns whether there are none. */
export async function checkLanguage(path: string): Promise<boolean> {
  const lines = languageProblems(await allTexts(), JSON.parse(await readFile(path, 'utf8')) as Record<string, string>)
  for (const line of lines) console.log(line)
  return lines.length === 0
}

/** Problems in a translation of these texts, as display lines. */
export function languageProblems(texts: readonly string[], language: Readonly<Record<string, string>>): string[] {
  const known = new Set(texts)
  const missing = texts.filter((key) => !Object.hasOwn(language, key)).map((key) => `missing: ${key}`)
  const wrong = Object.entries(language).flatMap(([key, translation]) => {
    if (!known.has(key)) return [`not used any more: ${key}`]
    if (translation.trim() === '') return [`empty: ${key}`]
    const allowed = new Set(placeholdersOf(key))
    try {
      const strange = placeholdersOf(translation).filter((placeholder) => !allowed.has(placeholder))
      if (strange.length > 0) return [`no such placeholder ${[...new Set(strange)].join(', ')}: ${key}`]
      return isUnquoted(translation) ? [] : [`an apostrophe makes a placeholder text, write ’ or '' for it: ${key}`]
    } catch (error) {
      return [`not a valid message (${error instanceof Error ? error.message : String(error)}): ${key}`]
    }
  })
  return [...missing, ...wrong]
}
