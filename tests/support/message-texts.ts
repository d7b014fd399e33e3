/** Inspects the parts of a sentence as serialized (`shared/localized-message.ts`), for translators and readers. */
import { allTexts } from '../../scripts/texts.ts'
import { createMessageFormat } from '#shared/message-format.ts'
import type { MessageDescriptor } from '#shared/localized-message.ts'

const isParts = (value: unknown): value is MessageDescriptor =>
  typeof value === 'object' && value !== null && 'id' in value

/** English text of parts, filled in without `say`. */
export function englishOf({ id, values = [], count = 0 }: MessageDescriptor): string {
  const given = Object.fromEntries(values.map((value, at) => [at, valueText(value)]))
  return inEnglish(id, { ...given, count })
}

const inEnglish = createMessageFormat('en')

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return isParts(value) ? englishOf(value) : String(value)
}

/** All ids in parts: the fixed texts that need a translation. */
export function templatesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(templatesOf)
  return isParts(value) ? [value.id, ...templatesOf(value.values ?? [])] : []
}

/** All values in parts: the same in every language. */
export function valuesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(valuesOf)
  return isParts(value) ? valuesOf(value.values ?? []) : [value]
}

let texts: Promise<ReadonlySet<string>> | null = null

/** Templates in the parts that `npm run texts` doesn't export to translators and that therefore couldn't be translated. */
export async function untranslatable(parts: unknown): Promise<string[]> {
  texts ??= allTexts().then((all) => new Set(all))
  const known = await texts
  return templatesOf(parts).filter((key) => key !== '' && !known.has(key))
}
