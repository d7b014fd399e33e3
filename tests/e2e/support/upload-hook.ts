/**
 * Browser code: a file field with the unmodified `useFrappeFileUpload`. `file-upload.full.e2e.ts` bundles it and runs it in a
 * page of the running product, with its cookie, CSRF token and origin.
 */
import { FrappeProvider, useFrappeFileUpload } from 'frappe-react-sdk'
import { createElement, useState, type ChangeEvent, type ReactElement } from 'react'
import { createRoot } from 'react-dom/client'

type Upload = ReturnType<typeof useFrappeFileUpload>['upload']

/** The parts of the page in use; the tests are type-checked without DOM types. */
interface HookGlobals {
  /** Target of the upload; set by the test. */
  args: Parameters<Upload>[1]
  document: { createElement(tag: string): Container; body: { append(element: Container): void } }
}

type Container = Parameters<typeof createRoot>[0]

const browser = globalThis as unknown as HookGlobals

/** The field and the hook's state, including each intermediate one. */
function UploadField(): ReactElement {
  const { upload, progress, loading, isCompleted, error, reset } = useFrappeFileUpload()
  const [seen, setSeen] = useState<number[]>([])
  const [output, setOutput] = useState('')
  if (progress !== seen.at(-1)) setSeen([...seen, progress])
  async function send(event: ChangeEvent<HTMLInputElement>): Promise<void> {
    const [file] = (event.target as unknown as { files: readonly File[] }).files
    if (!file) return
    setOutput('')
    // The hook also stores the error; thrown and stored errors must match.
    const got = await upload(file, browser.args).catch((thrown: unknown) => ({ thrown }))
    setOutput(JSON.stringify(got))
  }
  const state = { progress, seen, loading, isCompleted, error }
  return createElement(
    'div',
    null,
    createElement('input', { type: 'file', 'aria-label': 'File for the hook', onChange: (event) => void send(event) }),
    createElement('button', { type: 'button', onClick: reset }, 'Reset the hook'),
    createElement('output', { 'aria-label': 'State of the hook' }, JSON.stringify(state)),
    createElement('output', { 'aria-label': 'Answer of the hook' }, output),
  )
}

const container = browser.document.createElement('div')
browser.document.body.append(container)
createRoot(container).render(createElement(FrappeProvider, { enableSocket: false }, createElement(UploadField)))
