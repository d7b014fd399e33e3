import { oneLine } from '#shared/rules/texts.ts'

/** Longest name kept, in characters. */
const longest = 140

/**
 * A name for people from what a client sent: no folders, no control or direction-changing characters, not longer than
 * 140 characters with its ending kept. It never becomes a path; contents lie under random names.
 */
export function cleanFileName(sent: string): string {
  const last = sent.toWellFormed().normalize('NFC').split(/[/\\]/).at(-1) as string
  // Format characters do not belong into the name of a file at all: an ending must not only look like one.
  const clean = oneLine(last.replaceAll(/[\p{Cc}\p{Cf}]/gu, '')).replace(/^\.+$/, '')
  if (clean === '') return 'file'
  const characters = [...clean]
  if (characters.length <= longest) return clean
  const dot = clean.lastIndexOf('.')
  const ending = dot > 0 && clean.length - dot <= 12 ? [...clean.slice(dot)] : []
  return [...characters.slice(0, longest - ending.length), ...ending].join('')
}
