import { domainChangePreview, type DomainChangePreview } from '#shared/responses/site-domains.ts'
import { runAction } from '#web/lib/api/api.ts'
import { checkedResult } from '#web/lib/api/checked-response.ts'

/** What a change of the primary domain replaces, as far as it was read. */
export type FoundAddresses = Omit<DomainChangePreview, 'after'>

/** Most examples that are shown. */
const maxExamples = 4

/**
 * Reads what a change of the primary domain replaces, part after part.
 * @param onPart called after each part with all that was found
 */
export async function findAddresses(
  site: string,
  domain: string,
  onPart: (found: FoundAddresses) => void,
  signal: AbortSignal,
): Promise<FoundAddresses> {
  let found: FoundAddresses | null = null
  let after: string | null = ''
  while (after !== null) {
    signal.throwIfAborted()
    const part: DomainChangePreview = checkedResult(
      domainChangePreview,
      await runAction('Site', site, 'preview_domain_change', { domain, ...(after === '' ? {} : { after }) }),
    )
    found = found === null ? part : merged(found, part)
    onPart(found)
    after = part.after
  }
  if (found === null) throw new Error('There is always a first part.')
  return found
}

/** Both parts as one: a table can end in the second. */
export function merged(a: FoundAddresses, b: FoundAddresses): FoundAddresses {
  const tables = new Map(a.tables.map((one) => [one.table, one]))
  for (const { table, rows, places } of b.tables) {
    const before = tables.get(table)
    tables.set(table, { table, rows: rows + (before?.rows ?? 0), places: places + (before?.places ?? 0) })
  }
  return {
    ...a,
    tables: [...tables.values()],
    options: [...a.options, ...b.options],
    examples: [...a.examples, ...b.examples].slice(0, maxExamples),
    skipped: a.skipped + b.skipped,
  }
}
