import { shortcuts } from '#shared/shortcuts.ts'

/** Where the pairs of keys lead, by "g d": only to screens there are and that the person may open. */
export const pairPlaces: Readonly<Record<string, string>> = Object.fromEntries(
  shortcuts.flatMap(({ keys, to }) => (to === undefined ? [] : [[keys.join(' '), to]])),
)
