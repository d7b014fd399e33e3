import type { DnsRecord, DomainLookUp } from '#shared/responses/site-domains.ts'

/** A DNS record of a domain, and what has to be done with it. */
export interface DnsRow {
  readonly type: DnsRecord['type']
  /** The address it has now; null if there is no such record. */
  readonly address: string | null
  readonly change: 'none' | 'add' | 'change' | 'remove'
  /** The address to add or to change it to. */
  readonly wanted: string | null
}

/** How the records that a domain has become those that lead to a server. */
export function dnsRows({ expected, found }: Pick<DomainLookUp, 'expected' | 'found'>): DnsRow[] {
  return (['A', 'AAAA'] as const).flatMap((type): DnsRow[] => {
    const wanted = expected.find((record) => record.type === type)?.address ?? null
    const records = found.filter((record) => record.type === type)
    if (records.length === 0) return wanted === null ? [] : [{ type, address: null, change: 'add', wanted }]
    const isThere = records.some((record) => record.is_here)
    const first = isThere ? undefined : records[0]
    return records.map((record): DnsRow => {
      const { address } = record
      if (record.is_here) return { type, address, change: 'none', wanted: null }
      // One of them becomes the right one; visitors would still get to the others.
      if (record === first && wanted !== null) return { type, address, change: 'change', wanted }
      return { type, address, change: 'remove', wanted: null }
    })
  })
}
