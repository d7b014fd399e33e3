/** Finds the part of a module that a change is about, and changes it. */
import type { Change, CodeMutant, Names } from './mutant.ts'
import { chainOf, child, everyNode, functionsOf, list, mentions, parseModule, type Node } from './syntax.ts'

/** The text between two positions, and what takes its place while a mutant is on. */
export interface Edit {
  readonly start: number
  readonly end: number
  /** `original` or something else, depending on an expression. */
  readonly switched: (isOn: string, original: string) => string
}

/** A part of a function that fits, with its parent. */
interface Found {
  readonly node: Node
  readonly parent: Node | null
}

/** The name of the global variable that says which mutant is on. */
export const switchName = 'easydashMutant'

/**
 * The text of a module with all changes of mutants in it, each of them only while its mutant is on. Throws an error that names
 * what is missing if a change finds no place, and if the result is no program.
 */
export function switchable(module: string, text: string, mutants: readonly CodeMutant[]): string {
  const edits = mutants.flatMap(({ what, changes }) =>
    changes
      .filter((change) => change.module === module)
      .map((change) => ({ edit: editOf(text, change), isOn: `globalThis.${switchName} === ${JSON.stringify(what)}` })),
  )
  const result = rendered(
    text,
    { start: 0, end: text.length },
    edits.toSorted((a, b) => a.edit.start - b.edit.start || b.edit.end - a.edit.end),
  )
  try {
    parseModule(result)
  } catch (error) {
    throw new Error(`${module}: the changed module is no program.`, { cause: error })
  }
  return result
}

/** Text between two positions with the edits in it, which are sorted; an edit may contain others. */
function rendered(
  text: string,
  { start, end }: Pick<Edit, 'start' | 'end'>,
  edits: readonly { readonly edit: Edit; readonly isOn: string }[],
): string {
  const [outer, ...others] = edits
  if (!outer) return text.slice(start, end)
  const { edit, isOn } = outer
  const inner = others.filter((one) => one.edit.end <= edit.end)
  const after = others.filter((one) => one.edit.end > edit.end)
  return [
    text.slice(start, edit.start),
    edit.switched(isOn, rendered(text, edit, inner)),
    rendered(text, { start: edit.end, end }, after),
  ].join('')
}

/** What a change does to the text of its module. */
export function editOf(text: string, change: Change): Edit {
  const root = scopeOf(parseModule(text), change)
  const filled = (node: Node, code: string, given: readonly Node[]) =>
    code.replaceAll(/\$(it|\d+)/g, (_all, what: string) => {
      const part = what === 'it' ? node : given[Number(what) - 1]
      if (!part) throw lost(change, `argument ${what}`)
      return `(${text.slice(part.start, part.end)})`
    })
  const put = (node: Node, code: string, given: readonly Node[] = []): Edit => ({
    ...{ start: node.start, end: node.end },
    switched: (isOn, original) => `(${isOn} ? (${filled(node, code, given)}) : ${original})`,
  })

  if ('if' in change) {
    const all = parts(root, ['IfStatement', 'ConditionalExpression']).flatMap(({ node }) => child(node, 'test') ?? [])
    return put(only(change, `condition with ${change.if.join(', ')}`, all.filter(names(change.if))), change.is)
  }
  if ('operand' in change) {
    const all = parts(root, ['LogicalExpression'])
      .flatMap(({ node }) => [child(node, 'left') ?? [], child(node, 'right') ?? []].flat())
      .map(bare)
      .filter(({ type }) => type !== 'LogicalExpression')
    const found = only(change, `operand with ${change.operand.join(', ')}`, all.filter(names(change.operand)))
    return put(found, change.is)
  }
  if ('variable' in change) {
    const all = parts(root, ['VariableDeclarator']).filter(({ node }) => chainOf(child(node, 'id')) === change.variable)
    const found = only(change, `variable ${change.variable}`, all)
    return put(child(found.node, 'init') ?? found.node, change.is)
  }
  if ('return' in change) {
    const all = parts(root, ['ReturnStatement']).flatMap(({ node }) => child(node, 'argument') ?? [])
    return put(only(change, `return with ${change.return.join(', ')}`, all.filter(names(change.return))), change.is)
  }
  if ('throw' in change) {
    const all = parts(root, ['ThrowStatement']).filter(({ node }) => names(change.throw)(node))
    const { start, end } = only(change, `throw with ${change.throw.join(', ')}`, all).node
    return { start, end, switched: (isOn, original) => `{ if (${isOn}) return; ${original} }` }
  }
  if ('slot' in change) {
    const all = parts(root, ['TemplateLiteral']).flatMap(({ node }) => list(node, 'expressions'))
    return put(only(change, `slot with ${change.slot.join(', ')}`, all.filter(names(change.slot))), change.is)
  }
  if (change.call === undefined) return wholeFunction(root, change.answers, put)
  const { call } = change
  const all = parts(root, ['CallExpression']).filter(({ node }) => isCallOf(node, call, change.with ?? []))
  const { node, parent } = only(change, `call of ${call}${change.with ? ` with ${change.with.join(', ')}` : ''}`, all)
  const given = list(node, 'arguments')
  if ('answers' in change) {
    const edit = put(node, change.answers, given)
    // A statement that began with a parenthesis would continue the line before.
    const isStatement = parent?.type === 'ExpressionStatement'
    return isStatement ? { ...edit, switched: (...both) => `void ${edit.switched(...both)}` } : edit
  }
  const argument = given[change.argument - 1]
  if (!argument) throw lost(change, `argument ${change.argument} of ${call}`)
  return put(argument, change.is)
}

/** The function of a change, or what runs in its branch. */
function scopeOf(program: Node, change: Change): Node {
  const found = functionsOf(program).filter(({ path }) => path === change.in)
  if (found.length > 1) throw new Error(`${change.module}: there is more than one function ${change.in}.`)
  const [named] = found
  if (!named) throw new Error(`${change.module}: there is no function ${change.in}.`)
  const { branch } = change
  if (!branch) return named.node
  const all = parts(named.node, ['IfStatement']).filter(({ node }) => {
    const test = child(node, 'test')
    return test !== null && names(branch)(test)
  })
  const [only, more] = all
  const runs = only && child(only.node, 'consequent')
  if (!runs || more)
    throw new Error(`${change.module}, ${change.in}: ${all.length} branches with ${branch.join(', ')}.`)
  return runs
}

function wholeFunction(node: Node, answer: string, put: (node: Node, code: string) => Edit): Edit {
  const body = child(node, 'body') ?? node
  if (body.type !== 'BlockStatement') return put(body, answer)
  const { start, end } = body
  return { start, end, switched: (isOn, original) => `{ if (${isOn}) return (${answer}); ${original} }` }
}

/** Nodes of some kinds, in the order of the text. */
function parts(root: Node, types: readonly string[]): Found[] {
  return [...everyNode(root)].filter(({ node }) => types.includes(node.type))
}

/** Whether a node calls a function, or a method by its own name or with its object. */
export function isCallOf(node: Node, called: string, given: Names): boolean {
  const chain = chainOf(child(node, 'callee'))
  const isIt = chain === called || (chain?.endsWith(`.${called}`) ?? false)
  const known = new Set(list(node, 'arguments').flatMap((one) => [...mentions(one)]))
  return isIt && given.every((name) => known.has(name))
}

const names = (wanted: Names) => (node: Node) => {
  const known = mentions(node)
  return wanted.every((name) => known.has(name))
}

const bare = (node: Node): Node =>
  node.type === 'ParenthesizedExpression' ? bare(child(node, 'expression') ?? node) : node

function only<T>(change: Change, what: string, found: readonly T[]): T {
  const one = change.nth === undefined ? found[0] : found[change.nth - 1]
  if (one === undefined) throw lost(change, what)
  if (change.nth === undefined && found.length > 1)
    throw new Error(`${change.module}, ${change.in}: there is more than one ${what}; nth says which.`)
  return one
}

function lost({ module, in: path, nth }: Change, what: string): Error {
  return new Error(`${module}, ${path}: there is no ${what}${nth === undefined ? '' : ` (number ${nth})`}.`)
}
