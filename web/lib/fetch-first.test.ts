import { afterEach, expect, test, vi } from 'vitest'
import { fetchFirst } from './fetch-first.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  document.head.replaceChildren()
})

/** A server that notes what it is asked for. */
function serve(answer: (file: string) => Response): string[] {
  const asked: string[] = []
  vi.stubGlobal('fetch', async (file: string) => {
    asked.push(file)
    return answer(file)
  })
  return asked
}

test('nothing is imported before all its files are here', async () => {
  const load = vi.fn(async () => 'module')
  serve((file) => new Response('', { status: file.includes('gone') ? 404 : 200 }))
  await expect(fetchFirst(load, ['/web/assets/a.js', '/web/assets/gone.js'])).rejects.toThrow('gone.js')
  expect(load).not.toHaveBeenCalled()
  await expect(fetchFirst(load, ['/web/assets/a.js'])).resolves.toBe('module')
})

test('each file is fetched once, one that failed again, one of the page itself never', async () => {
  document.head.innerHTML = '<link rel="modulepreload" href="/web/assets/page.js">'
  let status = 503
  const asked = serve(() => new Response('', { status }))
  const files = ['/web/assets/page.js', '/web/assets/b.js']
  const load = async () => 'module'
  await expect(fetchFirst(load, files)).rejects.toThrow('503')
  status = 200
  await Promise.all([fetchFirst(load, files), fetchFirst(load, files)])
  await fetchFirst(load, files)
  expect(asked).toEqual(['/web/assets/b.js', '/web/assets/b.js'])
})

test('an import without files of its own is just done', async () => {
  await expect(fetchFirst(async () => 'module')).resolves.toBe('module')
})
