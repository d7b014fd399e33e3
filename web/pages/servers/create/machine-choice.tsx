import { useEffect, useEffectEvent, useId, useState } from 'react'
import type { MachineType } from '#shared/responses/servers.ts'
import { FormField } from '#web/documents/form/form-field.tsx'
import type { FormControl } from '#web/documents/form/use-form.ts'
import type { Loaded } from '#web/lib/api/frappe.tsx'
import { cx } from '#web/lib/browser/cx.ts'
import { formatBytes, formatNumber } from '#web/lib/i18n/format.ts'
import { Tag } from '#web/ui/chip.tsx'
import { EmptyState } from '#web/ui/empty-state.tsx'
import { ErrorPanel } from '#web/ui/error-panel.tsx'
import { RadioCards } from '#web/ui/form/radio-card.tsx'
import { Segmented } from '#web/ui/form/segmented.tsx'
import { Skeleton } from '#web/ui/skeleton.tsx'
import { Legend } from './legend.tsx'
import {
  cheapestMachine,
  hourlyPrice,
  monthlyPrice,
  sitesOn,
  sortKeys,
  sortMachines,
  type SortKey,
} from './machines.ts'
import { t } from './messages.ts'

const gigabyte = 1024 ** 3

/** One line of the table: its columns from tablets on. */
const columns = 'md:grid-cols-[minmax(0,1fr)_40px_56px_60px_72px_72px_64px]'
const line = cx('grid items-center gap-x-3 px-4', columns)
const box = 'gap-0! divide-y divide-hairline overflow-hidden rounded-card border border-border bg-surface shadow-xs'

/** The machine types of a region, with what they cost, and the size of a disk that is chosen with the machine. */
export function MachineChoice({
  control,
  machines,
  provider,
  region,
  note,
}: {
  control: FormControl
  machines: Loaded<MachineType[]>
  provider: string
  region: string
  /** What is said of a machine that can be chosen, instead of which one is the cheapest. */
  note?: (machine: MachineType) => string | null
}) {
  const [sort, setSort] = useState<SortKey>('price')
  const { data, error } = machines
  const chosen = String(control.values['vm_type'] ?? '')
  const isGone =
    data !== undefined && chosen !== '' && !data.some(({ name, available }) => available && name === chosen)
  const clear = useEffectEvent(() => control.preset('vm_type', ''))
  useEffect(() => {
    // That of a draft may be sold out meanwhile.
    if (isGone) clear()
  }, [isGone])

  if (error && !data)
    return <ErrorPanel title={t('create.machines_error')} error={error} onRetry={() => machines.reload()} />
  if (!data) return <MachinesSkeleton />
  if (data.length === 0)
    return (
      <div className="rounded-card border border-border bg-surface shadow-xs">
        <EmptyState title={t('create.machines_none')}>
          {t('create.machines_none_text', { provider, region })}
        </EmptyState>
      </div>
    )
  const cheapest = note ? null : cheapestMachine(data)
  const chosenDisk = Number(control.values['vm_ebs_size'] ?? 0) * gigabyte
  return (
    <div className="grid gap-5">
      <RadioCards
        legend={<Legend>{t('create.machine')}</Legend>}
        className={box}
        error={control.errors['vm_type'] ?? null}
        aside={
          <Segmented
            label={t('create.sort')}
            hideLabel
            options={sortKeys.map((key) => ({ value: key, label: t(`create.sort_${key}`) }))}
            value={sort}
            onChange={setSort}
          />
        }
      >
        <div aria-hidden="true" className={cx(line, 'h-9 text-meta text-muted max-md:hidden')}>
          <span className="pl-7">{t('create.type')}</span>
          {(['vcpu', 'ram', 'disk', 'fits', 'monthly', 'hourly'] as const).map((column) => (
            <span key={column} className="text-right whitespace-nowrap">
              {t(`create.${column}`)}
            </span>
          ))}
        </div>
        {sortMachines(data, sort).map((machine) => (
          <MachineLine
            key={machine.name}
            machine={machine}
            sites={sitesOn(machine, chosenDisk)}
            cheapest={machine === cheapest}
            more={note?.(machine) ?? null}
            checked={machine.name === chosen}
            onChange={() => control.set('vm_type', machine.name)}
          />
        ))}
      </RadioCards>
      {data.some(({ disk }) => disk === null) ? (
        <div className="max-w-60">
          <FormField control={control} name="vm_ebs_size" suffix={t('create.ebs_unit')} hint={t('create.ebs_hint')} />
        </div>
      ) : null}
    </div>
  )
}

/** One machine type: a line of a table, on phones a card. What it costs and has is the description of its radio button. */
function MachineLine({
  machine,
  sites,
  cheapest,
  more,
  checked,
  onChange,
}: {
  machine: MachineType
  sites: number
  cheapest: boolean
  more: string | null
  checked: boolean
  onChange: () => void
}) {
  const id = useId()
  const { name, label, cpu, ram, disk, available } = machine
  const reason = available ? null : (machine.reason ?? t('create.unavailable'))
  const [month, hour] = [monthlyPrice(machine), hourlyPrice(machine)]
  const size = [
    t('create.spec_cpu', { count: cpu }),
    t('create.spec_ram', { size: formatBytes(ram) }),
    ...(disk === null ? [] : [t('create.spec_disk', { size: formatBytes(disk) })]),
  ]
  const rest = [
    t('create.spec_fits', { count: sites }),
    ...(hour === null ? [] : [t('create.spec_hourly', { price: hour })]),
  ]
  const cost = month === null ? t('create.no_price') : t('create.spec_monthly', { price: month })
  const note = reason ?? more ?? (name.toLowerCase() === label.toLowerCase() ? null : name)
  return (
    <label
      className={cx(
        line,
        'min-h-12 py-2 text-table has-checked:bg-[color-mix(in_oklab,var(--brand-bg)_60%,var(--surface))] has-checked:shadow-[inset_2px_0_var(--brand)] has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-ring',
        available ? 'cursor-pointer hover:bg-hover' : 'cursor-not-allowed text-muted',
      )}
    >
      <span className="flex min-w-0 items-center gap-3">
        <input
          type="radio"
          name="vm_type"
          value={name}
          checked={checked}
          disabled={!available}
          onChange={onChange}
          aria-labelledby={`${id}-name`}
          aria-describedby={`${id}-about`}
          className="size-4 flex-none appearance-none rounded-full border border-input bg-surface outline-none checked:border-[5px] checked:border-brand checked:bg-on-brand disabled:border-border disabled:bg-sunken"
        />
        <span className="min-w-0 flex-1">
          <span className="flex flex-wrap items-center gap-x-1.5">
            <span id={`${id}-name`} className="font-semibold wrap-anywhere" translate="no">
              {label}
            </span>
            {cheapest ? <Tag tone="ok">{t('create.cheapest')}</Tag> : null}
          </span>
          {note === null ? null : <span className="block text-meta text-muted">{note}</span>}
        </span>
        <span aria-hidden="true" className="ml-auto font-semibold whitespace-nowrap md:hidden">
          {month === null ? t('create.no_price') : t('create.short_price', { price: month })}
        </span>
      </span>
      <span id={`${id}-about`} className="sr-only">
        {[reason ?? more, cheapest ? t('create.cheapest') : null, ...size, cost, ...rest].filter(Boolean).join(', ')}
      </span>
      <span aria-hidden="true" className="pl-7 text-meta text-muted md:hidden">
        {size.join(' · ')}
        <br />
        {rest.join(' · ')}
      </span>
      <Cell>{formatNumber(cpu)}</Cell>
      <Cell>{formatBytes(ram)}</Cell>
      <Cell>{disk === null ? '—' : formatBytes(disk)}</Cell>
      <Cell>{t('create.spec_sites', { count: sites })}</Cell>
      <Cell strong>{month ?? '—'}</Cell>
      <Cell muted>{hour ?? '—'}</Cell>
    </label>
  )
}

function Cell({ strong = false, muted = false, children }: { strong?: boolean; muted?: boolean; children: string }) {
  return (
    <span
      aria-hidden="true"
      className={cx('text-right whitespace-nowrap max-md:hidden', strong && 'font-semibold', muted && 'text-muted')}
    >
      {children}
    </span>
  )
}

function MachinesSkeleton() {
  return (
    <div aria-busy="true" aria-hidden="true" className="grid gap-2">
      <Skeleton className="h-4 w-16" />
      <div className={cx('grid', box)}>
        {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
          <div key={key} className="flex h-12 items-center justify-between px-4">
            <Skeleton className="h-3 w-32" />
            <Skeleton className="h-3 w-40 max-md:w-16" />
          </div>
        ))}
      </div>
    </div>
  )
}
