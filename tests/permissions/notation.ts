/** Parses the cells of the permission table word by word; an unknown word is an error, never a guess. */

/** An operation of the table. */
export type Letter = 'R' | 'C' | 'W' | 'D'

/** The rows a letter applies to. */
export type RowScope =
  | 'all'
  /** `*`: own, or shared with the bit for the letter. */
  | 'starred'
  /** Rows the person created or that are about them. */
  | 'own'
  /** The person's own account and the rows that belong to it. */
  | 'self'
  /** Development servers, or rows on them. */
  | 'development'
  /** Development servers, and servers with sites shared with the person. */
  | 'development or with a shared site'
  /** Activity entries about servers and sites. */
  | 'about servers and sites'
  /** Activity entries about documents the person can read. */
  | 'about readable documents'
  /** Everyone except the organization's owner. */
  | 'not the owner'
  /** Rows with the role Organization User. */
  | 'as Organization User'
  /** As allowed for the document the file is attached to. */
  | 'as attached'

/** A parsed cell. */
export interface Cell {
  /** Where each operation is allowed; a missing letter means nowhere. */
  readonly letters: Partial<Record<Letter, RowScope>>
  /** For rows that are actions: whether they are allowed, and on what. */
  readonly act: RowScope | 'share bit' | null
  /** Requires a recent password check. */
  readonly reauth: boolean
  /** Group of the only readable fields; null for all. */
  readonly only: string | null
  /** Group of unreadable fields; null for none. */
  readonly except: string | null
  /** Verbs of special operations, as named in the cell. */
  readonly verbs: readonly string[]
}

const nothing: Cell = { letters: {}, act: null, reauth: false, only: null, except: null, verbs: [] }

/** Whole cells with a fixed meaning. */
const phrases: Readonly<Record<string, Partial<Cell>>> = {
  '–': {},
  yes: { act: 'all' },
  '*': { act: 'starred' },
  'share bit': { act: 'share bit' },
  're-auth': { act: 'all', reauth: true },
  self: { act: 'self', letters: { R: 'self', W: 'self' } },
  logs: { verbs: ['logs'] },
  clear: { verbs: ['clear'] },
  'set/test/clear': { verbs: ['set', 'test', 'clear'] },
  'make/revoke, shown once': { verbs: ['make', 'revoke'] },
  'modules W': { verbs: ['modules'] },
  'plan W, rest R': { letters: { R: 'all' }, verbs: ['plan'] },
  'own role, title': { letters: { R: 'all' }, only: 'own role, title' },
  'name+image': { letters: { R: 'all' }, only: 'name+image' },
  'R†': { letters: { R: 'all' }, only: 'colleague' },
  'R, disable': { letters: { R: 'all' }, verbs: ['disable'] },
  'R, no credentials': { letters: { R: 'all' }, except: 'credentials' },
  'RWD, not owner': { letters: { R: 'all', W: 'not the owner', D: 'not the owner' } },
  'RCD as Organization User': {
    letters: { R: 'as Organization User', C: 'as Organization User', D: 'as Organization User' },
  },
  'server+site': { letters: { R: 'about servers and sites' } },
  'readable docs': { letters: { R: 'about readable documents' } },
  'list columns of development servers and of servers with sites shared with him': {
    letters: { R: 'development or with a shared site' },
    only: 'list columns',
  },
  'RW, no create, archive, workers, burst, storage, backup deletion': { letters: { R: 'all', W: 'all' } },
  'R* (information, logs, resync)': { letters: { R: 'starred' } },
  'own C, all RD': { letters: { R: 'all', C: 'own', D: 'all' } },
  'as attached doc; private by default': { letters: { R: 'as attached', W: 'as attached', D: 'as attached' } },
}

/**
 * Parses a cell. `left` is the cell to its left: `same` repeats it and `own` repeats it for the person's own rows. Throws
 * for an unknown word.
 */
export function readCell(text: string, left: Cell | null = null): Cell {
  const cell = text.trim()
  if (cell === 'same' || cell === 'own') {
    if (left === null) throw new Error(`"${cell}" has nothing to its left.`)
    if (cell === 'same') return left
    const letters = Object.fromEntries(Object.keys(left.letters).map((letter) => [letter, 'own']))
    return { ...nothing, letters, act: left.act === null ? null : 'own' }
  }
  if (Object.hasOwn(phrases, cell)) return { ...nothing, ...phrases[cell] }
  const letters: Partial<Record<Letter, RowScope>> = {}
  for (const part of cell.split(/[;,]/).map((one) => one.trim())) Object.assign(letters, readLetters(part))
  return { ...nothing, letters }
}

/** `RCWD`, `R*`, `WD*`, `C dev`, `own R`. */
function readLetters(part: string): Partial<Record<Letter, RowScope>> {
  const match = /^(own )?([RCWD]+)(\*)?( dev)?$/.exec(part)
  if (!match) throw new Error(`The cell's words "${part}" are not understood.`)
  const reach: RowScope = match[1] ? 'own' : match[3] ? 'starred' : match[4] ? 'development' : 'all'
  return Object.fromEntries([...(match[2] as string)].map((letter) => [letter, reach]))
}
