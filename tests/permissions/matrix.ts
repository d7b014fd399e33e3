import { readFileSync } from 'node:fs'
import { readCell, type Cell } from './notation.ts'

/** Roles in the table's columns. */
export const columns = ['PA', 'OW', 'AD', 'MG', 'US'] as const

/** One of the table's columns. */
export type Column = (typeof columns)[number]

/** A group of fields that cells refer to. */
export interface FieldGroup {
  readonly doctype: string
  readonly fields: readonly string[]
}

/** The parsed fixture. */
export interface Matrix {
  /** Cells by the row's first words, then by role. */
  readonly rows: ReadonlyMap<string, Readonly<Record<Column, Cell>>>
  readonly groups: ReadonlyMap<string, FieldGroup>
  /** Area of the API token scopes, by doctype. */
  readonly areas: ReadonlyMap<string, string>
  /** Callable methods by full name or unique last segment. */
  readonly methods: ReadonlyMap<string, MethodRow>
}

/** Who can call a method. */
export interface MethodRow {
  readonly who: 'guest' | 'self' | 'verified' | 'member' | 'platform'
  /** Scope an API token needs, `any` for none; null: not accessible to tokens. */
  readonly scope: string | null
  /** Whether it checks permissions again for the documents it uses. */
  readonly asksAgain: boolean
}

/** Parses the fixture. Throws for unknown cells and for an incomplete table. */
export function readMatrix(text = readFileSync(new URL('matrix.md', import.meta.url), 'utf8')): Matrix {
  const rows = new Map<string, Readonly<Record<Column, Cell>>>()
  const groups = new Map<string, FieldGroup>()
  const areas = new Map<string, string>()
  const methods = new Map<string, MethodRow>()
  for (const section of text.split(/^## /m).slice(1)) {
    const title = section.slice(0, section.indexOf('\n')).trim()
    for (const cells of tableRows(section)) {
      const [first = '', ...rest] = cells
      if (title === 'Fields') groups.set(first, { doctype: rest[0] ?? '', fields: (rest[1] ?? '').split(' ') })
      else if (title === 'Areas') areas.set(first, rest[0] ?? '')
      else if (title === 'Methods') addMethods(methods, first, rest)
      else if (rows.has(first)) throw new Error(`The row "${first}" stands twice.`)
      else rows.set(first, readRow(first, rest))
    }
  }
  return { rows, groups, areas, methods }
}

function readRow(name: string, cells: readonly string[]): Record<Column, Cell> {
  if (cells.length < columns.length) throw new Error(`The row "${name}" is not whole.`)
  const read: Cell[] = []
  for (const cell of cells.slice(0, columns.length)) read.push(readCell(cell, read.at(-1) ?? null))
  return Object.fromEntries(columns.map((column, at) => [column, read[at]])) as Record<Column, Cell>
}

function addMethods(methods: Map<string, MethodRow>, who: string, [scope = '', names = '']: readonly string[]): void {
  if (!['guest', 'self', 'verified', 'member', 'platform'].includes(who)) throw new Error(`Nobody is called ${who}.`)
  for (const name of names.split(' ')) {
    const row = { who: who as MethodRow['who'], scope: scope === '–' ? null : scope, asksAgain: name.endsWith('+') }
    methods.set(name.replace(/\+$/, ''), row)
  }
}

/** Cells of a section's table, without the heading. */
function tableRows(section: string): string[][] {
  const lines = section.split('\n').filter((line) => line.startsWith('|'))
  return lines.slice(2).map((line) =>
    line
      .slice(1, line.lastIndexOf('|'))
      .split('|')
      .map((cell) => cell.trim()),
  )
}
