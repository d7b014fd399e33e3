import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { DropArea } from './drop-area.tsx'
import { clearUploads } from './upload-store.ts'

/** Empty files, because those are sent in one call. */
const api = apiServer()
beforeEach(() => {
  clearUploads('s1')
  api.on('run_doc_method', () => ({ message: null }))
})

/** Entries as browsers give them for what is dropped. */
const file = (name: string) => ({
  ...{ name, isFile: true, isDirectory: false },
  file: (done: (file: File) => void) => done(new File([], name)),
})
const unreadable = (name: string) => ({
  ...file(name),
  file: (_done: unknown, failed: (error: Error) => void) => failed(new DOMException('Gone', 'NotFoundError')),
})
/** Its reader gives two entries at a time. */
const folder = (name: string, ...inner: readonly object[]) => ({
  ...{ name, isFile: false, isDirectory: true },
  createReader: () => {
    const left = [...inner]
    return { readEntries: (done: (part: object[]) => void) => done(left.splice(0, 2)) }
  },
})
const dropped = (...entries: readonly object[]) => ({
  dataTransfer: {
    types: ['Files'],
    files: [],
    items: entries.map((entry) => ({ kind: 'file', webkitGetAsEntry: () => entry })),
  },
})

function open(locked: string | null = null) {
  return renderAs(
    owner,
    <>
      <DropArea site="s1" folder="wp-content" names={new Set(['a.txt'])} locked={locked}>
        The list
      </DropArea>
      <ToastArea />
    </>,
  )
}
const area = () => screen.getByRole('group')
const sent = () =>
  api.calls
    .filter(({ body }) => body['method'] === 'write_file')
    .map(({ body }) => (body['args'] as { path: string }).path)

test('what is dropped goes into the shown folder, with all that is in folders', async () => {
  open()
  fireEvent.drop(area(), dropped(file('b.txt'), folder('theme', file('1'), folder('deep', file('2')), file('3'))))
  await waitFor(() =>
    expect(sent().toSorted()).toEqual([
      'wp-content/b.txt',
      'wp-content/theme/1',
      'wp-content/theme/3',
      'wp-content/theme/deep/2',
    ]),
  )
})

test('a name that is taken is asked about first, and the others can be uploaded alone', async () => {
  const { user } = open()
  fireEvent.drop(area(), dropped(file('a.txt'), file('b.txt')))
  const dialog = await screen.findByRole('dialog', { name: 'Replace a.txt?' })
  expect(sent()).toEqual([])
  await user.click(within(dialog).getByRole('button', { name: 'Upload only the others' }))
  await waitFor(() => expect(sent()).toEqual(['wp-content/b.txt']))
})

test('it says where a drop goes while files are over it, and not for what is no file', () => {
  open()
  fireEvent.dragEnter(area(), { dataTransfer: { types: ['text/plain'] } })
  expect(screen.queryByText(/^Drop to upload/)).toBeNull()
  fireEvent.dragEnter(area(), dropped())
  // Over something in it: entering that comes before leaving the area.
  fireEvent.dragEnter(area(), dropped())
  fireEvent.dragLeave(area(), dropped())
  expect(screen.getByText('Drop to upload into wp-content')).toBeTruthy()
  fireEvent.dragLeave(area(), dropped())
  expect(screen.queryByText(/^Drop to upload/)).toBeNull()
})

test('while nothing can be changed, a drop says why, and the browser does not open the file', async () => {
  open('A job is running on it')
  fireEvent.dragEnter(area(), dropped(file('b.txt')))
  expect(screen.queryByText(/^Drop to upload/)).toBeNull()
  for (const event of [fireEvent.dragOver, fireEvent.drop])
    expect(event(area(), dropped(file('b.txt'))), 'left to the browser').toBe(false)
  expect(await screen.findByText('A job is running on it')).toBeTruthy()
  expect(sent()).toEqual([])
})

test('a text that is dropped is left to the browser', () => {
  open()
  expect(fireEvent.drop(area(), { dataTransfer: { types: ['text/plain'], items: [], files: [] } })).toBe(true)
})

test.each([
  ['a file that cannot be read', [file('b.txt'), unreadable('c.txt')], 'What was dropped could not be read'],
  ['an empty folder', [folder('empty')], 'There is no file in what was dropped'],
])('%s: nothing is uploaded, and it says why', async (_what, entries, title) => {
  open()
  fireEvent.drop(area(), dropped(...entries))
  expect(await screen.findByText(title)).toBeTruthy()
  expect(sent()).toEqual([])
})
