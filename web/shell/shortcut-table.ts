import { shortcutGroups } from '#shared/shortcuts.ts'

/** Paths by key sequence, such as "g d"; used only if the screen exists and the user can open it. */
export const pathsByPair: Readonly<Record<string, string>> = Object.fromEntries(
  shortcutGroups
    .flatMap(({ shortcuts }) => shortcuts)
    .flatMap(({ keys, sequence, to }) => (!sequence || to === undefined ? [] : [[keys.join(' ').toLowerCase(), to]])),
)
