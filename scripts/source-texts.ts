/** Finds user-facing texts in source files by their syntax: the texts `npm run texts` gives to translators. */
import { parseAst } from 'rolldown/parseAst'
import { pluralId } from '#shared/localized-message.ts'

/** A text, and what is wrong with how it is written: '' or a sentence. */
export interface SourceText {
  english: string
  /** `path:line` */
  where: string
  problem: string
}

/** A node of a syntax tree. */
export interface Node {
  type: string
  start: number
  end: number
  [key: string]: unknown
}

/** Functions with text arguments, and the positions of these arguments. */
const translatedArguments: ReadonlyMap<string, readonly number[]> = new Map([
  ['translateText', [0]],
  ['labelMessage', [0]],
  ['route', [1]],
  ['telling', [0]],
  ['part', [0, 2]],
  ['pair', [1, 3]],
])

/** Functions with a label that is stored: its interpolated values become values again (`jobLabelMessage` of `shared/localized-message.ts`). */
const labelArguments: ReadonlyMap<string, number> = new Map([
  ['step', 1],
  ['destructive', 1],
])

/** A file to search and what to look for. */
export interface Search {
  /** `path` of the file, for `where`. */
  path: string
  source: string
  /** Variables whose strings are all texts (word tables). */
  tables?: readonly string[]
  /** Properties that contain a text in this file, e.g. `label`. */
  properties?: ReadonlySet<string>
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value
/** The nodes in a property of a node: one, several, or none. */
export const nodesOf = (value: unknown): Node[] =>
  Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []
const nameOf = (value: unknown): string => (isNode(value) ? String(value['name'] ?? value['value'] ?? '') : '')

/** Visits a node and all nodes below it. */
export function everyNode(root: Node, visit: (node: Node) => void): void {
  visit(root)
  for (const value of Object.values(root)) for (const child of nodesOf(value)) everyNode(child, visit)
}

const quasis = (literal: Node): (string | null)[] =>
  nodesOf(literal['quasis']).map((part) => (part['value'] as { cooked: string | null }).cooked)

/** `a ${x} b` → `a {0} b` */
const templateOf = (literal: Node): string =>
  quasis(literal)
    .map((part, at) => (at === 0 ? '' : `{${at - 1}}`) + (part ?? ''))
    .join('')

/** The texts a node can evaluate to: a literal, a template, either branch of a conditional. */
function textsOf(node: unknown): string[] {
  if (!isNode(node)) return []
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : []
  if (node.type === 'TemplateLiteral') return [templateOf(node)]
  if (node.type === 'ConditionalExpression') return [...textsOf(node['consequent']), ...textsOf(node['alternate'])]
  if (node.type === 'LogicalExpression') return [...textsOf(node['left']), ...textsOf(node['right'])]
  if (node.type === 'ArrowFunctionExpression') return textsOf(node['body'])
  return []
}

const isMessage = (node: unknown): boolean =>
  isNode(node) && node.type === 'TaggedTemplateExpression' && nameOf(node['tag']) === 'msg'

/** The interpolated expressions of a sentence, as source. */
const placeholdersOf = (message: Node, source: string): string =>
  nodesOf((message['quasi'] as Node)['expressions'])
    .map(({ start, end }) => source.slice(start, end))
    .join(' | ')

function messageProblem(message: Node): string {
  const parts = quasis(message['quasi'] as Node)
  if (parts.some((part) => part === null || /[{}]/.test(part))) return 'A brace would be taken for a placeholder.'
  const text = templateOf(message['quasi'] as Node)
  if (/'[{}]/.test(text)) return 'An apostrophe before a placeholder would make it text.'
  return text.trim() === text && text !== '' ? '' : 'A sentence neither is empty nor begins or ends with space.'
}

/** Names of functions that contain texts by their arguments. */
const calls = ['plural', 'createCatalog', ...translatedArguments.keys(), ...labelArguments.keys()]

/** All texts of a file. */
export function textsIn({ path, source, tables = [], properties = new Set() }: Search): SourceText[] {
  // Most files have none, and to parse them takes longest.
  if (!['msg`', ...calls, ...tables, ...properties].some((name) => source.includes(name))) return []
  const found: SourceText[] = []
  const inForms = new Set<Node>()
  const add = (node: Node, english: string, problem = ''): void => {
    found.push({ english, where: `${path}:${source.slice(0, node.start).split('\n').length}`, problem })
  }
  const addForms = (node: Node): void => {
    const forms = (node['arguments'] as Node[]).slice(1)
    const [one, other] = forms
    if (!one || !other || !isMessage(one) || !isMessage(other))
      return add(node, '', 'The forms of plural() are two sentences.')
    const same = placeholdersOf(one, source) === placeholdersOf(other, source)
    for (const form of forms) inForms.add(form)
    const texts = forms.map((form) => templateOf(form['quasi'] as Node))
    const english = pluralId(texts[0] ?? '', texts[1] ?? '')
    const problem =
      messageProblem(one) ||
      messageProblem(other) ||
      (texts.some((text) => text.includes('#')) ? 'A # would be taken for the number.' : '')
    add(node, english, problem || (same ? '' : 'Both forms need the same values in the same order.'))
  }
  const addCatalog = (catalog: Node): void => {
    for (const property of nodesOf(catalog['properties'])) {
      const value = property['value'] as Node
      for (const text of textsOf(value)) add(value, text)
    }
  }
  const addTexts = (node: unknown): void => {
    for (const text of textsOf(node)) if (text !== '') add(node as Node, text)
  }
  const addTable = (table: Node): void => {
    addTexts(table)
    everyNode(table, (node) => {
      if (node.type === 'Property') {
        const value = node['value'] as Node
        addTexts(value)
        if (value.type === 'Identifier' && !tables.includes(nameOf(value)))
          add(value, '', 'Name the variable of this text in `tables`.')
      } else if (node.type === 'ArrayExpression') for (const element of nodesOf(node['elements'])) addTexts(element)
    })
  }
  everyNode(parseAst(source, { lang: path.endsWith('x') ? 'tsx' : 'ts' }, path) as unknown as Node, (node) => {
    if (node.type === 'CallExpression') {
      const callee = nameOf(node['callee'])
      const given = node['arguments'] as Node[]
      const [first] = given
      if (callee === 'plural') addForms(node)
      else if (callee === 'createCatalog' && first) {
        if (first.type === 'ObjectExpression') addCatalog(first)
        else if (!tables.includes(nameOf(first))) add(node, '', 'Name the variable of this catalog in `tables`.')
      } else if (labelArguments.has(callee)) addTexts(given[labelArguments.get(callee) ?? 0])
      else
        for (const at of translatedArguments.get(callee) ?? []) {
          if (given[at]?.type !== 'TemplateLiteral') addTexts(given[at])
          else add(node, '', 'A text that is put together has no translation: use msg.')
        }
    } else if (isMessage(node)) {
      if (!inForms.has(node)) add(node, templateOf(node['quasi'] as Node), messageProblem(node))
    } else if (node.type === 'VariableDeclarator') {
      const name = nameOf(node['id'])
      if (tables.includes(name) && isNode(node['init'])) addTable(node['init'])
      else if (properties.has(name)) addTexts(node['init'])
    } else if (node.type === 'AssignmentPattern' && properties.has(nameOf(node['left']))) addTexts(node['right'])
    else if (node.type === 'Property' && properties.has(nameOf(node['key']))) addTexts(node['value'])
  })
  return found
}
