/** Every regular expression of the product's sources, found by their syntax. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

/** A regular expression of a source file. */
export interface SourceRegex {
  /** `path:line` */
  where: string
  source: string
  flags: string
}

interface Node {
  type: string
  start: number
  [key: string]: unknown
}

const root = join(import.meta.dirname, '..', '..')

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
const nodes = (value: unknown): Node[] => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [])

function everyNode(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const value of Object.values(node)) for (const child of nodes(value)) everyNode(child, visit)
}

/** The expressions of files, and places where one is put together of more than constants of its file. */
export interface SourceRegexes {
  regexes: SourceRegex[]
  unreadable: string[]
}

/** Those of one file. */
export function regexesIn(path: string, text: string): SourceRegexes {
  const regexes: SourceRegex[] = []
  const unreadable: string[] = []
  const constants = new Map<string, Node>()
  const ast = parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node
  everyNode(ast, (node) => {
    const [name, init] = [node['id'], node['init']]
    if (node.type === 'VariableDeclarator' && isNode(name) && isNode(init)) constants.set(String(name['name']), init)
  })
  const where = (node: Node) => `${path}:${text.slice(0, node.start).split('\n').length}`
  const textOf = (node: Node | undefined): string | null => {
    if (node?.type === 'Literal' && typeof node['value'] === 'string') return node['value']
    if (node?.type === 'Identifier') return textOf(constants.get(String(node['name'])))
    if (node?.type !== 'TemplateLiteral') return null
    const expressions = nodes(node['expressions']).map(textOf)
    if (expressions.includes(null)) return null
    return nodes(node['quasis'])
      .map((part, at) => (part['value'] as { cooked: string }).cooked + (expressions[at] ?? ''))
      .join('')
  }
  everyNode(ast, (node) => {
    if (node.type === 'Literal' && 'regex' in node) {
      const { pattern, flags } = node['regex'] as { pattern: string; flags: string }
      regexes.push({ where: where(node), source: pattern, flags })
    }
    const callee = node['callee']
    if (!isNode(callee) || callee['name'] !== 'RegExp') return
    const [pattern, flags] = nodes(node['arguments'])
    const [source, flagText] = [textOf(pattern), flags ? textOf(flags) : '']
    if (source === null || flagText === null) unreadable.push(where(node))
    else regexes.push({ where: where(node), source, flags: flagText })
  })
  return { regexes, unreadable }
}

/** Those of the product: server, shared and web app, without their tests. */
export async function sourceRegexes(): Promise<SourceRegexes> {
  const found: SourceRegexes = { regexes: [], unreadable: [] }
  for (const folder of ['server', 'shared', 'web']) {
    for (const file of await readdir(join(root, folder), { recursive: true })) {
      if (!/\.tsx?$/.test(file) || /\.test\.tsx?$/.test(file)) continue
      const path = `${folder}/${file}`
      const { regexes, unreadable } = regexesIn(path, await readFile(join(root, path), 'utf8'))
      found.regexes.push(...regexes)
      found.unreadable.push(...unreadable)
    }
  }
  return found
}
