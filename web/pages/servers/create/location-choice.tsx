import { Search } from 'lucide-react'
import { useState, type KeyboardEvent } from 'react'
import type { ProviderCountry, ProviderMetadata } from '#shared/responses/servers.ts'
import { containsText } from '#shared/rules/fold-text.ts'
import type { FormControl } from '#web/documents/form/use-form.ts'
import { useGroupedCount, type Loaded } from '#web/lib/api/frappe.tsx'
import { formatCountry } from '#web/lib/i18n/format.ts'
import { locale } from '#web/lib/i18n/locale.ts'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { Input } from '#web/ui/form/input.tsx'
import { RadioCard, RadioCards } from '#web/ui/form/radio-card.tsx'
import { Flag } from '#web/ui/images/flag.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Legend } from './legend.tsx'
import { t } from './messages.ts'
import type { Vendor } from './use-connections.ts'

/** Country and then region of a machine at a vendor. */
export function LocationChoice({
  control,
  vendor,
  metadata,
}: {
  control: FormControl
  vendor: Vendor
  metadata: Loaded<ProviderMetadata>
}) {
  if (metadata.error && !metadata.data)
    return <ErrorPanel title={t('create.metadata_error')} error={metadata.error} onRetry={() => metadata.reload()} />
  if (!metadata.data) return <LocationSkeleton />
  const countries = metadata.data[vendor]?.countries ?? []
  const country = countries.find(({ code }) => code === control.values['vm_country'])
  return (
    <>
      <CountryChoice control={control} countries={countries} />
      {country ? <RegionChoice control={control} country={country} /> : null}
    </>
  )
}

function LocationSkeleton() {
  return (
    <div aria-hidden="true" className="grid gap-2">
      <Skeleton className="h-4 w-16" />
      <div className="grid grid-cols-4 gap-2! max-md:grid-cols-2">
        {['a', 'b', 'c', 'd'].map((key) => (
          <Skeleton key={key} className="h-11.5 rounded-card" />
        ))}
      </div>
    </div>
  )
}

/** Name in the user's language. */
const nameOf = ({ code, name }: ProviderCountry): string => formatCountry(code, name)

function CountryChoice({ control, countries }: { control: FormControl; countries: readonly ProviderCountry[] }) {
  const [text, setText] = useState('')
  const found = countries
    .filter((country) => containsText(nameOf(country), text) || containsText(country.name, text))
    .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b), locale))
  const choose = (country: ProviderCountry): void => {
    control.set('vm_country', country.code)
    control.set('vm_region', country.regions.length === 1 ? (country.regions[0]?.regionCode ?? '') : '')
    control.set('vm_type', '')
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
    // It belongs to the search, not to the form.
    event.preventDefault()
    if (text.trim() !== '' && found[0]) choose(found[0])
  }
  return (
    <RadioCards
      legend={<Legend>{t('create.country')}</Legend>}
      className="grid-cols-4 gap-2! max-md:grid-cols-2"
      error={control.errors['vm_country'] ?? null}
      aside={
        <Input
          type="search"
          prefix={<Search size={14} strokeWidth={1.75} aria-hidden="true" />}
          value={text}
          aria-label={t('create.country_search')}
          placeholder={t('create.country_search')}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          className="md:h-7! md:w-44! md:text-table"
        />
      }
    >
      {found.map((country) => (
        <RadioCard
          key={country.code}
          plain
          name="vm_country"
          value={country.code}
          icon={<Flag code={country.code} large />}
          title={nameOf(country)}
          checked={control.values['vm_country'] === country.code}
          onChange={() => choose(country)}
          className="items-center"
        />
      ))}
      {found.length === 0 ? (
        <p role="status" className="col-span-full text-table text-muted">
          {t('create.country_none')}
        </p>
      ) : null}
    </RadioCards>
  )
}

function RegionChoice({ control, country }: { control: FormControl; country: ProviderCountry }) {
  const servers = useGroupedCount('Server', 'vm_region', { filters: [['status', '!=', 'Decommissioned']] }).data
  const choose = (code: string): void => {
    control.set('vm_region', code)
    control.set('vm_type', '')
  }
  return (
    <RadioCards
      legend={<Legend>{t('create.region')}</Legend>}
      className="grid-cols-2 gap-2! max-md:grid-cols-1"
      error={control.errors['vm_region'] ?? null}
    >
      {country.regions.map(({ regionCode, regionDescription }) => {
        const count = servers?.find(({ vm_region }) => vm_region === regionCode)?.n
        return (
          <RadioCard
            key={regionCode}
            name="vm_region"
            value={regionCode}
            title={regionDescription}
            description={
              <>
                <span className="font-mono text-meta" translate="no">
                  {regionCode}
                </span>
                {count ? ` · ${t('create.region_servers', { count })}` : null}
              </>
            }
            checked={control.values['vm_region'] === regionCode}
            onChange={() => choose(regionCode)}
          />
        )
      })}
    </RadioCards>
  )
}
