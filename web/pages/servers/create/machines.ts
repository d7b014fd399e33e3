import type { MachineType } from '#shared/responses/servers.ts'
import { sitesThatFit } from '#shared/rules/site-capacity.ts'
import { numberFormat } from '#web/lib/i18n/number-format.ts'

/** What machines can be sorted by, lowest first. */
export const sortKeys = ['price', 'ram', 'cpu'] as const

/** What machines are sorted by. */
export type SortKey = (typeof sortKeys)[number]

const monthly = ({ price_monthly: price }: MachineType): number => price ?? Infinity
const rank = (machine: MachineType, key: SortKey): number => (key === 'price' ? monthly(machine) : machine[key])

/** Machines in an order; equal ones by price, those without a price last. */
export function sortMachines(machines: readonly MachineType[], key: SortKey): MachineType[] {
  const byPrice = (a: MachineType, b: MachineType) => {
    const [first, second] = [monthly(a), monthly(b)]
    return first === second ? a.name.localeCompare(b.name, 'en') : first - second
  }
  return machines.toSorted((a, b) => (rank(a, key) === rank(b, key) ? 0 : rank(a, key) - rank(b, key)) || byPrice(a, b))
}

/** The machine with the lowest price per month among those that can be ordered; null if none has a price. */
export function cheapestMachine(machines: readonly MachineType[]): MachineType | null {
  const [first] = sortMachines(
    machines.filter(({ available, price_monthly: price }) => available && price !== null),
    'price',
  )
  return first ?? null
}

/** Number of sites that fit on a machine. `chosenDisk`: bytes of the disk that is chosen with it, if it has none of its own. */
export function sitesOn({ ram, disk }: MachineType, chosenDisk: number): number {
  return sitesThatFit({ ram, disk: disk ?? chosenDisk })
}

/** Price per month in its own currency; null if the vendor doesn't tell it. */
export function monthlyPrice({
  price_monthly: price,
  currency,
}: Pick<MachineType, 'price_monthly' | 'currency'>): string | null {
  return price === null || currency === null ? null : numberFormat({ style: 'currency', currency }).format(price)
}

/** Price per hour in its own currency, to a hundredth of a cent; null if the vendor doesn't tell it. */
export function hourlyPrice({
  price_hourly: price,
  currency,
}: Pick<MachineType, 'price_hourly' | 'currency'>): string | null {
  if (price === null || currency === null) return null
  return numberFormat({ style: 'currency', currency, minimumFractionDigits: 4 }).format(price)
}
