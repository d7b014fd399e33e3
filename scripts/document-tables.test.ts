import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { everyNode, type Node } from './source-texts.ts'

const root = join(import.meta.dirname, '..')
const record = 'docs/decisions/0040-sql-on-document-tables.md'

/** Functions of the store that name a document's table. */
const naming = ['tableRef', 'tableName']

/** Whether a source names a document table: in a text, which comments are not, or by a function of the store. */
function namesDocumentTable(source: string): boolean {
  let found = false
  everyNode(parseAst(source, { lang: 'ts' }) as unknown as Node, (node) => {
    const { value, imported } = node as { value?: unknown; imported?: { name?: string } }
    const text = node.type === 'TemplateElement' ? (value as { cooked: string | null }).cooked : value
    if (['Literal', 'TemplateElement'].includes(node.type)) found ||= typeof text === 'string' && /\btab_/.test(text)
    if (node.type === 'ImportSpecifier') found ||= naming.includes(imported?.name ?? '')
  })
  return found
}

test('SQL on document tables outside of the store is where the decision allows it', () => {
  const sources = globSync('server/**/*.ts', { cwd: root }).filter(
    (path) => !path.startsWith('server/documents/') && !path.endsWith('.test.ts'),
  )
  expect(sources.length).toBeGreaterThan(200)
  const found = sources.filter((path) => namesDocumentTable(readFileSync(join(root, path), 'utf8')))
  const rows = readFileSync(join(root, record), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('| '))
  const allowed = rows.flatMap((row) => [...row.matchAll(/`(server\/[^`]+\.ts)`/g)].map((match) => match[1] as string))
  expect(found.toSorted()).toEqual(allowed.toSorted())
})
