interface Choice {
  value: string
  label: string
}

const known = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')]
const knownChoices: readonly Choice[] = known.map(choiceOf)

/** Time zones this browser knows; a stored unknown one stays selectable. */
export function timeZoneChoices(stored: string | null): readonly Choice[] {
  return stored && !known.includes(stored) ? [choiceOf(stored), ...knownChoices] : knownChoices
}

function choiceOf(zone: string): Choice {
  return { value: zone, label: zone.replaceAll('_', ' ') }
}
