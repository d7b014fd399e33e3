/** A text that lacks a value shows as it is written, so no call of a catalog leaves one out. Each text of a catalog is used. */
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { beforeAll, expect, test } from 'vitest'
import { placeholdersOf } from '#shared/message-format.ts'
import { everyNode, nodesOf, type Node } from './source-texts.ts'

const root = join(import.meta.dirname, '..')
const named = (node: Node | undefined): string => String(node?.['name'] ?? node?.['value'] ?? '')
const child = (node: Node, key: string): Node | undefined => nodesOf(node[key])[0]

/** The files of the web app with their syntax trees. */
async function webFiles(): Promise<{ path: string; source: string; tree: Node }[]> {
  const paths = (await Array.fromAsync(glob('web/**/*.{ts,tsx}', { cwd: root }))).filter(
    (path) => !/\.test\.tsx?$/.test(path),
  )
  return Promise.all(
    paths.map(async (path) => {
      const source = await readFile(join(root, path), 'utf8')
      const tree = parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node
      return { path, source, tree }
    }),
  )
}

let files: Awaited<ReturnType<typeof webFiles>>
beforeAll(async () => {
  files = await webFiles()
})

/** The texts of a catalog, if this is a call that makes one of an object written there. */
const textsOfCatalog = ({ type, callee, arguments: given }: Node): Node[] =>
  type === 'CallExpression' && named(nodesOf(callee)[0]) === 'createCatalog'
    ? nodesOf(nodesOf(given)[0]?.['properties'])
    : []

/** What a template can be, as an expression; nothing if it could be any text. */
function patternOf(template: Node): string {
  const texts = nodesOf(template['quasis']).map((part) => RegExp.escape((part['value'] as { cooked: string }).cooked))
  const values = nodesOf(template['expressions']).map(({ type, consequent, alternate }) =>
    type === 'ConditionalExpression'
      ? `(?:${[consequent, alternate].map((branch) => RegExp.escape(named(nodesOf(branch)[0]))).join('|')})`
      : '.*',
  )
  const pattern = texts.map((text, at) => text + (values[at] ?? '')).join('')
  const isAny = !/[._]/.test(texts.join('')) || /^\.\*.*\.\*$/.test(pattern)
  return isAny ? '' : pattern
}

test('each text of a catalog is used', () => {
  const keys = new Map<string, string>()
  const used = new Set<string>()
  const patterns = new Set<string>()
  const ownKeys = new Set<Node>()
  for (const { path, tree } of files) {
    everyNode(tree, (node) => {
      for (const property of textsOfCatalog(node)) {
        const key = child(property, 'key')
        if (key) ownKeys.add(key)
        keys.set(named(key), path)
      }
      if (node.type === 'Literal' && !ownKeys.has(node)) used.add(named(node))
      if (node.type === 'TemplateLiteral') patterns.add(patternOf(node))
    })
  }
  const any = new RegExp(`^(?:${[...patterns].join('|')})$`)
  expect(keys.size).toBeGreaterThan(1500)
  expect([...keys].flatMap(([key, path]) => (used.has(key) || any.test(key) ? [] : [`${path} ${key}`]))).toEqual([])
})

test('a call that names its values names all that its text has', () => {
  const calls = files.flatMap(({ path, source, tree }) => {
    const found: { where: string; callee: string; given: Node[] }[] = []
    everyNode(tree, (node) => {
      if (node.type !== 'CallExpression') return
      const where = `${path}:${source.slice(0, node.start).split('\n').length}`
      found.push({ where, callee: named(child(node, 'callee')), given: nodesOf(node['arguments']) })
    })
    return found
  })
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
