/** Pictures in the top bar; the rest is a number. */
export const faces = 3

/** Kept without the organization's name: the browser may be another person's next. */
const key = 'easydash:people'

/** How many people are taken for granted where nobody was seen yet: all faces and a number of two digits. */
const unknown = faces + 10

/**
 * Width in px that the faces of so many people take, at the least. It is kept free before they come: what stands beside
 * them must not move.
 */
export function avatarGroupWidth(people: number = recall()): number {
  const more = people - faces
  // Overlapping circles of 28 px in a padding of 6; "+12" with the gap before it.
  return 12 + 28 + 24 * (Math.min(people, faces) - 1) + (more > 0 ? 15 + 8 * String(more).length : 0)
}

function recall(): number {
  try {
    const people = Number(localStorage.getItem(key))
    if (people >= 1) return people
  } catch {
    // Storage is blocked: like a browser that has seen nobody.
  }
  return unknown
}

/** Keeps how many people there are for the next page. */
export function keepPeople(people: number): void {
  try {
    localStorage.setItem(key, String(people))
  } catch {
    // Storage is blocked: the next page leaves room as for the first.
  }
}
