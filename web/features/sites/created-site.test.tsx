import { act, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { apiServer } from '#tests/web/api.ts'
import { owner, renderAs } from '#tests/web/screen.tsx'
import { ToastArea } from '#web/ui/overlay/toast-area.tsx'
import { CreatedSite } from './created-site.tsx'

const api = apiServer()

function setup(status: string, job_type = 'site.create') {
  api.on('resource/Site/s1', () => ({
    data: { name: 's1', domain: 'blog', owner: 'owner@acme.example', status, site_type: 'wp', url: 'http://blog.test' },
  }))
  return renderAs(owner, <CreatedSite job={{ job_type, reference_name: 's1' }} />)
}

test.each(['site.create', 'site.clone', 'site.import'])(
  'a site made by %s can be visited and its admin opened',
  async (type) => {
    setup('Live', type)
    expect((await screen.findByRole('link', { name: 'Visit' })).getAttribute('href')).toBe('http://blog.test')
    expect(screen.getByRole('button', { name: 'Open admin' })).toBeTruthy()
  },
)

test.each([{ page: 'Sign in to the network' }, { url: 'javascript:alert(1)' }])(
  'an admin that is answered for with no web address, %o, closes its tab, and says so',
  async (message) => {
    const tab = { opener: null, document: { title: '' }, close: vi.fn(), location: { replace: vi.fn() } }
    vi.stubGlobal('open', () => tab)
    api.on('run_doc_method', () => ({ message }))
    const { user } = setup('Live')
    render(<ToastArea />)
    await user.click(await screen.findByRole('button', { name: 'Open admin' }))
    expect(await screen.findByText(/^Something other than the server answered/)).toBeTruthy()
    expect(tab.close).toHaveBeenCalledOnce()
    expect(tab.location.replace).not.toHaveBeenCalled()
  },
)

test('other jobs, and sites that are not live, have no such steps', async () => {
  setup('Live', 'site.php')
  await act(async () => undefined)
  expect(api.calls).toHaveLength(0)
  setup('Archived')
  await act(async () => undefined)
  expect(screen.queryByRole('link')).toBeNull()
})
