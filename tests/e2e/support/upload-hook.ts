/**
 * Browser code: a file field over the unmodified `useFrappeFileUpload`. `file-upload.e2e.ts` bundles it and runs it in a page
 * of the running product, whose cookie, CSRF token and origin it has.
 */
import { FrappeProvider, useFrappeFileUpload } from 'frappe-react-sdk'
import { createElement, useState, type ChangeEvent, type ReactElement } from 'react'
import { createRoot } from 'react-dom/client'

type Upload = ReturnType<typeof useFrappeFileUpload>['upload']

/** What of the page is used; the tests are checked without the browser's own types. */
interface Surroundings {
  /** Where the upload goes; set by the test. */
  args: Parameters<Upload>[1]
  document: { createElement(tag: string): Container; body: { append(element: Container): void } }
}

type Container = Parameters<typeof createRoot>[0]

const browser = globalThis as unknown as Surroundings

/** The field and what the hook tells of it, each state it went through included. */
function UploadField(): ReactElement {
  const { upload, progress, loading, isCompleted, error, reset } = useFrappeFileUpload()
  const [seen, setSeen] = useState<number[]>([])
  const [answer, setAnswer] = useState('')
  if (progress !== seen.at(-1)) setSeen([...seen, progress])
  async function send(event: ChangeEvent<HTMLInputElement>): Promise<void> {
    const [file] = (event.target as unknown as { files: readonly File[] }).files
    if (!file) return
    setAnswer('')
    // The hook keeps the error as well; what it throws and what it keeps must agree.
    const got = await upload(file, browser.args).catch((thrown: unknown) => ({ thrown }))
    setAnswer(JSON.stringify(got))
  }
  const state = { progress, seen, loading, isCompleted, error }
  return createElement(
    'div',
    null,
    createElement('input', { type: 'file', 'aria-label': 'File for the hook', onChange: (event) => void send(event) }),
    createElement('button', { type: 'button', onClick: reset }, 'Reset the hook'),
    createElement('output', { 'aria-label': 'State of the hook' }, JSON.stringify(state)),
    createElement('output', { 'aria-label': 'Answer of the hook' }, answer),
  )
}

const place = browser.document.createElement('div')
browser.document.body.append(place)
createRoot(place).render(createElement(FrappeProvider, { enableSocket: false }, createElement(UploadField)))
