/** A pseudo-language that English readers can read: accents on every letter, a third longer, in brackets. */
import type { Translator } from './message.ts'

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const accented = [...'áƀçđéƒğħíĵķļɱñóƥɋřšŧúṽŵẋýžÁƁÇĐÉƑĞĦÍĴĶĻṀÑÓƤɊŘŠŦÚṼŴẊÝŽ']

/** What is not text in an ICU message: places, and the frame of forms by number. */
const frame = /(\{\w+(?:, number)?\}|\{\w+, plural, (?:=\d+|one|other) \{|\} (?:one|other) \{)/

/** Converts a text to the pseudo-language. Placeholders like `{count}` and the names of forms stay. */
export function pseudoText(text: string): string {
  const letters = text
    .split(frame)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[A-Za-z]/g, accent)))
    .join('')
  return `[${letters}${'·'.repeat(Math.ceil(text.length / 3))}]`
}

/** Every English text used so far, exposed as `usedTexts`; tests compare it with what translators get. */
const used = new Set<string>()

/** Translates into the pseudo-language. */
export const pseudoTranslator: Translator = (english) => {
  used.add(english)
  Object.assign(globalThis, { usedTexts: used })
  return pseudoText(english)
}

function accent(letter: string): string {
  return accented[plain.indexOf(letter)] ?? letter
}
