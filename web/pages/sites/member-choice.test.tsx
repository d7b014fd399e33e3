import { act, type ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { ApiError } from '#web/lib/api/api-error.ts'
import { testRender, eventually } from '#web/lib/browser/test-render.ts'
import { HandOverDialog } from './hand-over-dialog.tsx'
import { ShareDialog } from './share-dialog.tsx'

const page = testRender()
const members = vi.hoisted(() => ({ now: {} as object }))
const privileged = vi.hoisted(() => ({ now: {} as object }))
vi.mock('#web/lib/api/whole-list.ts', () => ({ useWholeList: () => members.now }))
vi.mock('#web/documents/people.ts', () => ({ usePeople: () => (email: string) => email }))
vi.mock('./use-shares.ts', () => ({
  useShares: () => ({
    data: [{ user: 'dan@acme.example', full_name: 'Dan Eve', read: 1, write: 0, share: 0 }],
    error: null,
    give: () => Promise.resolve(),
  }),
  usePrivileged: () => privileged.now,
  nameOf: () => '',
}))

const reload = vi.fn(() => Promise.resolve())
const loading = { data: undefined, error: null, reload }
const failed = { ...loading, error: new ApiError('Away') }
const site = { name: 's1', domain: 'blog', owner: 'ann@acme.example' }
const nothing = () => undefined

beforeEach(() => {
  reload.mockClear()
  privileged.now = { ...loading, data: ['bea@acme.example'] }
})
const draw = async (dialog: ReactNode) => {
  await act(async () => page.root.render(dialog))
  // Its code loads when it opens.
  await eventually(() => expect(document.querySelector('[role=dialog]')).not.toBeNull())
  return document.querySelector('[role=dialog]')?.textContent ?? ''
}
async function type(text: string): Promise<string> {
  const input = document.querySelector<HTMLInputElement>('[role=dialog] input')
  await act(async () => {
    input?.focus()
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(input, text)
    input?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  return document.querySelector('[role=dialog]')?.textContent ?? ''
}

test('handing over: members that could not be read are asked for again, not waited for', async () => {
  members.now = failed
  expect(await draw(<HandOverDialog site={site} onClose={nothing} />)).toContain('The members did not load')
  const retry = [...document.querySelectorAll('button')].find((one) => one.textContent === 'Retry')
  await act(async () => retry?.click())
  expect(reload).toHaveBeenCalledOnce()
})

test.each([
  ['nobody fits', { ...loading, data: [] }, 'No member of this organization fits.'],
  ['they are on their way', loading, 'Loading'],
  ['they could not be read', failed, 'The members did not load: Away'],
])('sharing: why nobody is suggested when %s', async (_when, answer, words) => {
  members.now = answer
  await draw(<ShareDialog site={site} onClose={nothing} onHandOver={nothing} />)
  expect(await type('be')).toContain(words)
})

const everybody = [
  { name: 'ann@acme.example', full_name: 'Ann Berg' },
  { name: 'bea@acme.example', full_name: 'Bea Berg' },
  { name: 'dan@acme.example', full_name: 'Dan Eve' },
  { name: 'cem@acme.example', full_name: 'Cem Fox' },
]
const suggested = () => [...document.querySelectorAll('[role=option]')].map((one) => one.textContent)

test.each([
  ['ann@acme.example', 'Ann Berg owns this site.'],
  ['Dan', 'It is shared with Dan Eve already.'],
  ['bea', 'Bea Berg is an admin or manager and has every site without a share.'],
])('sharing: whom a share gives nothing is not suggested, and for %s it says why', async (typed, words) => {
  members.now = { ...loading, data: everybody }
  await draw(<ShareDialog site={site} onClose={nothing} onHandOver={nothing} />)
  await type('acme')
  expect(suggested()).toEqual(['Cem Fox (cem@acme.example)'])
  expect(await type(typed)).toContain(words)
  expect(suggested()).toEqual([])
})

test('sharing: nobody is suggested before it is known who has it anyway', async () => {
  members.now = { ...loading, data: everybody }
  privileged.now = loading
  await draw(<ShareDialog site={site} onClose={nothing} onHandOver={nothing} />)
  expect(await type('cem')).toContain('Loading')
  privileged.now = failed
  await draw(<ShareDialog site={site} onClose={nothing} onHandOver={nothing} />)
  expect(await type('cem')).toContain('The members did not load: Away')
})
