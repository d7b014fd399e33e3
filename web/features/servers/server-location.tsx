import type { ReactNode } from 'react'
import type { Server } from '#shared/doctypes/server.ts'
import { formatCountry } from '#web/lib/i18n/format.ts'
import { Flag } from '#web/ui/images/flag.tsx'

/** Location of a server: flag, region and country; null if unknown. */
export function serverLocation({ vm_region: region, vm_country: country }: Partial<Server>): ReactNode {
  const named = country ? formatCountry(country, country.toUpperCase()) : ''
  const text = [region, named].filter(Boolean).join(', ')
  if (text === '') return null
  return (
    <span className="inline-flex items-center gap-1.5">
      {country ? <Flag code={country} /> : null}
      {text}
    </span>
  )
}
