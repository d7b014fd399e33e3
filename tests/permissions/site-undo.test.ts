import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Action } from '#shared/doctype.ts'
import { SiteDoctype } from '#shared/doctypes/site.ts'
import { siteUndo, type Undo } from './site-undo.ts'

const web = join(import.meta.dirname, '../../web')
const actions: Readonly<Record<string, Action>> = SiteDoctype.actions ?? {}
const changing = Object.keys(actions).filter((name) => actions[name]?.reads !== true)

const quotes = (source: string, action: string) => new RegExp(`['"]${action}['"]`).test(source)

/** Modules in a folder of the web app without its tests, with their sources. */
async function modulesIn(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = await readdir(join(web, folder), { recursive: true })
  const modules = names.filter((name) => /(?<!\.test)\.tsx?$/.test(name))
  const read = async (name: string) => [name, await readFile(join(web, folder, name), 'utf8')] as const
  return new Map(await Promise.all(modules.map(read)))
}

/** What the doctype declares as undo of an action, called as the table says. */
function declaredUndo(name: string, undo: Undo | undefined): string | null {
  const rule = actions[name]?.undo
  if (typeof rule !== 'function') return rule ?? null
  const { before = {}, args = {} } = typeof undo === 'object' && 'declared' in undo ? undo : {}
  return rule({ status: 'Live', ...before }, args)?.action ?? null
}

test('every action that changes a site has an undo, or a reason why it has none', () => {
  expect(changing.filter((name) => siteUndo[name] === undefined || siteUndo[name] === '')).toEqual([])
  expect(Object.keys(siteUndo).filter((name) => !changing.includes(name))).toEqual([])
})

test('the table says what the doctype declares as undo, and nothing else', () => {
  const declared = changing.flatMap((name) => {
    const undo = declaredUndo(name, siteUndo[name])
    return actions[name]?.undo === undefined ? [] : [[name, undo]]
  })
  const table = Object.entries(siteUndo).flatMap(([name, undo]) =>
    typeof undo === 'object' && 'declared' in undo ? [[name, undo.declared]] : [],
  )
  expect(Object.fromEntries(declared)).toEqual(Object.fromEntries(table))
  for (const [, undo] of table) expect(Object.keys(actions)).toContain(undo)
})

test('messages with an Undo button run the action of the table', async () => {
  for (const [name, undo] of Object.entries(siteUndo)) {
    if (typeof undo === 'string' || !('button' in undo)) continue
    const { button, at, runs = at } = undo
    const read = (module: string) => readFile(join(web, 'pages/sites', module), 'utf8')
    expect(Object.keys(actions), name).toContain(button)
    expect(await read(at), `${at} offers no undo of ${name}`).toContain('undoButton({')
    const source = await read(runs)
    for (const one of [name, button]) {
      // An argument, unlike the name that an action is looked up by.
      expect(source, `${runs} does not run ${one}`).toMatch(new RegExp(`[(,]\\s*'${one}'\\s*,`))
    }
  }
})

test('every Undo button on the pages of sites stands in the table', async () => {
  const offering = [...(await modulesIn('pages/sites'))].filter(([, source]) => source.includes('undoButton({'))
  const table = Object.values(siteUndo).flatMap((undo) =>
    typeof undo === 'object' && 'button' in undo ? [undo.at] : [],
  )
  expect(offering.map(([name]) => name).filter((name) => !table.includes(name))).toEqual([])
})

test('the web app offers the actions that take others back', async () => {
  const sources = [...(await modulesIn('.')).values()]
  const offered = (action: string) => {
    // What is not hidden stands in the menu of the page, which names no action.
    if (actions[action] && actions[action].hidden !== true) return true
    return actions[action] !== undefined && sources.some((source) => quotes(source, action))
  }
  const lost = Object.entries(siteUndo).flatMap(([name, undo]) =>
    typeof undo === 'object' && 'action' in undo && !offered(undo.action) ? [`${undo.action} after ${name}`] : [],
  )
  expect(lost).toEqual([])
})

test('screens start what the doctype can undo in a way that offers it', async () => {
  const sources = [...(await modulesIn('.')).values()]
  const declared = Object.entries(siteUndo).flatMap(([name, undo]) =>
    typeof undo === 'object' && 'declared' in undo ? [name] : [],
  )
  // `runAction` only sends the call; `useActions`, `useActionRunner` and `useWordPress` also remember the values of before.
  const silent = (name: string) => new RegExp(`runAction(?:<[^(]*>)?\\('Site',[^,]+,\\s*'${name}'`)
  expect(declared.filter((name) => sources.some((source) => silent(name).test(source)))).toEqual([])
})
