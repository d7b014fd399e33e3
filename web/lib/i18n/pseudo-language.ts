/** A pseudo-language that English readers can read: accents on every letter, a third longer, in brackets. */
import type { Message, Translator } from './message.ts'

const plain = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'
const accented = [...'áƀçđéƒğħíĵķļɱñóƥɋřšŧúṽŵẋýžÁƁÇĐÉƑĞĦÍĴĶĻṀÑÓƤɊŘŠŦÚṼŴẊÝŽ']

/** Converts a text to the pseudo-language. Placeholders like `{count}` stay. */
export function pseudoText(text: string): string {
  const letters = text
    .split(/(\{\w+\})/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[A-Za-z]/g, accent)))
    .join('')
  return `[${letters}${'·'.repeat(Math.ceil(text.length / 3))}]`
}

/** Converts all forms of a message. */
export function pseudoMessage(message: Message): Message {
  if (typeof message === 'string') return pseudoText(message)
  return { one: pseudoText(message.one), other: pseudoText(message.other) }
}

/** Every English text requested so far, exposed as `askedTexts`; tests compare it with what translators get. */
const asked = new Set<string>()

/** Translates into the pseudo-language. */
export const pseudoTranslator: Translator = (_key, english) => {
  asked.add(typeof english === 'string' ? english : english.other)
  Object.assign(globalThis, { askedTexts: asked })
  return pseudoMessage(english)
}

function accent(letter: string): string {
  return accented[plain.indexOf(letter)] ?? letter
}
