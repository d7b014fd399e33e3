import { sanitizeSingleLine } from '#shared/rules/texts.ts'

/** Maximum length of a name, in characters. */
const longest = 140

/**
 * A display name from what a client sent: no folders, no control or bidirectional characters, at most 140 characters with
 * the extension kept. It is never used as a path; contents are stored under random names.
 */
export function cleanFileName(sent: string): string {
  const last = sent.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) as string
  // Format characters could disguise an extension, so they are removed.
  const clean = sanitizeSingleLine(last.replaceAll(/[\p{Cc}\p{Cf}]/gu, '')).replace(/^\.+$/, '')
  if (clean === '') return 'file'
  const characters = [...clean]
  if (characters.length <= longest) return clean
  const dot = clean.lastIndexOf('.')
  const ending = dot > 0 && clean.length - dot <= 12 ? [...clean.slice(dot)] : []
  return [...characters.slice(0, longest - ending.length), ...ending].join('')
}
