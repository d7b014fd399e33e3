/** Inspects the parts of a sentence as serialized (`shared/sentence.ts`), for translators and readers. */
import { allTexts, keyOf } from '../../scripts/texts.ts'
import type { SentenceParts, Template } from '#shared/sentence.ts'

const isParts = (value: unknown): value is SentenceParts =>
  typeof value === 'object' && value !== null && 'template' in value

/** English text of parts, filled in without `say`. */
export function englishOf({ template, values = [], count }: SentenceParts): string {
  const form = typeof template === 'string' ? template : count === 1 ? template.one : template.other
  return form.replaceAll(/\{(\d+)\}/g, (_place, at: string) => valueText(values[Number(at)]))
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(', ')
  return isParts(value) ? englishOf(value) : String(value)
}

/** All templates in parts: the fixed texts that need a translation. */
export function templatesOf(value: unknown): Template[] {
  if (Array.isArray(value)) return value.flatMap(templatesOf)
  return isParts(value) ? [value.template, ...templatesOf(value.values ?? [])] : []
}

/** All values in parts: the same in every language. */
export function valuesOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap(valuesOf)
  return isParts(value) ? valuesOf(value.values ?? []) : [value]
}

let texts: Promise<ReadonlySet<string>> | null = null

/** Templates in the parts that `npm run texts` doesn't export to translators and that therefore couldn't be translated. */
export async function untranslatable(parts: unknown): Promise<string[]> {
  texts ??= allTexts().then((all) => new Set(all.map(keyOf)))
  const known = await texts
  return templatesOf(parts)
    .map(keyOf)
    .filter((key) => key !== '' && !known.has(key))
}
