/** A text that lacks a value shows as it is written, so no call of a catalog leaves one out. */
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { placeholdersOf } from '#shared/message-format.ts'
import { everyNode, nodesOf, type Node } from './source-texts.ts'

const root = join(import.meta.dirname, '..')
const named = (node: Node | undefined): string => String(node?.['name'] ?? node?.['value'] ?? '')
const child = (node: Node, key: string): Node | undefined => nodesOf(node[key])[0]

test('a call that names its values names all that its text has', async () => {
  const files = await Array.fromAsync(glob('web/**/*.{ts,tsx}', { cwd: root }))
  const calls: { where: string; callee: string; given: Node[] }[] = []
  for (const path of files.filter((file) => !/\.test\.tsx?$/.test(file))) {
    const source = await readFile(join(root, path), 'utf8')
    everyNode(parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node, (node) => {
      if (node.type !== 'CallExpression') return
      const where = `${path}:${source.slice(0, node.start).split('\n').length}`
      calls.push({ where, callee: named(child(node, 'callee')), given: nodesOf(node['arguments']) })
    })
  }
  /** Places of a text by its key; several catalogs can have a key. */
  const placeholdersByKey = new Map<string, string[][]>()
  for (const { callee, given } of calls) {
    if (callee !== 'createCatalog' || given[0] === undefined) continue
    for (const property of nodesOf(given[0]['properties'])) {
      const [key, message] = [named(child(property, 'key')), named(child(property, 'value'))]
      placeholdersByKey.set(key, [...(placeholdersByKey.get(key) ?? []), placeholdersOf(message)])
    }
  }
  expect(placeholdersByKey.size).toBeGreaterThan(1500)
  let checked = 0
  const incomplete = calls.flatMap(({ where, given: [key, values] }) => {
    const texts = key?.type === 'Literal' ? placeholdersByKey.get(named(key)) : undefined
    const properties = values?.type === 'ObjectExpression' ? nodesOf(values['properties']) : []
    if (texts === undefined || properties.length === 0 || properties.some(({ type }) => type !== 'Property')) return []
    checked += 1
    const has = new Set(properties.map((property) => named(child(property, 'key'))))
    return texts.some((placeholders) => placeholders.every((placeholder) => has.has(placeholder)))
      ? []
      : [`${where} ${named(key)}`]
  })
  expect(checked).toBeGreaterThan(300)
  expect(incomplete).toEqual([])
})
