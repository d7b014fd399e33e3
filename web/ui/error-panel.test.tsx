import { act } from 'react'
import { createRoot, type Root } from 'react-dom/client'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { pseudoTranslator } from '#web/lib/i18n/pseudo-language.ts'
import { sentenceTranslator, type SentenceTranslator } from '#web/lib/i18n/translate-sentence.ts'
import { ErrorPanel } from './error-panel.tsx'

const known = vi.hoisted(() => ({ translate: null as SentenceTranslator | null }))
vi.mock('#web/lib/i18n/translation.ts', () => ({
  translator: null,
  get translateSentence() {
    return known.translate
  },
}))

let host: HTMLElement
let root: Root
const asked: string[] = []
beforeEach(() => {
  ;(globalThis as { IS_REACT_ACT_ENVIRONMENT?: boolean }).IS_REACT_ACT_ENVIRONMENT = true
  host = document.body.appendChild(document.createElement('div'))
  root = createRoot(host)
  asked.length = 0
  known.translate = null
  vi.stubGlobal('fetch', (url: string | URL | Request) => {
    asked.push(url instanceof Request ? url.url : String(url))
    const sentence = {
      template: 'You may not see {0}: {1}.',
      values: [{ template: 'the site {0}', values: ['blog'] }, { template: 'you are a member' }],
    }
    const message = { allowed: false, rule: 'x', text: 'You may not see the site blog: you are a member.', sentence }
    return Promise.resolve(Response.json({ message }))
  })
})
afterEach(() => {
  act(() => root.unmount())
  host.remove()
  vi.unstubAllGlobals()
})

const draw = (httpStatus: number, wanted?: { doctype: string; name: string }) =>
  act(() =>
    root.render(
      <ErrorPanel title="No" error={new ApiError('Refused.', { httpStatus })} {...(wanted ? { wanted } : {})} />,
    ),
  )
const why = () => [...host.querySelectorAll('button')].find((button) => button.textContent === 'Why?')

test('a refusal explains itself on request', async () => {
  draw(403, { doctype: 'Site', name: 'abc' })
  await act(async () => why()?.click())
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('/api/method/explain_permission?operation=read&doctype=Site&name=abc')
  expect(host.querySelector('[lang=en]')?.textContent).toBe('You may not see the site blog: you are a member.')
  expect(why()).toBeUndefined()
})

test('in another language it explains itself in that', async () => {
  known.translate = sentenceTranslator(pseudoTranslator, 'en-XA')
  draw(403, { doctype: 'Site', name: 'abc' })
  await act(async () => why()?.click())
  const said = host.querySelector('[aria-live]')
  expect(said?.textContent).toMatch(/^\[Ýóú ɱáý ñóŧ šéé \[ŧħé šíŧé blog·+\]: \[ýóú ářé á ɱéɱƀéř·+\]\.·+\]$/)
  expect(said?.querySelector('[lang]')).toBeNull()
})

test('Retry says that it is at it, asks once, and can be pressed again', async () => {
  const asks: PromiseWithResolvers<void>[] = []
  const onRetry = vi.fn<() => Promise<void>>(() => {
    const one = Promise.withResolvers<void>()
    asks.push(one)
    return one.promise
  })
  act(() => root.render(<ErrorPanel title="No" error={new ApiError('Gone.')} onRetry={onRetry} />))
  const retry = [...host.querySelectorAll('button')].find((button) => button.textContent === 'Retry')
  act(() => retry?.click())
  expect(retry?.getAttribute('aria-busy')).toBe('true')
  act(() => retry?.click())
  expect(onRetry).toHaveBeenCalledTimes(1)
  await act(async () => asks[0]?.resolve())
  expect(retry?.hasAttribute('aria-busy')).toBe(false)
  act(() => retry?.click())
  expect(onRetry).toHaveBeenCalledTimes(2)
})

test('nothing is offered for other failures, or where nothing is known to ask about', () => {
  draw(404, { doctype: 'Site', name: 'abc' })
  expect(why()).toBeUndefined()
  draw(403)
  expect(why()).toBeUndefined()
})
