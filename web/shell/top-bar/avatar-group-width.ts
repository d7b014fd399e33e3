/** Avatars in the top bar; the rest is a count. */
export const maxAvatars = 3

/** Stored without the organization's name, because another user may use the browser next. */
const key = 'easydash:people'

/** Assumed number of members if none is stored: all avatars and a two-digit count. */
const unknown = maxAvatars + 10

/**
 * Minimum width in px of the avatars of so many members. It is reserved before they load, so that neighboring elements don't
 * move.
 */
export function avatarGroupWidth(people: number = recall()): number {
  const more = people - maxAvatars
  // 28 px circles with 2 px between them and a padding of 6; "+12" with the gap before it.
  return 12 + 28 + 30 * (Math.min(people, maxAvatars) - 1) + (more > 0 ? 15 + 8 * String(more).length : 0)
}

function recall(): number {
  try {
    const people = Number(localStorage.getItem(key))
    if (people >= 1) return people
  } catch {
    // Storage is blocked: as if no number was stored.
  }
  return unknown
}

/** Stores the number of members for the next page load. */
export function saveMemberCount(people: number): void {
  try {
    localStorage.setItem(key, String(people))
  } catch {
    // Storage is blocked: the next page uses the assumed number.
  }
}
