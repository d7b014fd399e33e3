/** Syntax trees of TypeScript modules: functions by name, and nodes by kind and by what they mention. */
import { parseAst } from 'rolldown/parseAst'

/** A node of a syntax tree. `start` and `end` are positions in the text. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** A function with the names that lead to it, joined by dots. */
export interface NamedFunction {
  readonly path: string
  readonly node: Node
}

/** Trees by text: a module has many mutants. */
const parsed = new Map<string, Node>()

/** Parses a module. Throws for text that is no TypeScript. */
export function parseModule(text: string): Node {
  const program: unknown = parsed.get(text) ?? parseAst(text, { lang: 'ts' })
  if (!isNode(program)) throw new Error('The parser returned no program.')
  parsed.set(text, program)
  return program
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

/** A node of a property; null if it has none. */
export function child(node: Node, key: string): Node | null {
  const value = node[key]
  return isNode(value) ? value : null
}

/** The nodes of a list property. */
export function list(node: Node, key: string): Node[] {
  const value = node[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** Children that run, in the order of the text: types decide nothing. */
function children(node: Node): Node[] {
  const isTyped = ['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression'].includes(node.type)
  if (node.type.startsWith('TS') && !isTyped) return []
  const all = Object.values(node).flatMap((value) =>
    Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : [],
  )
  return all.toSorted((a, b) => a.start - b.start)
}

/** A node and everything below it, with parents. */
export function* everyNode(node: Node, parent: Node | null = null): Generator<{ node: Node; parent: Node | null }> {
  yield { node, parent }
  for (const below of children(node)) yield* everyNode(below, node)
}

/** Variables, properties and literal values that a node mentions. */
export function mentions(node: Node): ReadonlySet<string> {
  const found = new Set<string>()
  for (const { node: one } of everyNode(node)) {
    if (one.type === 'Identifier' || one.type === 'PrivateIdentifier') found.add(String(one['name']))
    if (one.type === 'Literal') found.add(String(one['value']))
  }
  return found
}

/** `a`, or `a.b` of a plain chain; null for other expressions. */
export function chainOf(node: Node | null): string | null {
  if (node?.type === 'Identifier') return String(node['name'])
  if (node?.type !== 'MemberExpression' || node['computed'] === true) return null
  const [object, property] = [chainOf(child(node, 'object')), child(node, 'property')]
  return object === null || property === null ? null : `${object}.${String(property['name'])}`
}

const functions = ['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']
const isFunction = (node: Node | null): node is Node => node !== null && functions.includes(node.type)

/** All named functions of a module. */
export function functionsOf(program: Node): NamedFunction[] {
  return below(program, '', true)
}

function below(node: Node, path: string, isTop: boolean): NamedFunction[] {
  return children(node).flatMap((one) => {
    const isOuter = isTop && !isFunction(one)
    const named = nameOf(one, node, isOuter)
    if (named === null) return below(one, path, isOuter)
    const own = path === '' ? named.name : `${path}.${named.name}`
    const inner = below(named.node, own, false)
    return isFunction(named.node) ? [{ path: own, node: named.node }, ...inner] : inner
  })
}

/** The name that a node gives to what is in it: functions everywhere, other values and classes at the top only. */
function nameOf(node: Node, parent: Node, isTop: boolean): { name: string; node: Node } | null {
  const [id, init, key, value] = ['id', 'init', 'key', 'value'].map((name) => child(node, name))
  if (node.type === 'FunctionDeclaration' && id) return { name: String(id['name']), node }
  if (node.type === 'ClassDeclaration' && id) return { name: String(id['name']), node }
  if (node.type === 'VariableDeclarator' && id?.type === 'Identifier' && init && (isTop || isFunction(init)))
    return { name: String(id['name']), node: init }
  if (
    ['Property', 'MethodDefinition', 'PropertyDefinition'].includes(node.type) &&
    key &&
    isFunction(value ?? null) &&
    value
  )
    return { name: String(key['name'] ?? key['value']), node: value }
  // Handlers: `on('event', …, handler)`.
  const [first] = list(parent, 'arguments')
  if (isFunction(node) && parent.type === 'CallExpression' && first?.type === 'Literal')
    return { name: String(first['value']), node }
  return null
}
