/**
 * frappe-react-sdk's unmodified `useFrappeFileUpload` in a page of the product: a real form, real progress, real cookies.
 */
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { rolldown } from 'rolldown'
import { maxFileSize } from '#shared/doctypes/file.ts'
import { ada, asOwner, expect, organization } from './support/harness-test.ts'

/** Bundled once: the hook with the React version it was written for. */
let code: Promise<string> | null = null
async function bundled(): Promise<string> {
  const bundle = await rolldown({
    input: join(import.meta.dirname, 'support', 'upload-hook.ts'),
    platform: 'browser',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'iife' })
  await bundle.close()
  return output[0].code
}

/** Opens a page of the app and mounts the field in it. */
async function openField(page: Page): Promise<void> {
  await page.goto('/web/site')
  await expect(page.getByRole('main')).toBeVisible()
  code ??= bundled()
  await page.evaluate(await code)
  await expect(page.getByLabel('File for the hook')).toBeVisible()
}

const state = (page: Page) => page.getByLabel('State of the hook')
const output = (page: Page) => page.getByLabel('Answer of the hook')
const setArguments = (page: Page, args: object) =>
  page.evaluate((options) => Object.assign(globalThis, { args: options }), args)
const choose = (page: Page, name: string, buffer: Buffer) =>
  page.getByLabel('File for the hook').setInputFiles({ name, mimeType: 'text/plain', buffer })
/** The client logs each denied call to the console; these are expected. */
function expectRejections(problems: string[], ...texts: string[]): void {
  const rejections = problems.splice(0)
  expect(rejections).toHaveLength(texts.length)
  for (const [at, text] of texts.entries()) expect(rejections[at]).toContain(text)
}
const read = async <T>(output: ReturnType<typeof state>): Promise<T> => JSON.parse(await output.innerText()) as T

asOwner('uploads to a document with progress; the file can be opened and is private', async ({ page, browser }) => {
  await openField(page)
  await setArguments(page, {
    isPrivate: true,
    doctype: 'User',
    docname: ada.email,
    fieldname: 'user_image',
    folder: 'Home',
  })
  const content = Buffer.alloc(3 * 1024 * 1024, 'Grüße aus Fernhill\n')
  await choose(page, '../Ärger & "Co".txt', content)
  await expect(state(page)).toContainText('"isCompleted":true')
  await expect(output(page)).not.toBeEmpty()
  const file = await read<Record<string, unknown>>(output(page))
  expect(file).toMatchObject({
    doctype: 'File',
    owner: ada.email,
    is_private: 1,
    file_size: content.length,
    folder: 'Home',
    attached_to_doctype: 'User',
    attached_to_name: ada.email,
    attached_to_field: 'user_image',
  })
  expect(String(file['file_name'])).toMatch(/^[^/\\]+\.txt$/)
  expect(file['file_url']).toMatch(/^\/private\/files\//)
  const upload = await read<{ progress: number; seen: number[]; loading: boolean; error: unknown }>(state(page))
  expect(upload).toMatchObject({ progress: 100, loading: false, error: null })
  expect(upload.seen).toEqual(upload.seen.toSorted((a, b) => a - b))
  const opened = await page.request.get(String(file['file_url']))
  expect(opened.headers()['content-disposition']).toMatch(/^attachment/)
  expect((await opened.body()).equals(content)).toBe(true)
  const stranger = await browser.newContext({ storageState: { cookies: [], origins: [] } })
  expect((await stranger.request.get(new URL(String(file['file_url']), page.url()).href)).status()).toBe(403)
  await stranger.close()
  await page.getByRole('button', { name: 'Reset the hook' }).click()
  await expect(state(page)).toContainText('"isCompleted":false')
})

asOwner(
  'the hook reports a rejection with status, kind and localized message, and the next file succeeds',
  async ({ page, problems }) => {
    await openField(page)
    await setArguments(page, { isPrivate: true, doctype: 'Organization', docname: 'nobody-has-this' })
    await choose(page, 'a.txt', Buffer.from('a'))
    await expect(state(page)).toContainText('"httpStatus":404')
    expect(await read(output(page))).toMatchObject({ thrown: { httpStatus: 404, exc_type: 'DoesNotExistError' } })

    await setArguments(page, { isPrivate: true, doctype: 'Organization', docname: organization.slug })
    await choose(page, 'large.bin', Buffer.alloc(maxFileSize + 1))
    await expect(state(page)).toContainText('"httpStatus":413')
    expect((await read<{ error: { _server_messages?: string } }>(state(page))).error._server_messages).toContain(
      'larger than 10 MB',
    )

    await choose(page, 'small.txt', Buffer.from('small'))
    await expect(output(page)).toContainText('"file_name":"small.txt"')
    expect(await read(state(page))).toMatchObject({ isCompleted: true, error: null, loading: false })
    expectRejections(problems, 'DoesNotExistError', 'RequestEntityTooLarge')
  },
)

asOwner('with a token of another session the upload is rejected and nothing is stored', async ({ page, problems }) => {
  await openField(page)
  await page.evaluate(() => Object.assign(globalThis, { csrf_token: 'x'.repeat(43) }))
  await setArguments(page, { isPrivate: true, doctype: 'Organization', docname: organization.slug })
  await choose(page, 'forged.txt', Buffer.from('forged'))
  await expect(state(page)).toContainText('"exc_type":"CSRFTokenError"')
  const kept = await page.request.get(
    `/api/resource/File?filters=${JSON.stringify([['file_name', '=', 'forged.txt']])}`,
  )
  expect(await kept.json()).toEqual({ data: [] })
  expectRejections(problems, 'CSRFTokenError')
})
