import { currentTimeZone, timeZones } from '#shared/rules/time-zones.ts'

interface Choice {
  value: string
  label: string
}

const known = ['UTC', ...timeZones.filter((zone) => zone !== 'UTC')]
const knownChoices = known.map((zone) => choiceOf(zone))

/** Time zones this browser knows. A stored one stays selectable if it is unknown, and as it is if it is a former name. */
export function timeZoneChoices(stored: string | null): readonly Choice[] {
  if (!stored || known.includes(stored)) return knownChoices
  const current = currentTimeZone(stored)
  if (!known.includes(current)) return [choiceOf(stored), ...knownChoices]
  return knownChoices.map((choice) => (choice.value === current ? { ...choice, value: stored } : choice))
}

function choiceOf(zone: string): Choice {
  return { value: zone, label: zone.replaceAll('_', ' ') }
}
