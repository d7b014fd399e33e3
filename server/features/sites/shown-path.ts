import { sanitizeSingleLine } from '#shared/rules/texts.ts'

/** A path as the log shows it: names can contain anything. */
export const shownPath = (path: string): string => sanitizeSingleLine(path).slice(0, 300) || '?'
